import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What a journal keeps, what recovery makes of it, and what happens where there can be none.
@Suite(.inTurn) struct JournalTests {
    /// A dispatcher with a journal in the scratch directory; reports are collected.
    private func makeDispatcher(
        _ scratch: Scratch, ring: ByteCount = .kibibytes(64), reports: Box<[LogDiagnostics.Report]> = Box([])
    ) -> LogDispatcher {
        let dispatcher = LogDispatcher.forTest(ring: ring)
        dispatcher.diagnostics.handler = { report in reports.update { $0.append(report) } }
        dispatcher.diagnostics.interval = .zero
        dispatcher.journal = .file(scratch.path + "/journal")
        return dispatcher
    }

    private func makeLogger(_ scratch: Scratch, _ calls: SystemCalls = SystemCalls()) throws -> FileLogger {
        let logger = try FileLogger(
            Directory(scratch.logs, calls: calls),
            settings: FileSettings(naming: LogFileNaming(application: "t")), formatter: PatternOfTests())
        logger.minimumFreeSpace = .zero
        return logger
    }

    /// A copy of the journals as a dead process would leave them: nobody holds the copies' locks.
    private func leaveDead(_ scratch: Scratch, in directory: String = "journal") throws {
        let files = FileManager.default
        let living = scratch.path + "/" + directory
        for name in try files.contentsOfDirectory(atPath: living) where name.hasSuffix(".journal") {
            try files.createDirectory(atPath: scratch.path + "/next", withIntermediateDirectories: true)
            try files.copyItem(atPath: living + "/" + name, toPath: scratch.path + "/next/" + name)
        }
        chmod(scratch.path + "/next", 0o700)
    }

    /// The lines of a run that recovers the copies.
    private func recover(_ scratch: Scratch, reports: Box<[LogDiagnostics.Report]> = Box([])) throws
        -> [String]
    {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.diagnostics.handler = { report in reports.update { $0.append(report) } }
        dispatcher.diagnostics.interval = .zero
        dispatcher.journal = .file(scratch.path + "/next")
        dispatcher.add(try makeLogger(scratch))
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        dispatcher.journal = nil
        return scratch.lines(LogFileNaming(application: "t")).filter { !$0.isEmpty }
    }

    /// Fills a journal with messages that a logger could not write, and leaves it as a dead process would.
    private func leaveUnwritten(_ scratch: Scratch, _ log: (LogDispatcher) -> Void) throws {
        let isFull = Box(true)
        let calls = SystemCalls { isFull.value && $0 == .write ? .fails(ENOSPC) : nil }
        let dispatcher = makeDispatcher(scratch)
        let logger = try makeLogger(scratch, calls)
        dispatcher.add(logger)
        log(dispatcher)
        dispatcher.flush(timeout: .testLimit)
        try leaveDead(scratch)
        // The living one forgets them, so that the files have what recovery brings alone.
        logger.perform { logger.forgetUnwritten() }
        dispatcher.removeAll()
        dispatcher.journal = nil
        isFull.value = false
    }

