import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// File systems without locks or modes, places that take no new file, and programs that close descriptors.
@Suite(.inTurn) struct FileHostTests {
    private let scratch = Scratch()
    private let clock = ManualClock()
    private let naming = LogFileNaming(application: "t")
    private let refused = Locked<[SystemCall: Int32]>([:])
    private let reports = Locked<[String]>([])

    private func makeLogger(naming: LogFileNaming? = nil) throws -> FileLogger {
        let calls = SystemCalls { [refused] call in
            refused.withLock { $0[call] }.map { .fails($0) }
        }
        let logger = try FileLogger(
            Directory(scratch.logs, calls: calls), settings: FileSettings(naming: naming ?? self.naming),
            formatter: nil, clock: clock)
        logger.minimumFreeSpace = .zero
        return logger
    }

    private func makeDispatcher(_ logger: FileLogger) -> LogDispatcher {
        let dispatcher = LogDispatcher.forTest(clock: clock)
        dispatcher.diagnostics.handler = { [reports] report in reports.withLock { $0.append(report.text) } }
        dispatcher.add(logger)
        return dispatcher
    }

    private var lines: [String] {
        scratch.names().map { scratch.text($0) }.joined().split(separator: "\n").map(String.init)
    }

    @Test(
        "Without locks of the file system lines are written, and that is said once (promise 7)",
        arguments: [ENOLCK, ENOSYS, EOPNOTSUPP])
    func noLocks(number: Int32) async throws {
        refused.withLock { $0[.lock] = number }
        let logger = try makeLogger()
        let dispatcher = makeDispatcher(logger)
        for number in 0..<100 { logInfo("\(number)", to: dispatcher) }
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(await logger.rollNow())
        logInfo("100", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        #expect(lines == (0...100).map(String.init) && scratch.names().count == 2)
        #expect(logger.statistics.delivered == 101 && logger.statistics.isBalanced)
        #expect(reports.withLock { $0.filter { $0.contains("has no locks") }.count } == 1)
        await dispatcher.remove(logger)
    }

    @Test(
        "Files of all need locks: without, a configuration is refused, and each process has a file of its own"
    )
    func noLocksForShared() async throws {
        refused.withLock { $0[.lock] = ENOLCK }
        let logger = try makeLogger()
        let error = #expect(throws: LogError.self) { try logger.check(isShared: true, isEncrypted: false) }
        #expect(error?.code == .setting && error?.message.contains("locks") == true)
        logger.isShared = true
        let dispatcher = makeDispatcher(logger)
        logInfo("one", to: dispatcher)
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(lines == ["one"] && scratch.names().first?.contains("@pid") == true)
        #expect(reports.withLock { $0.contains { $0.contains("though `isShared` is set") } })
        await dispatcher.remove(logger)
        refused.withLock { $0 = [:] }
        try makeLogger().check(isShared: true, isEncrypted: true)
        #expect(scratch.names(hidden: true).allSatisfy { !$0.hasSuffix(".new") })
    }

    @Test("A lock that is refused after others were taken is not taken for a file system without locks")
    func lostLocks() throws {
        let directory = try Directory(
            scratch.logs,
            calls: SystemCalls { [refused] call in refused.withLock { $0[call] }.map { .fails($0) } })
        let first = try directory.create("a", mode: 0o600)
        #expect(try directory.tryLock(first))
        refused.withLock { $0[.lock] = ENOLCK }
        let second = try directory.create("b", mode: 0o600)
        #expect(throws: SystemFailure.self) { try directory.tryLock(second) }
        #expect(directory.missing.isEmpty)
    }

    @Test(
        "Without modes of the file system files are as it makes them, which is said once; secret ones are refused"
    )
    func noModes() async throws {
        refused.withLock { $0[.changeMode] = EPERM }
        let logger = try makeLogger()
        logger.fileMode = 0o640
        let dispatcher = makeDispatcher(logger)
        for number in 0..<3 { logInfo("\(number)", to: dispatcher) }
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(lines == ["0", "1", "2"] && logger.statistics.delivered == 3)
        #expect(reports.withLock { $0.filter { $0.contains("has no permissions") }.count } == 1)
        #expect(throws: SystemFailure(.changeMode, EPERM)) {
            try logger.directory.create("secret", mode: 0o640, isSecret: true)
        }
        #expect(!scratch.names().contains("secret"))
        await dispatcher.remove(logger)
    }

