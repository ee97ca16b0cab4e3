import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// The journal during and after a full disk, and recovery that cannot finish at once.
@Suite(.inTurn) struct JournalDiskTests {
    @Test("With a full disk, loggers that are removed leave what they could not write for the next run")
    func removedWithFullDisk() throws {
        let fixture = JournalFixture()
        do {
            let dispatcher = fixture.makeDispatcher()
            dispatcher.add(try fixture.makeLogger())
            for number in 0..<20 { logInfo("message \(number)", to: dispatcher) }
            dispatcher.removeAll()
            logInfo("to nobody", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            try fixture.die()
        }
        fixture.isFull.value = false
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == (0..<20).map { "message \($0)" })
    }

    @Test("A journal that is changed while the disk is full keeps what was not written for the next run")
    func changedWithFullDisk() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(try fixture.makeLogger())
        for number in 0..<20 { logInfo("message \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        dispatcher.journal = .file(fixture.scratch.path + "/second")
        dispatcher.flush(timeout: .testLimit)
        try fixture.die()
        #expect(fixture.scratch.names(fixture.next).count == 1)
        fixture.end(dispatcher)
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == (0..<20).map { "message \($0)" })
    }

    @Test(
        "A journal that was changed while the disk was full goes when there is room, and nothing comes twice")
    func changedThenRoom() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(try fixture.makeLogger())
        for number in 0..<20 { logInfo("message \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        dispatcher.journal = .file(fixture.scratch.path + "/second")
        #expect(!dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fixture.scratch.names(fixture.journal).count == 1)
        fixture.isFull.value = false
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fixture.scratch.names(fixture.journal).isEmpty)
        try fixture.die()
        fixture.end(dispatcher)
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == (0..<20).map { "message \($0)" })
    }

    @Test(
        "A disk that gets room while a logger is removed does not bring what was left for the next run twice")
    func roomDuringRemoval() throws {
        for failures in 0..<4 {
            let fixture = JournalFixture()
            let rest = Locked<Int?>(nil)
            let calls = SystemCalls { call in
                guard call == .write else { return nil }
                return rest.withLock { rest in
                    guard let count = rest else { return .fails(ENOSPC) }
                    rest = count - 1
                    return count > 0 ? .fails(ENOSPC) : nil
                }
            }
            let logger = try FileLogger(
                Directory(fixture.scratch.path + "/logs", calls: calls),
                settings: FileSettings(naming: JournalFixture.naming), formatter: nil, name: "file")
            logger.minimumFreeSpace = .zero
            let dispatcher = fixture.makeDispatcher()
            dispatcher.add(logger)
            for number in 0..<20 { logInfo("message \(number)", to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
            rest.withLock { $0 = failures }
            dispatcher.remove(logger, timeout: .testLimit)
            try fixture.die()
            fixture.end(dispatcher)
            #expect(try fixture.recover([fixture.makeLogger()]))
            #expect(fixture.lines() == (0..<20).map { "message \($0)" }, "\(failures)")
        }
    }

    @Test(
        "A logger that was let go while the disk was full is protected again when it has caught up")
    func protectedAgain() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.overflowPolicy = .dropNewest
        let logger = try fixture.makeLogger()
        logger.waitingLimit = .mebibytes(8)
        dispatcher.add(logger)
        let text = String(repeating: "x", count: 200)
        for number in 0..<1000 { logInfo("early \(number) \(text)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(fixture.reports.value.contains { $0.text.contains("the journal released") })
        fixture.isFull.value = false
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        // The drain sees that nothing is under way.
        logInfo("in between", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.drainNow()
        let written = fixture.lines().count
        fixture.isFull.value = true
        for number in 0..<20 { logInfo("late \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        try fixture.die()
        fixture.end(dispatcher)
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(Array(fixture.lines().dropFirst(written)) == (0..<20).map { "late \($0)" })
        // What was let go before is over and done with.
        let note = fixture.lines(withNotes: true).first { $0.contains("recovered 20") }
        #expect(note?.contains("missing") == false)
    }

    @Test("Recovery says how many messages may be missing because the journal let them go")
    func missing() throws {
        let fixture = JournalFixture()
        let logger = try fixture.makeLogger()
        logger.waitingLimit = .mebibytes(8)
        let text = String(repeating: "x", count: 200)
        var dropped = 0
        try fixture.live([logger]) { dispatcher in
            dispatcher.overflowPolicy = .dropNewest
            for number in 0..<1000 { logInfo("message \(number) \(text)", to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
            dropped = dispatcher.statistics.dropped
        }
        try fixture.recover([fixture.makeLogger()])
        let note = try #require(fixture.lines(withNotes: true).first)
        let count = try #require(
            note.split(separator: ";").last?.split(separator: " ").compactMap { Int($0) }.first)
        #expect(note.contains("up to \(count) are missing"))
        #expect(count > 0 && count + fixture.lines().count + dropped >= 1000)
    }

    @Test("A logger that was behind, was removed, and comes back counts each missing message once")
    func missingAfterReturn() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.overflowPolicy = .dropNewest
        dispatcher.add(RecordingLogger())
        let logger = try fixture.makeLogger()
        logger.waitingLimit = .mebibytes(8)
        dispatcher.add(logger)
        let text = String(repeating: "x", count: 200)
        func fill() {
            for number in 0..<1000 { logInfo("message \(number) \(text)", to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
        }
        fill()
        #expect(fixture.reports.value.contains { $0.text.contains("the journal released") })
        // It is removed while it is behind, and ends its part of the journal when the drain is not looking.
        let gate = Gate()
        logger.perform { gate.pass() }
        let removed = DispatchSemaphore(value: 0)
        Thread {
            dispatcher.remove(logger)
            removed.signal()
        }.start()
        waitUntil { !dispatcher.loggers.contains { $0 === logger } }
        fixture.isFull.value = false
        gate.open()
        removed.wait()
        dispatcher.add(logger)
        fixture.isFull.value = true
        let before = dispatcher.statistics.dropped
        let written = fixture.lines().count
        fill()
        let dropped = dispatcher.statistics.dropped - before
        try fixture.die()
        fixture.end(dispatcher)
        try fixture.recover([fixture.makeLogger()])
        let note = try #require(fixture.lines(withNotes: true).first { $0.contains("recovered ") })
        let missing = try #require(
            note.split(separator: ";").last?.split(separator: " ").compactMap { Int($0) }.first)
        let recovered = fixture.lines().count - written
        #expect(
            missing <= 1000 && missing >= 1000 - dropped - recovered,
            "\(note), \(dropped) dropped, \(recovered) recovered")
    }

    @Test("What a logger had written before the journal was released does not count as missing for it")
    func writtenIsNotMissing() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.overflowPolicy = .dropNewest
        dispatcher.add(RecordingLogger())
        // This one writes nothing, so all stays in the ring; the other one has written the first messages.
        let full = try fixture.makeLogger("a")
        let isFull = Box(false)
        let calls = SystemCalls { isFull.value && $0 == .write ? .fails(ENOSPC) : nil }
        let half = try FileLogger(
            Directory(fixture.scratch.path + "/b", calls: calls),
            settings: FileSettings(naming: JournalFixture.naming), formatter: nil, name: "file")
        half.minimumFreeSpace = .zero
        for logger in [full, half] {
            logger.waitingLimit = .mebibytes(8)
            dispatcher.add(logger)
        }
        let text = String(repeating: "x", count: 200)
        for number in 0..<50 { logInfo("early \(number) \(text)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(fixture.lines("b").count == 50)
        isFull.value = true
        for number in 0..<1000 { logInfo("late \(number) \(text)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        let accepted = 1000 - dispatcher.statistics.dropped
        try fixture.die()
        fixture.end(dispatcher)
        #expect(try fixture.recover([fixture.makeLogger("a"), fixture.makeLogger("b")]))
        let note = try #require(fixture.lines("b", withNotes: true).first { $0.contains("recovered ") })
        let missing = try #require(
            note.split(separator: ";").last?.split(separator: " ").compactMap { Int($0) }.first)
        let recovered = fixture.lines("b").count - 50
        #expect(note.contains("up to \(missing) are missing") && missing > 0)
        #expect(missing + recovered == accepted, "\(note)")
    }

    @Test("The file of a large message stays while the message before it is written, and it is not")
    func largeFileStays() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        let allowed = Locked<[SystemCalls.Fault?]>([])
        let isLimited = Box(false)
        let calls = SystemCalls { call in
            guard isLimited.value, call == .write else { return nil }
            return allowed.withLock { $0.isEmpty ? .fails(ENOSPC) : $0.removeFirst() }
        }
        let logger = try FileLogger(
            Directory(fixture.scratch.path + "/logs", calls: calls),
            settings: FileSettings(naming: JournalFixture.naming), formatter: nil, name: "file")
        logger.minimumFreeSpace = .zero
        dispatcher.add(logger)
        logInfo("first", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        // Both are written at once, and the disk takes the line of the first of them alone.
        let gate = Gate()
        logger.perform { gate.pass() }
        let text = String(repeating: "long ", count: 10_000)
        logInfo("before", to: dispatcher)
        logInfo("\(text)", to: dispatcher)
        dispatcher.drainNow()
        allowed.withLock { $0 = [.short("before\n".utf8.count)] }
        isLimited.value = true
        gate.open()
        #expect(!dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fixture.lines() == ["first", "before"])
        dispatcher.drainNow()
        #expect(fixture.scratch.names(fixture.journal).count { $0.hasSuffix(".large") } == 1)
        try fixture.die()
        fixture.end(dispatcher)
        isLimited.value = false
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == ["first", "before", text])
    }

    @Test("Files of large messages are removed when every logger has written the message")
    func largeFilesGo() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(try fixture.makeLogger())
        let text = String(repeating: "long ", count: 10_000)
        for number in 0..<3 { logInfo("\(number) \(text)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(fixture.scratch.names(fixture.journal).count { $0.hasSuffix(".large") } == 3)
        fixture.isFull.value = false
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        logInfo("the next", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.drainNow()
        #expect(fixture.scratch.names(fixture.journal).count { $0.hasSuffix(".large") } == 0)
        fixture.end(dispatcher)
    }

    @Test(
        "Recovery onto a full disk brings everything once when there is room; a flush names the logger until then"
    )
    func recoveryOntoFullDisk() throws {
        let fixture = JournalFixture()
        let logger = try fixture.makeLogger()
        logger.waitingLimit = .mebibytes(8)
        try fixture.live([logger], isHandled: false) { dispatcher in
            for number in 0..<150 { logInfo("message \(number)", to: dispatcher) }
            for _ in 0..<3 { logInfo("the same", to: dispatcher) }
        }
        fixture.isFull.value = true
        let next = try fixture.makeLogger()
        next.duplicateSuppression = DuplicateSuppression()
        let isComplete = try fixture.recover([next]) { dispatcher in
            for _ in 0..<4 {
                let result = dispatcher.flush(timeout: .testLimit)
                #expect(result.unfinished == ["file"] && result.holding == ["file"])
            }
            fixture.isFull.value = false
        }
        #expect(isComplete)
        let expected = (0..<150).map { "message \($0)" } + ["the same", "last message repeated 2 times"]
        #expect(fixture.lines() == expected)
        #expect(next.statistics.isBalanced && next.statistics.filtered == 2)
        #expect(fixture.scratch.names(fixture.next).isEmpty)
    }

    @Test("A backup by hard links keeps nothing from being recovered")
    func hardLinks() async throws {
        let fixture = JournalFixture()
        let path = fixture.scratch.path
        let large = String(repeating: "long ", count: 20_000)
        // One line is written, the others are not, and the process dies in the middle of a write.
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, large = large as String] in
            let isLast = Locked(false)
            let calls = SystemCalls { call in
                if call == .write, isLast.withLock({ $0 }) { kill(getpid(), SIGKILL) }
                return nil
            }
            let dispatcher = LogDispatcher(ringCapacity: .kibibytes(64), journal: .file(path + "/next"))
            let logger = try FileLogger(
                Directory(path + "/logs", calls: calls),
                settings: FileSettings(naming: JournalFixture.naming), formatter: nil, name: "file")
            logger.maximumMessageSize = nil
            dispatcher.add(logger)
            logInfo("first", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            let gate = Gate()
            logger.perform { gate.pass() }
            logInfo("second", to: dispatcher)
            logInfo("\(large)", to: dispatcher)
            isLast.withLock { $0 = true }
            gate.open()
            dispatcher.flush(timeout: .testLimit)
        }
        for folder in ["logs", "next"] {
            mkdir(path + "/backup-" + folder, 0o700)
            for name in fixture.scratch.names(path + "/" + folder) {
                #expect(link(path + "/" + folder + "/" + name, path + "/backup-" + folder + "/" + name) == 0)
            }
        }
        fixture.isFull.value = false
        let logger = try fixture.makeLogger()
        logger.maximumMessageSize = nil
        #expect(try fixture.recover([logger]))
        #expect(fixture.lines() == ["first", "second", large])
        #expect(fixture.scratch.names(fixture.next).isEmpty)
        #expect(!fixture.reports.value.contains { $0.text.contains("cannot recover") })
    }
}