    @Test(
        "Recovered messages have their text, time, thread, category, level and call site, and come once, in order"
    )
    func content() throws {
        let scratch = Scratch()
        let began = SystemClock().now()
        let line = #line + 3
        try leaveUnwritten(scratch) { dispatcher in
            nameThisThread("sower")
            logInfo("first \(1, as: "n")", category: LogCategory("seeds"), context: 7, to: dispatcher)
            logWarning("second", metadata: ["k": "v"], to: dispatcher)
            logInfo("third", tag: Gate(), to: dispatcher)
        }
        let lines = try recover(scratch)
        #expect(lines.count == 4)
        #expect(lines.first?.contains("recovered 3 messages of process \(getpid())") == true)
        let thread = ThreadState.current.id
        #expect(
            lines.dropFirst().first?.hasPrefix("first 1|info|seeds|7|JournalTests.swift:\(line)|") == true)
        #expect(lines.dropFirst().first?.contains("|\(thread)|") == true)
        #expect(lines.dropFirst(2).first?.hasPrefix("second|warning|default|0|") == true)
        #expect(lines.dropFirst(2).first?.hasSuffix("|k=v") == true)
        #expect(lines.last?.hasPrefix("third|info|") == true)
        #expect(lines.map { line in (0...3).first { line.contains("|#\($0)|") } } == [0, 1, 2, 3])
        for text in lines.dropFirst() {
            let time =
                text.split(separator: "|").compactMap { Int64($0) }.first { $0 > 1_000_000_000_000 } ?? 0
            let distance = LogTimestamp(nanoseconds: time) - began
            #expect(distance > .milliseconds(-50) && distance < .seconds(60), "\(text)")
        }
        #expect(try recover(scratch) == lines, "a second recovery brings nothing")
        #expect(scratch.names(scratch.path + "/next").isEmpty)
    }

    @Test("Dates of any year come out of the journal as they were logged, and time stamps, too")
    func dates() throws {
        let scratch = Scratch()
        try leaveUnwritten(scratch) { dispatcher in
            logInfo("\(Date.distantPast) \(Date.distantFuture)", to: dispatcher)
            logInfo("\(Date(timeIntervalSince1970: .nan), format: .isoDate)", to: dispatcher)
            logInfo("\(LogTimestamp(nanoseconds: .max))", to: dispatcher)
        }
        let lines = try recover(scratch).dropFirst()
        #expect(
            lines.map { String($0.prefix { $0 != "|" }) } == [
                "0000-12-30T00:00:00.000Z 4001-01-01T00:00:00.000Z", "nan", "2262-04-11T23:47:16.854Z",
            ])
    }

    @Test("A message that is larger than the ring takes is recovered too")
    func large() throws {
        let scratch = Scratch()
        let text = String(repeating: "long ", count: 10_000)
        try leaveUnwritten(scratch) { dispatcher in
            logInfo("before", to: dispatcher)
            logInfo("\(text)", to: dispatcher)
            logInfo("after", to: dispatcher)
            let names = scratch.names(scratch.path + "/journal")
            for name in names where name.hasSuffix(".large") {
                mkdir(scratch.path + "/next", 0o700)
                try? FileManager.default.copyItem(
                    atPath: scratch.path + "/journal/" + name, toPath: scratch.path + "/next/" + name)
            }
        }
        let lines = try recover(scratch)
        #expect(lines.count == 4)
        #expect(lines.dropFirst(2).first?.hasPrefix(text) == true)
        #expect(scratch.names(scratch.path + "/next").isEmpty)
    }

    @Test("What a logger did not want is not recovered for it")
    func levels() throws {
        let scratch = Scratch()
        try leaveUnwritten(scratch) { dispatcher in
            let other = RecordingLogger()
            dispatcher.add(other)
            dispatcher.loggers.first?.levels = .warning
            logInfo("not wanted", to: dispatcher)
            logWarning("wanted", to: dispatcher)
        }
        let lines = try recover(scratch)
        #expect(lines.map { String($0.prefix(6)) } == ["recove", "wanted"])
    }

    @Test("Damage costs the records that it hits, and no other", arguments: [0, 1, 5, 9, 40])
    func damage(_ hit: Int) throws {
        let scratch = Scratch()
        try leaveUnwritten(scratch) { dispatcher in
            for number in 0..<50 { logInfo("message \(number)", to: dispatcher) }
        }
        let directory = scratch.path + "/next"
        let name = try #require(scratch.names(directory).first)
        var bytes = try #require(FileManager.default.contents(atPath: directory + "/" + name))
        let header = try bytes.withUnsafeBytes { try JournalHeader(reading: $0) }
        let place = try bytes.withUnsafeBytes { bytes -> Int in
            let reader = try JournalReader(bytes, header)
            #expect(reader.places.count == 50)
            return header.geometry.ring + Int(reader.places[hit].position) % header.geometry.ringSize
        }
        // One as if its call had never come to publish it, another with a flipped bit.
        if hit % 2 == 0 {
            for index in 0..<8 { bytes[place + index] = 0 }
        } else {
            let body = bytes.withUnsafeBytes {
                RecordView($0.baseAddress.unsafelyUnwrapped + place).body
            }
            bytes[place + body.offset + 7] ^= 4
        }
        try bytes.write(to: URL(fileURLWithPath: directory + "/" + name))
        let lines = try recover(scratch)
        #expect(lines.first?.contains("recovered 49 messages") == true)
        #expect(lines.first?.contains("1 was not complete") == true)
        let expected = (0..<50).filter { $0 != hit }.map { "message \($0)" }
        #expect(lines.dropFirst().map { String($0.prefix { $0 != "|" }) } == expected)
    }

    @Test("Any byte that is wrong, and any length, never costs more than the journal: nothing crashes")
    func anyDamage() throws {
        let scratch = Scratch()
        try leaveUnwritten(scratch) { dispatcher in
            for number in 0..<20 { logInfo("message \(number)", to: dispatcher) }
        }
        let directory = scratch.path + "/next"
        let name = try #require(scratch.names(directory).first)
        let whole = try #require(FileManager.default.contents(atPath: directory + "/" + name))
        var random = SplitMix64(state: 1)
        func read(_ data: Data) {
            data.withUnsafeBytes { bytes in
                guard let header = try? JournalHeader(reading: bytes),
                    let reader = try? JournalReader(bytes, header)
                else { return }
                for place in reader.places { _ = reader.message(place, sequence: 1, large: nil).text.count }
            }
        }
        for _ in 0..<(Tier.isLong ? 100_000 : 100) {
            var data = whole
            for _ in 0...(random.next() % 4) {
                // Where something stands: header, marks, tables, counters, the ring's beginning.
                let parts = [0, 4096, 303_104, whole.count - 65_536 - 4096, whole.count - 65_536]
                let place = parts[Int(random.next() % 5)] + Int(random.next() % 3000)
                data[place] = UInt8(truncatingIfNeeded: random.next())
            }
            read(data)
        }
        for length in stride(from: 0, to: whole.count, by: Tier.amount(81_931, full: 40_961)) {
            read(whole.prefix(length))
        }
    }

    @Test("A damaged journal, and one of another version, is set aside and reported")
    func setAside() throws {
        let scratch = Scratch()
        try leaveUnwritten(scratch) { logInfo("lost", to: $0) }
        let directory = scratch.path + "/next"
        let name = try #require(scratch.names(directory).first)
        let whole = try #require(FileManager.default.contents(atPath: directory + "/" + name))
        for version: UInt8 in [0, 2, 4] {
            var other = whole
            other[8] = version
            try other.write(to: URL(fileURLWithPath: directory + "/version\(version).journal"))
        }
        try whole.prefix(100_000).write(to: URL(fileURLWithPath: directory + "/" + name))
        try Data().write(to: URL(fileURLWithPath: directory + "/empty.journal"))
        let reports = Box<[LogDiagnostics.Report]>([])
        #expect(try recover(scratch, reports: reports).isEmpty)
        #expect(
            Set(scratch.names(directory)) == [
                name + ".damaged", "empty.journal.damaged", "version0.journal.unknown",
                "version2.journal.unknown", "version4.journal.unknown",
            ])
        #expect(reports.value.filter { $0.kind == .damaged }.count == 5)
        #expect(reports.value.contains { $0.text.contains("its version, 4, is not supported") })
    }

    @Test("Where no journal can be made the ring stays in memory, which is said, and nothing is lost")
    func fallback() throws {
        let scratch = Scratch()
        _ = FileManager.default.createFile(atPath: scratch.path + "/journal", contents: Data())
        let reports = Box<[LogDiagnostics.Report]>([])
        let dispatcher = makeDispatcher(scratch, reports: reports)
        guard case .unavailable = dispatcher.journalStatus else {
            Issue.record("\(dispatcher.journalStatus)")
            return
        }
        #expect(dispatcher.journal == .file(scratch.path + "/journal"))
        #expect(reports.value.contains { $0.kind == .setting })
        dispatcher.add(try makeLogger(scratch))
        logInfo("still here", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(scratch.lines(LogFileNaming(application: "t")).first?.hasPrefix("still here") == true)
    }

    @Test("A journal can be taken and given up while threads log; none of their messages is lost, or twice")
    func exchange() throws {
        let scratch = Scratch()
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        let file = try makeLogger(scratch)
        file.overflowPolicy = .block(upTo: .seconds(60))
        dispatcher.add(file)
        let isOver = Box(false)
        onThreads(3) { thread in
            if thread == 2 {
                for round in 0..<60 {
                    dispatcher.journal = round % 2 == 0 ? .file(scratch.path + "/journal") : nil
                }
                isOver.value = true
                return
            }
            for number in 0..<20_000 { logInfo("\(thread) \(number)", to: dispatcher) }
            while !isOver.value { sched_yield() }
        }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let lines = scratch.lines(LogFileNaming(application: "t")).map { String($0.prefix { $0 != "|" }) }
        for thread in 0..<2 {
            let written = lines.filter { $0.hasPrefix("\(thread) ") }.compactMap { Int($0.dropFirst(2)) }
            let isWritten = written == Array(0..<20_000)
            #expect(isWritten, "\(written.count) of 20000 lines of thread \(thread)")
            let numbers = logger.texts.filter { $0.hasPrefix("\(thread) ") }.compactMap {
                Int($0.dropFirst(2))
            }
            let isWhole = numbers == Array(0..<20_000)
            #expect(isWhole, "\(numbers.count) of 20000 messages of thread \(thread)")
        }
        #expect(scratch.names(scratch.path + "/journal").isEmpty)
    }

    @Test(
        "A logger that does not write holds the ring only as long as the policy says; what is let go is counted"
    )
    func release() throws {
        let scratch = Scratch()
        let reports = Box<[LogDiagnostics.Report]>([])
        let isFull = Box(true)
        let calls = SystemCalls { isFull.value && $0 == .write ? .fails(ENOSPC) : nil }
        let dispatcher = makeDispatcher(scratch, reports: reports)
        dispatcher.overflowPolicy = .block(upTo: .milliseconds(50))
        let logger = try makeLogger(scratch, calls)
        logger.waitingLimit = .mebibytes(8)
        let other = RecordingLogger()
        dispatcher.add(logger)
        dispatcher.add(other)
        for number in 0..<3000 { logInfo("message \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(other.texts.count == 3000)
        #expect(dispatcher.statistics.dropped == 0)
        #expect(reports.value.contains { $0.text.contains("released") })
        isFull.value = false
        waitUntil { dispatcher.flush(timeout: .seconds(1)).isComplete && logger.isSettledForTest }
        #expect(scratch.lines(LogFileNaming(application: "t")).filter { !$0.isEmpty }.count == 3000)
    }

    @Test("A dispatcher that goes takes its journal along, when everything is written")
    func end() throws {
        let scratch = Scratch()
        do {
            let dispatcher = makeDispatcher(scratch)
            dispatcher.add(try makeLogger(scratch))
            logInfo("the last", to: dispatcher)
            #expect(scratch.names(scratch.path + "/journal").count == 1)
        }
        waitUntil { scratch.names(scratch.path + "/journal").isEmpty }
        #expect(scratch.lines(LogFileNaming(application: "t")).first?.hasPrefix("the last") == true)
    }

    @Test("A journal has mode 0600, is locked while its owner lives, and is not touched by others")
    func living() throws {
        let scratch = Scratch()
        let first = makeDispatcher(scratch)
        let second = makeDispatcher(scratch)
        #expect(scratch.names(scratch.path + "/journal").count == 2)
        for name in scratch.names(scratch.path + "/journal") {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: scratch.path + "/journal/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        withExtendedLifetime((first, second)) {}
        first.journal = nil
        second.journal = nil
        #expect(scratch.names(scratch.path + "/journal").isEmpty)
    }

    /// An intent of three lines as it comes back from a journal.
    private func noted(_ written: String, ends: [Int], isFrame: Bool = false) throws -> JournalSlot.Intent {
        let scratch = Scratch()
        let file = try JournalFile(
            in: Directory(scratch.path), ringSize: 65_536, beginning: 1 << 33, now: SystemClock().now())
        defer { file.mapping.remove() }
        let slot = try #require(file.slot(for: "key", levels: 7, from: 1 << 33))
        #expect(slot.key == "key" && slot.levels == 7 && slot.done == 1 << 33)
        #expect(slot.intent(near: 1 << 33) == nil)
        let marks: [UInt64] = [(1 << 33) + 800, 0, (1 << 33) + 1600]
        var written = written
        written.withUTF8 { bytes in
            slot.intend(
                .init(device: 3, inode: 4), "name", size: 100, UnsafeRawBufferPointer(bytes), from: 50,
                ends: ends.map { $0 + 50 }[...], marks: marks[...], isFrame: isFrame)
        }
        let intent = try #require(slot.intent(near: 1 << 33))
        #expect(intent.file == .init(device: 3, inode: 4) && intent.name == "name" && intent.size == 100)
        #expect(intent.ends == (isFrame ? ends.map { _ in written.utf8.count } : ends))
        #expect(intent.marks == marks && intent.isFrame == isFrame && intent.length == written.utf8.count)
        slot.settle(upTo: marks[2])
        #expect(slot.intent(near: 1 << 33) == nil && slot.done == marks[2])
        return intent
    }

    @Test("An intent says which records have arrived, by what is in the file, whoever has gone on with it")
    func intents() throws {
        let intent = try noted("line one\nline two,\nof two\nline 3\n", ends: [9, 26, 33])
        let (first, last) = (intent.marks[0], intent.marks[2])
        let cases: [(content: String, bytes: Int, mark: UInt64, isTorn: Bool)] = [
            ("", 0, 0, false), ("lin", 0, 0, true), ("line one", 0, 0, true), ("line one\n", 9, first, false),
            ("line one\nline two", 9, first, true), ("line one\nline two,\nof", 9, first, true),
            ("line one\nline two,\nof two\n", 26, first, false),
            ("line one\nline two,\nof two\nline 3", 26, first, true),
            ("line one\nline two,\nof two\nline 3\n", 33, last, false),
            // Nothing had arrived, or a part, and somebody else has gone on.
            ("another\n", 0, 0, false), ("another line of somebody else\nli", 0, 0, false),
            ("line one\nanother\n", 9, first, false), ("line one\nanother and longer\n1234", 9, first, false),
            ("line two\nline two,\nof two\nline 3\n", 0, 0, false),
            ("line one\nline two,\nof two\nLine 3\n", 26, first, false),
        ]
        for (content, bytes, mark, isTorn) in cases {
            let arrived = Array(content.utf8).withUnsafeBytes { intent.arrived(in: $0) }
            #expect(arrived == (bytes, mark, isTorn), "\(content)")
        }
    }

    @Test("Of records that arrive together, all or none have arrived")
    func frameIntents() throws {
        let frame = String(repeating: "h", count: 40) + "the rest"
        let intent = try noted(frame, ends: [10, 20, 30], isFrame: true)
        let other = String(repeating: "o", count: 40)
        let cases: [(content: String, bytes: Int, mark: UInt64, isTorn: Bool)] = [
            ("", 0, 0, false), ("hh", 0, 0, true), (frame, 48, intent.marks[2], false),
            (String(frame.dropLast()), 0, 0, true), (other + "his", 0, 0, false),
            (other + "the rest", 0, 0, false), (String(frame.dropLast()) + "T", 0, 0, false),
        ]
        for (content, bytes, mark, isTorn) in cases {
            let arrived = Array(content.utf8).withUnsafeBytes { intent.arrived(in: $0) }
            #expect(arrived == (bytes, mark, isTorn), "\(content)")
        }
    }
}

/// Everything that must survive, in one line.
private final class PatternOfTests: LogFormatter, @unchecked Sendable {
    override func format(_ message: LogMessage) -> String? {
        let fields = message.metadata.map { "\($0.key)=v" }.joined(separator: ",")
        return "\(message.text)|\(message.level)|\(message.category.name)|\(message.context)"
            + "|\(message.fileName).swift:\(message.line)|\(message.threadID)|\(message.timestamp.nanoseconds)"
            + "|#\(message.sequence)|\(fields)"
    }
}

extension FileLogger {
    /// Whether all lines are written, asked in its turn.
    fileprivate var isSettledForTest: Bool {
        let result = Locked(false)
        performInOrder { [self] in
            engine.retry()
            let isIdle = isSettled
            result.withLock { $0 = isIdle }
        }
        return waitUntilIdle(timeout: .testLimit) && result.withLock { $0 }
    }
}