    enum Leaving: CaseIterable { case time, call, signal, rename, size, naming }

    @Test(
        "A file is left only when another can be created, is continued until then, and that is said once",
        arguments: Leaving.allCases)
    func leaving(way: Leaving) async throws {
        let logger = try makeLogger()
        logger.rollingInterval = way == .time ? .seconds(60) : .zero
        logger.maximumFileSize = way == .size ? .bytes(4) : .zero
        let dispatcher = makeDispatcher(logger)
        logInfo("one", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        let name = try #require(scratch.names().first)
        refused.withLock { $0[.open] = EACCES }
        switch way {
        case .time:
            clock.advance(by: .seconds(61))
            await dispatcher.flush(timeout: .testLimit)
        case .call: #expect(await !logger.rollNow())
        case .signal: logger.reopen()
        case .rename:
            rename(scratch.logs + "/" + name, scratch.logs + "/moved.txt")
            logger.reopen()
        case .size: break
        case .naming: logger.naming = LogFileNaming(application: "other")
        }
        logInfo("two", to: dispatcher)
        logInfo("three", to: dispatcher)
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(scratch.names().count == 1 && lines == ["one", "two", "three"])
        #expect(logger.statistics.delivered == 3)
        #expect(
            reports.withLock { $0.filter { $0.contains("is continued") }.count } == (way == .signal ? 0 : 1))
        refused.withLock { $0 = [:] }
        clock.advance(by: .seconds(6))
        logInfo("four", to: dispatcher)
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        // A call asks once, and one whose file is in its place has nothing to leave.
        #expect(scratch.names().count == ([.call, .signal].contains(way) ? 1 : 2))
        #expect(Set(lines) == ["one", "two", "three", "four"])
        await dispatcher.remove(logger)
    }

    @Test(
        "The program's files that have the numbers of closed ones are neither written, locked nor closed (promise 12)",
        arguments: [false, true])
    func closed(isShared: Bool) async {
        // In a process of its own: a program that another test is just starting would keep the locks that are closed.
        await #expect(processExitsWith: .success) { [isShared] in
            try await FileHostTests().writeAfterClosing(isShared: isShared)
        }
    }

    private func writeAfterClosing(isShared: Bool) async throws {
        let logger = try makeLogger()
        logger.isShared = isShared
        let dispatcher = makeDispatcher(logger)
        logInfo("one", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        let taken = TakenNumbers(of: scratch.logs, data: scratch.path)
        #expect(taken.numbers.count >= 2)
        for number in taken.numbers { #expect(flock(number, LOCK_EX | LOCK_NB) == 0) }
        clock.advance(by: .milliseconds(6))
        for text in ["two", "three"] {
            logInfo("\(text)", to: dispatcher)
            await dispatcher.flush(timeout: .testLimit)
        }
        #expect(await logger.rollNow())
        logInfo("four", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        #expect(lines == ["one", "two", "three", "four"] && scratch.names().count == 2)
        #expect(logger.statistics.delivered == 4)
        await dispatcher.remove(logger)
        #expect(taken.isUntouched)
    }

    @Test(
        "The journal survives that the program closes its file: nothing is lost, and nothing of the program's is touched"
    )
    func closedJournal() async {
        await #expect(processExitsWith: .success) { try await FileHostTests().writeAfterClosingJournal() }
    }

    private func writeAfterClosingJournal() async throws {
        let logger = try makeLogger()
        let dispatcher = makeDispatcher(logger)
        dispatcher.journal = .file(scratch.path + "/journal")
        logInfo("one", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        let taken = TakenNumbers(of: scratch.path + "/journal", data: scratch.path)
        #expect(!taken.numbers.isEmpty)
        for number in 0..<50 {
            clock.advance(by: .milliseconds(20))
            logInfo("\(number)", to: dispatcher)
            await dispatcher.flush(timeout: .testLimit)
        }
        #expect(lines == ["one"] + (0..<50).map(String.init))
        #expect(!reports.withLock { $0.contains { $0.contains("journal") } })
        dispatcher.journal = nil
        await dispatcher.flush(timeout: .testLimit)
        await dispatcher.remove(logger)
        #expect(taken.isUntouched)
    }
}
