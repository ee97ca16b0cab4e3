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
        #expect(dispatcher.flush(timeout: .seconds(60)).isComplete)
        try FileManager.default.removeItem(atPath: fixture.journal)
        #expect(
            comesTrue {
                logInfo("between", to: dispatcher)
                dispatcher.flush(timeout: .seconds(60))
                return dispatcher.journalStatus != first
            })
        guard case .active(let path) = dispatcher.journalStatus else {
            Issue.record("\(dispatcher.journalStatus)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(fixture.reports.value.count { $0.text.contains("removed or truncated") } == 1)
        #expect(dispatcher.flush(timeout: .seconds(60)).isComplete)
        let written = fixture.lines().count
        fixture.isFull.value = true
        for number in 0..<5 { logInfo("after \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .seconds(60))
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
        #expect(
            comesTrue {
                logInfo("line \(count)", to: dispatcher)
                count += 1
                dispatcher.flush(timeout: .seconds(60))
                if case .unavailable = dispatcher.journalStatus { return true }
                return false
            })
        logInfo("line \(count)", to: dispatcher)
        #expect(dispatcher.flush(timeout: .seconds(60)).isComplete)
        #expect(fixture.lines() == (0...count).map { "line \($0)" })
        #expect(fixture.reports.value.count { $0.text.contains("removed or truncated") } == 1)
    }

    @Test(
        "A journal that is cut while threads log does not end the process; a new one is started, and protects",
        arguments: [0, 4096, 300_000, 1_500_000])
    func cut(_ size: Int) async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, size = size as Int] in
            alarm(600)
            let isBroken = Locked(false)
            let calls = SystemCalls { $0 == .write && isBroken.withLock { $0 } ? .fails(EIO) : nil }
            let dispatcher = JournalScene().makeDispatcher(path)
            let told = Locked(0)
            dispatcher.diagnostics.interval = .zero
            dispatcher.diagnostics.handler = { report in
                if report.text.contains("removed or truncated") { told.withLock { $0 += 1 } }
            }
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
                guard told.withLock({ $0 }) == round else { exit(6) }
            }
            isOver.withLock { $0 = true }
            threads.wait()
            guard dispatcher.flush(timeout: .seconds(60)).isComplete else { exit(7) }
            isBroken.withLock { $0 = true }
            for number in 0..<20 { logInfo("kept \(number)", to: dispatcher) }
            kill(getpid(), SIGKILL)
        }
        let dispatcher = JournalScene().makeDispatcher(path)
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(try JournalScene().makeLogger(path))
        #expect(await dispatcher.flush(timeout: .seconds(60)).isComplete)
        dispatcher.removeAll()
        let lines = scratch.lines(JournalScene.naming).filter { !$0.isEmpty && !$0.hasPrefix("recovered") }
        #expect(lines.filter { $0.hasPrefix("kept") } == (0..<20).map { "kept \($0)" })
        // Whatever was lost: what is there is whole and in order.
        var last = [-1, -1, -1]
        for line in lines where !line.hasPrefix("kept") {
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

    @Test("Lines that had arrived in a file that was renamed after the crash are not written again")
    func renamedFile() async throws {
        let fixture = JournalFixture()
        let path = fixture.scratch.path
        // Of two lines that are written together one arrives.
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
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
                LogDirectory(path + "/logs", calls: calls), naming: JournalFixture.naming, formatter: nil,
                name: "file")
            dispatcher.add(logger)
            logInfo("line 0", to: dispatcher)
            dispatcher.flush()
            writes.withLock { $0 = 0 }
            let gate = Gate()
            logger.perform { gate.pass() }
            for number in 1..<3 { logInfo("line \(number)", to: dispatcher) }
            dispatcher.drainNow()
            gate.open()
            dispatcher.flush()
        }
        let name = try #require(fixture.scratch.names().first)
        #expect(fixture.scratch.text(name) == "line 0\nline 1\n")
        #expect(rename(path + "/logs/" + name, path + "/logs/renamed") == 0)
        fixture.isFull.value = false
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.scratch.text("renamed") == "line 0\nline 1\n")
        #expect(fixture.lines() == ["line 2"])
    }

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
        #expect(await dispatcher.flush(timeout: .seconds(60)).isComplete)
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
            exit(dispatcher.flush(timeout: .seconds(60)).isComplete ? 0 : 4)
        }
        #expect(scratch.lines(JournalScene.naming) == ["still here", ""])
        #expect(scratch.names(path + "/journal", hidden: true).isEmpty)
    }
}
