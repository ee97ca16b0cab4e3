import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What others do to a journal while it is in use: the program goes on, is told, and is protected again.
@Suite(.serialized, .inTurn) struct JournalLossTests {
    @Test("A journal whose directory is removed is replaced by a new one, which is reported, and protects")
    func removed() throws {
        let fixture = JournalFixture()
        fixture.isFull.value = false
        let dispatcher = fixture.makeDispatcher()
        let first = dispatcher.journalStatus
        dispatcher.add(try fixture.makeLogger())
        logInfo("before", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        try FileManager.default.removeItem(atPath: fixture.journal)
        waitUntil {
            logInfo("between", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            return dispatcher.journalStatus != first
        }
        guard case .active(let path) = dispatcher.journalStatus else {
            Issue.record("\(dispatcher.journalStatus)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(fixture.reports.value.count { $0.text.contains("removed or renamed") } == 1)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let written = fixture.lines().count
        fixture.isFull.value = true
        for number in 0..<5 { logInfo("after \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        try fixture.die()
        fixture.end(dispatcher)
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(Array(fixture.lines().dropFirst(written)) == (0..<5).map { "after \($0)" })
        #expect(fixture.lines().first == "before")
    }

    @Test("Where no new journal can be made the ring goes on in memory, which the status says, once")
    func cannotBeReplaced() throws {
        let fixture = JournalFixture()
        fixture.isFull.value = false
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(try fixture.makeLogger())
        try FileManager.default.removeItem(atPath: fixture.journal)
        #expect(FileManager.default.createFile(atPath: fixture.journal, contents: nil))
        var count = 0
        waitUntil {
            logInfo("line \(count)", to: dispatcher)
            count += 1
            dispatcher.flush(timeout: .testLimit)
            if case .unavailable = dispatcher.journalStatus { return true }
            return false
        }
        logInfo("line \(count)", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fixture.lines() == (0...count).map { "line \($0)" })
        #expect(fixture.reports.value.count { $0.text.contains("removed or renamed") } == 1)
    }

    @Test(
        "A journal that is cut while threads log does not end the process; a new one is started, and protects",
        arguments: [0, 4096, 300_000, 1_482_800, 1_484_000, 1_500_000])
    func cut(_ size: Int) async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, size = size as Int] in
            alarm(600)
            let isBroken = Locked(false)
            let calls = SystemCalls { $0 == .write && isBroken.withLock { $0 } ? .fails(EIO) : nil }
            let dispatcher = JournalScene().makeDispatcher(path)
            let reports = Locked<[String]>([])
            dispatcher.diagnostics.interval = .zero
            dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
            dispatcher.add(try JournalScene().makeLogger(path, calls: calls))
            let isOver = Locked(false)
            let threads = DispatchGroup()
            for thread in 0..<3 {
                threads.enter()
                Thread.detachNewThread {
                    var number = 0
                    while !isOver.withLock({ $0 }) {
                        logInfo("noise \(thread) \(number)", to: dispatcher)
                        number += 1
                    }
                    threads.leave()
                }
            }
            for round in 1...(Load.isSanitized ? 1 : 4) {
                let before = dispatcher.journalStatus
                guard case .active(let journal) = before else { exit(5) }
                truncate(journal, off_t(size))
                // The threads notice it.
                while dispatcher.journalStatus == before { sched_yield() }
                let told = reports.withLock { $0 }
                guard told.count(where: { $0.contains("was truncated") }) == round else {
                    FileHandle.standardError.write(Data("round \(round): \(told)\n".utf8))
                    exit(6)
                }
            }
            isOver.withLock { $0 = true }
            threads.wait()
            guard dispatcher.flush(timeout: .testLimit).isComplete else { exit(7) }
            isBroken.withLock { $0 = true }
            for number in 0..<20 { logInfo("kept \(number)", to: dispatcher) }
            kill(getpid(), SIGKILL)
        }
        let dispatcher = JournalScene().makeDispatcher(path)
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(try JournalScene().makeLogger(path))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        let lines = scratch.lines(JournalScene.naming).filter { !$0.isEmpty && !$0.hasPrefix("recovered") }
        #expect(lines.filter { $0.hasPrefix("kept") } == (0..<20).map { "kept \($0)" })
        // Whatever was lost: what is there is whole and in order.
        var last = [-1, -1, -1]
        for line in lines where !line.hasPrefix("kept") && !line.hasSuffix("dropped here") {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == "noise", let thread = Int(words[1]),
                let number = Int(words[2]), number > last[thread]
            else {
                Issue.record("“\(line)”")
                return
            }
            last[thread] = number
        }
    }

    /// Cuts a file after the next look at it.
    private final class Cutter: DiskFaults {
        let isDue = Locked(false)
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
        func change() -> Int32 { 0 }
        func looked(at descriptor: Int32) {
            let isNow = isDue.withLock { isDue in
                defer { isDue = false }
                return isDue
            }
            if isNow { ftruncate(descriptor, 4096) }
        }
    }

    @Test("A journal that is cut during a look at it was truncated: the disk has not refused it")
    func cutDuringLook() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .exitCode(0)) { [path = scratch.path as String] in
            let cutter = Cutter()
            let directory = try Directory(path, calls: SystemCalls(kernel: FaultyKernel(cutter)))
            let now = LogTimestamp(Date())
            let mapping = try JournalFile(in: directory, ringSize: 65_536, now: now).mapping
            guard mapping.loss == nil else { exit(1) }
            cutter.isDue.withLock { $0 = true }
            guard mapping.loss == .cut, mapping.loss == .cut else { exit(2) }
            exit(0)
        }
    }

    /// A dispatcher whose drain is a test's own thread, and what its logger has got.
    private func makeHeld(_ fixture: JournalFixture, _ patience: Duration = .milliseconds(20)) -> (
        LogDispatcher, RecordingLogger
    ) {
        let dispatcher = fixture.makeDispatcher()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        logInfo("message 000", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        dispatcher.waitUntilAsleep()
        dispatcher.consumer.queue.suspend()
        dispatcher.consumer.drain.withLock { $0.journalLook = JournalLook(patience: patience) }
        return (dispatcher, logger)
    }

    @Test("The file is looked at every tenth of a second, until it is lost")
    func lookInterval() {
        var look = JournalLook()
        let due = [0, 50, 99, 100, 150, 250].filter { look.isDue(at: .milliseconds($0)) }
        #expect(due == [0, 100, 250])
        look.loss = .cut
        let isDue = look.isDue(at: .seconds(60))
        #expect(!isDue)
    }

    @Test("A record is stuck after looks of ten seconds together; time in which no one looked counts little")
    func stuck() {
        var look = JournalLook()
        for now in [Duration.zero, .milliseconds(1), .seconds(3600)] {
            let isStuck = look.isStuck(at: 7, now)
            #expect(!isStuck)
        }
        // The third look counted for ten milliseconds, as each of the next ones does.
        for number in 1...998 {
            let isStuck = look.isStuck(at: 7, .seconds(3600) + .milliseconds(10 * number))
            #expect(!isStuck)
        }
        let isStuck = look.isStuck(at: 7, .seconds(3610))
        #expect(isStuck)
        // Another record has all of the time again.
        let isOtherStuck = look.isStuck(at: 8, .seconds(3611))
        #expect(!isOtherStuck && !look.isStuck(at: 8, .seconds(7200)))
    }

    @Test("The report of a second loss counts what was lost since the first")
    func twoLosses() throws {
        let fixture = JournalFixture()
        let (dispatcher, _) = makeHeld(fixture)
        defer { dispatcher.consumer.queue.resume() }
        for round in 1...2 {
            let before = dispatcher.journalStatus
            let journal = try #require(path(before))
            if round == 1 {
                for number in 0..<200 { logInfo("message \(number)", to: dispatcher) }
                let size = try #require(
                    try Directory(fixture.journal).status((journal as NSString).lastPathComponent)?.size)
                #expect(truncate(journal, off_t(size - 65_536 + 100)) == 0)
            } else {
                #expect(unlink(journal) == 0)
            }
            waitUntil {
                dispatcher.drainNow()
                return dispatcher.journalStatus != before
            }
        }
        let reports = fixture.reports.value.filter { $0.text.contains("a new one was started") }
        #expect(reports.map { $0.text.contains("messages are lost") } == [true, false])
        #expect(reports.last?.count == 1)
        dispatcher.journal = nil
    }

    private func path(_ status: LogJournal.Status) -> String? {
        if case .active(let path) = status { path } else { nil }
    }

    @Test(
        "A journal that is cut at any byte loses what is behind it, counted; the rest comes whole, and logging goes on",
        arguments: [false, true])
    func cutAnywhere(isClosed: Bool) throws {
        // Around a message, one that crosses a page, the end of the ring, and its beginning.
        for cut in [0, 4, 60, 64, 70, 95, 96, 100, 4000, 4090, 4095, 4097, 4100, 30_001, 65_530] {
            let fixture = JournalFixture()
            let (dispatcher, logger) = makeHeld(fixture)
            defer { dispatcher.consumer.queue.resume() }
            let before = dispatcher.journalStatus
            let count = 200
            for number in 1...count {
                logInfo("message \(String(1000 + number).dropFirst())", to: dispatcher)
            }
            let journal = try #require(path(before))
            let size = try #require(
                try? Directory(fixture.journal).status((journal as NSString).lastPathComponent)?.size)
            #expect(truncate(journal, off_t(size - 65_536 + cut)) == 0)
            if isClosed { dispatcher.journal = nil } else { dispatcher.drainNow() }
            waitUntil { dispatcher.journalStatus != before }
            logInfo("the next", to: dispatcher)
            dispatcher.drainNow()
            #expect(logger.waitUntilIdle(timeout: .testLimit))
            let texts = logger.messages.map { "\($0.text)" }
            let received = texts.filter { $0.hasPrefix("message") }
            let numbers = received.compactMap { Int($0.dropFirst(8)) }
            #expect(numbers.count == received.count && received.allSatisfy { $0.utf8.count == 11 })
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
            // What is gone is counted by the usual size of messages: names of threads and queues differ.
            let lost = count + 1 - numbers.count
            let counted = dispatcher.statistics.dropped
            #expect(
                counted >= lost && counted <= lost + lost / 20 + 1, "cut at \(cut): \(counted) for \(lost)")
            #expect(texts.last == "the next")
            #expect(isClosed || fixture.reports.value.contains { $0.text.contains("was truncated") })
            dispatcher.journal = nil
        }
    }

    @Test("A journal that loses the ring's counters while nothing is to do stops nobody, and is replaced")
    func cutCounters() throws {
        for cut in [0, 4, 8, 16, 128, 132, 136, 1024] {
            let fixture = JournalFixture()
            let dispatcher = fixture.makeDispatcher()
            let logger = RecordingLogger()
            dispatcher.add(logger)
            // Without the look after the file, a call that finds no room would wait for so long.
            dispatcher.overflowPolicy = .block(upTo: .testLimit)
            logInfo("first", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            dispatcher.waitUntilAsleep()
            let before = dispatcher.journalStatus
            let journal = try #require(path(before))
            let size = try #require(
                try? Directory(fixture.journal).status((journal as NSString).lastPathComponent)?.size)
            // It was just looked after, and will not be for a moment.
            dispatcher.consumer.drain.withLock { _ = $0.journalLook.isDue(at: SystemClock().uptime()) }
            // In front of the ring's 64 KiB is the page of its counters.
            #expect(truncate(journal, off_t(size - 65_536 - MemoryMap.pageSize + cut)) == 0)
            logInfo("second", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            // Until the file is looked after, messages may be lost, which is counted.
            waitUntil {
                logInfo("between", to: dispatcher)
                dispatcher.flush(timeout: .testLimit)
                return dispatcher.journalStatus != before
            }
            logInfo("last", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.messages.first.map { "\($0.text)" } == "first")
            #expect(logger.messages.last.map { "\($0.text)" } == "last")
            dispatcher.journal = nil
        }
    }

    @Test(
        "A record that is gone from a journal that has its size again does not stop the others",
        arguments: [0, 5])
    func overwritten(kept: Int) throws {
        let fixture = JournalFixture()
        let (dispatcher, logger) = makeHeld(fixture)
        defer { dispatcher.consumer.queue.resume() }
        let before = dispatcher.journalStatus
        var ends: [UInt64] = []
        for number in 0..<10 {
            logInfo("message \(number)", to: dispatcher)
            ends.append(dispatcher.ring.tail)
        }
        let journal = try #require(path(before))
        let size = try #require(
            try? Directory(fixture.journal).status((journal as NSString).lastPathComponent)?.size)
        let start = ends[kept] - (ends[1] - ends[0])
        #expect(truncate(journal, off_t(size - 65_536 + Int(start % 65_536))) == 0)
        #expect(truncate(journal, off_t(size)) == 0)
        dispatcher.drainNow()
        waitUntil { dispatcher.journalStatus != before }
        logInfo("the next", to: dispatcher)
        dispatcher.drainNow()
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        let left: [String] = (0..<kept).map { "message \($0)" }
        #expect(logger.messages.map { "\($0.text)" } == ["message 000"] + left + ["the next"])
        #expect(dispatcher.statistics.dropped > 0)
        dispatcher.journal = nil
    }

    @Test("A call that does not come back to its record in a journal that was cut does not stop the others")
    func callThatIsGone() throws {
        let fixture = JournalFixture()
        let (dispatcher, logger) = makeHeld(fixture)
        defer { dispatcher.consumer.queue.resume() }
        let before = dispatcher.journalStatus
        _ = try #require(dispatcher.ring.reserve(128))
        logInfo("behind it", to: dispatcher)
        let done = Box(false)
        dispatcher.submit { _ in done.value = true }
        let journal = try #require(path(before))
        let size = try #require(
            try? Directory(fixture.journal).status((journal as NSString).lastPathComponent)?.size)
        // Behind all records, and no multiple of a page: nothing of it raises a signal.
        #expect(truncate(journal, off_t(size - 1001)) == 0)
        dispatcher.journal = nil
        #expect(dispatcher.journalStatus == .off && done.value)
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(logger.messages.map { "\($0.text)" } == ["message 000", "behind it"])
        #expect(dispatcher.statistics.dropped == 1)
    }

    @Test("A call that is at its record when the file loses the ring's counters gets its time as well")
    func callWithoutCounters() throws {
        let fixture = JournalFixture()
        let (dispatcher, logger) = makeHeld(fixture)
        defer { dispatcher.consumer.queue.resume() }
        let before = dispatcher.journalStatus
        // Nothing tells of this call: the drain has not seen its record, and the file loses the tail.
        _ = try #require(dispatcher.ring.reserve(128))
        #expect(try truncate(#require(path(before)), 0) == 0)
        let start = SystemClock().uptime()
        dispatcher.drainNow()
        // What it writes after that would go into the new file, over the records of others.
        #expect(SystemClock().uptime() - start >= .milliseconds(250))
        waitUntil { dispatcher.journalStatus != before }
        logInfo("the next", to: dispatcher)
        dispatcher.drainNow()
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(logger.messages.map { "\($0.text)" } == ["message 000", "the next"])
        dispatcher.journal = nil
    }

    @Test("A page that the file system cannot store loses no message; the report says why")
    func unstored() throws {
        let fixture = JournalFixture()
        let (dispatcher, logger) = makeHeld(fixture)
        defer { dispatcher.consumer.queue.resume() }
        let before = dispatcher.journalStatus
        let unfinished = try #require(dispatcher.ring.reserve(16))
        for number in 0..<50 { logInfo("message \(number)", to: dispatcher) }
        // As the handler does it when a write into a page fails.
        #expect(dispatcher.consumer.drain.withLock { _ in dispatcher.ring.leaveFile() })
        // A call that was at its record then.
        dispatcher.ring.publish(unfinished.position, size: 16, kind: .filler)
        dispatcher.drainNow()
        waitUntil { dispatcher.journalStatus != before }
        #expect(path(dispatcher.journalStatus) != nil)
        dispatcher.drainNow()
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(logger.messages.count == 51 && dispatcher.statistics.dropped == 0)
        #expect(
            fixture.reports.value.contains { $0.text.contains("the disk is full and the file system copies") }
        )
        dispatcher.journal = nil
    }

    @Test(
        "A journal that is renamed while in use, or whose directory is, is replaced",
        arguments: [false, true])
    func renamed(isDirectory: Bool) throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        let first = dispatcher.journalStatus
        let old = try #require(path(first))
        let place = isDirectory ? fixture.journal : old
        #expect(rename(place, place + "-old") == 0)
        waitUntil {
            logInfo("line", to: dispatcher)
            dispatcher.drainNow()
            return dispatcher.journalStatus != first
        }
        #expect(try FileManager.default.fileExists(atPath: #require(path(dispatcher.journalStatus))))
        #expect(fixture.reports.value.count { $0.text.contains("removed or renamed") } == 1)
        dispatcher.journal = nil
        // It has the name that somebody gave it.
        #expect(isDirectory || FileManager.default.fileExists(atPath: old + "-old"))
    }

    @Test("A journal that could not be made is tried again when messages come, ever less often")
    func triedAgain() throws {
        let fixture = JournalFixture()
        let clock = ManualClock()
        let dispatcher = LogDispatcher.forTest(ring: .kibibytes(64), clock: clock)
        dispatcher.diagnostics.handler = { [reports = fixture.reports] report in
            reports.update { $0.append(report) }
        }
        #expect(FileManager.default.createFile(atPath: fixture.journal, contents: nil))
        dispatcher.journal = .file(fixture.journal)
        func look() {
            logInfo("line", to: dispatcher)
            dispatcher.drainNow()
            // What the queue was given is done.
            waitUntil { !dispatcher.journaling.isBusy }
        }
        look()
        clock.advance(by: .seconds(1))
        look()
        #expect(path(dispatcher.journalStatus) == nil)
        unlink(fixture.journal)
        clock.advance(by: .milliseconds(1900))
        look()
        #expect(path(dispatcher.journalStatus) == nil)
        clock.advance(by: .milliseconds(100))
        look()
        #expect(path(dispatcher.journalStatus) != nil)
        #expect(fixture.reports.value.count { $0.text.contains("is in use again") } == 1)
        dispatcher.journal = nil
    }

    @Test("Texts of large messages whose journal is gone or damaged are removed by the next run; others stay")
    func orphans() throws {
        let fixture = JournalFixture()
        let living = fixture.makeDispatcher()
        living.add(try fixture.makeLogger())
        logInfo("\(String(repeating: "long ", count: 10_000))", to: living)
        living.drainNow()
        let names = fixture.scratch.names(fixture.journal)
        #expect(names.count == 2)
        let start = hw_process_start(Int64(getpid()))
        let orphans = ["heartwood-1-5-1.journal.64.large", "heartwood-1-5-2.journal.64.large"]
        let others = [
            "heartwood-1-5-3.journal.64.large", "heartwood-1-5-3.journal.unknown", "mine.large",
            "heartwood-1-5-4.journal.x.large", "heartwood-\(getpid())-\(start)-99.journal.64.large",
        ]
        for name in orphans + others + ["heartwood-1-5-2.journal.damaged"] {
            #expect(FileManager.default.createFile(atPath: fixture.journal + "/" + name, contents: nil))
            chmod(fixture.journal + "/" + name, 0o600)
        }
        fixture.makeDispatcher().journal = nil
        let left = fixture.scratch.names(fixture.journal)
        #expect(Set(left) == Set(names + others + ["heartwood-1-5-2.journal.damaged"]))
        fixture.end(living)
    }

    /// Writes a line, and dies when of two others, which are written together, one has arrived.
    private static func dieInWrite(_ path: String) throws {
        // Counts the writes after the first line, when the log file is there already.
        let writes = Locked<Int?>(nil)
        let calls = SystemCalls { call in
            if call != .write { return nil }
            return writes.withLock { writes in
                guard let count = writes else { return nil }
                writes = count + 1
                if count == 1 { kill(getpid(), SIGKILL) }
                return .short("line 1\n".utf8.count)
            }
        }
        let dispatcher = LogDispatcher(ringCapacity: .kibibytes(64), journal: .file(path + "/next"))
        let logger = try FileLogger(
            Directory(path + "/logs", calls: calls), settings: FileSettings(naming: JournalFixture.naming),
            formatter: nil, name: "file")
        dispatcher.add(logger)
        logInfo("line 0", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        writes.withLock { $0 = 0 }
        let gate = Gate()
        logger.perform { gate.pass() }
        // One drain takes both lines, so that one write has them.
        dispatcher.waitUntilAsleep()
        dispatcher.consumer.queue.suspend()
        for number in 1..<3 { logInfo("line \(number)", to: dispatcher) }
        dispatcher.drainNow()
        gate.open()
        dispatcher.flush(timeout: .testLimit)
    }

    @Test("Lines that had arrived in a file that was renamed after the crash are not written again")
    func renamedFile() async throws {
        let fixture = JournalFixture()
        let path = fixture.scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try Self.dieInWrite(path)
        }
        let name = try #require(fixture.scratch.names().first)
        #expect(fixture.scratch.text(name) == "line 0\nline 1\n")
        #expect(rename(path + "/logs/" + name, path + "/logs/renamed") == 0)
        fixture.isFull.value = false
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.scratch.text("renamed") == "line 0\nline 1\n")
        #expect(fixture.lines() == ["line 2"])
    }

    @Test(
        "While an interrupted write cannot be examined, nothing of it is delivered; then each line is there once"
    )
    func unreadableFile() async throws {
        let fixture = JournalFixture()
        let path = fixture.scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try Self.dieInWrite(path)
        }
        let isBroken = Box(true)
        let calls = SystemCalls { $0 == .read && isBroken.value ? .fails(EIO) : nil }
        let logger = try FileLogger(
            Directory(path + "/logs", calls: calls), settings: FileSettings(naming: JournalFixture.naming),
            formatter: nil, name: "file")
        let dispatcher = fixture.makeDispatcher(fixture.next)
        dispatcher.add(logger)
        #expect(await !dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fixture.reports.value.contains { $0.text.contains("cannot yet recover") })
        #expect(fixture.lines() == ["line 0", "line 1"])
        isBroken.value = false
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll(timeout: .testLimit)
        dispatcher.journal = nil
        #expect(fixture.lines() == ["line 0", "line 1", "line 2"])
    }

    #if os(Linux)
    @Test("The handler of a fatal signal that was there before is called after the signal was noted")
    func earlierHandler() async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(42)) { [path = path as String] in
            // As a reporter of crashes installs it.
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = { _, info, _ in
                _exit(info?.pointee.si_signo == SIGSEGV ? 42 : 1)
            }
            action.sa_flags = SA_SIGINFO
            sigaction(SIGSEGV, &action, nil)
            let dispatcher = JournalScene().makeDispatcher(path)
            dispatcher.recordsFatalSignals = true
            dispatcher.add(try JournalScene().makeLogger(path))
            logInfo("the last", to: dispatcher)
            UnsafeMutablePointer<Int>(bitPattern: 16)?.pointee = 1
        }
        let lines = try await linesAfterRecovery(scratch)
        #expect(lines.contains("the last"))
        #expect(lines.contains { $0.hasPrefix("the process was terminated by SIGSEGV") })
    }
    #endif

    /// Logs a message in a process that `prepare` gives a journal, and ends it by a fatal signal, without a core file.
    private static func abortAfterMessage(_ path: String, _ prepare: (LogDispatcher) -> Void) throws {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        let dispatcher = LogDispatcher.forTest()
        prepare(dispatcher)
        dispatcher.add(try JournalScene().makeLogger(path))
        logInfo("the last", to: dispatcher)
        abort()
    }

    /// What the files have once the next process has recovered the journal.
    private func linesAfterRecovery(_ scratch: Scratch) async throws -> [String] {
        let dispatcher = JournalScene().makeDispatcher(scratch.path)
        dispatcher.add(try JournalScene().makeLogger(scratch.path))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        return scratch.lines(JournalScene.naming)
    }

    @Test("A fatal signal leaves its last message also where it was asked for before the journal was set")
    func signalBeforeJournal() async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .failure) { [path = path as String] in
            try Self.abortAfterMessage(path) { dispatcher in
                dispatcher.recordsFatalSignals = true
                dispatcher.journal = .file(path + "/journal")
            }
        }
        let lines = try await linesAfterRecovery(scratch)
        #expect(lines.contains { $0.hasPrefix("the process was terminated by SIGABRT") })
    }

    @Test("A fatal signal leaves no last message once that was switched off again")
    func signalsSwitchedOff() async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .failure) { [path = path as String] in
            try Self.abortAfterMessage(path) { dispatcher in
                dispatcher.journal = .file(path + "/journal")
                dispatcher.recordsFatalSignals = true
                dispatcher.recordsFatalSignals = false
            }
        }
        let lines = try await linesAfterRecovery(scratch)
        #expect(lines.contains("the last") && !lines.contains { $0.contains("terminated by") }, "\(lines)")
    }

    @Test("A limit on the size of files leaves the process without a journal, and does not end it")
    func fileSizeLimit() async {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let dispatcher = JournalScene().makeDispatcher(path)
            dispatcher.diagnostics.handler = { _ in }
            guard case .unavailable(let reason) = dispatcher.journalStatus, reason.cause == EFBIG else {
                exit(3)
            }
            dispatcher.add(try JournalScene().makeLogger(path))
            logInfo("still here", to: dispatcher)
            exit(dispatcher.flush(timeout: .testLimit).isComplete ? 0 : 4)
        }
        #expect(scratch.lines(JournalScene.naming) == ["still here", ""])
        #expect(scratch.names(path + "/journal", hidden: true).isEmpty)
    }
}
