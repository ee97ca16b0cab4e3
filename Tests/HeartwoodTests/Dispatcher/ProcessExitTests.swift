import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Writes each message to a file of its own way, a moment late, as a logger of the user's might.
private final class AppendingLogger: AbstractLogger, @unchecked Sendable {
    private let path: String
    private var pending = Data()

    init(path: String) {
        self.path = path
        super.init(name: "appending")
    }
    override func log(_ message: LogMessage) { pending.append(Data((message.text + "\n").utf8)) }
    override func flush() {
        if let handle = FileHandle(forWritingAtPath: path) {
            handle.seekToEndOfFile()
            handle.write(pending)
            pending = Data()
        }
    }
}

/// Opened when the process is ending.
private let gate = Gate()

/// Writes nothing before `gate` is open.
private final class Held: LogFormatter, @unchecked Sendable {
    override func format(_ message: LogMessage) -> String? {
        gate.pass()
        return message.text
    }
}

/// Ends the process in one of its hooks.
private final class Quitter: AbstractLogger, @unchecked Sendable {
    let place: ProcessExitTests.Place
    init(_ place: ProcessExitTests.Place) {
        self.place = place
        super.init(name: "Quitter")
    }
    override func didAdd() { if place == .didAdd { Foundation.exit(5) } }
    override func log(_ message: LogMessage) {
        if place == .handlerInHook { return reportFailure("quit") }
        if place == .formatter { _ = formatted(message) }
        if place == .log { Foundation.exit(5) }
    }
    override func flush() {
        if place == .flushAtExit { gate.open() }
        if place == .flush || place == .flushAtExit { Foundation.exit(5) }
    }
}

private final class QuittingFormatter: LogFormatter, @unchecked Sendable {
    override func format(_ message: LogMessage) -> String? { Foundation.exit(5) }
}

private final class QuittingTag: Sendable {
    deinit { Foundation.exit(5) }
}

/// Calls `exit` at a place that a logger, or the dispatcher, calls; does not return.
private func quit(at place: ProcessExitTests.Place, _ dispatcher: LogDispatcher, _ file: FileLogger) {
    let quitter = Quitter(place)
    quitter.levels = [.notice]
    switch place {
    case .formatter: quitter.formatter = QuittingFormatter()
    case .filter: quitter.filter = LogFilter { _ -> Bool in Foundation.exit(5) }
    case .handlerInHook, .handlerOfCaller:
        dispatcher.diagnostics.handler = { _ in Foundation.exit(5) }
    default: break
    }
    dispatcher.add(quitter)
    switch place {
    case .flush: dispatcher.flush(timeout: .testLimit)
    case .flushAtExit: Foundation.exit(5)
    case .orderedChange: quitter.performInOrder { Foundation.exit(5) }
    case .handlerOfCaller: dispatcher.add(file)
    case .endOfTag: logNotice("end", tag: QuittingTag(), to: dispatcher)
    default: logNotice("end", to: dispatcher)
    }
    while true { pause() }
}

/// What a handler does that runs after the library's.
private let lateWork = Locked<(@Sendable () -> Void)?>(nil)

/// Logs 100 messages, and ends the process with 0 if all lines are in the file.
private func logLate(
    _ late: ProcessExitTests.LateCall, _ dispatcher: LogDispatcher, _ file: FileLogger, _ path: String
) {
    var dispatcher = dispatcher
    switch late {
    case .toNewDispatcher:
        dispatcher.removeAll()
        dispatcher = LogDispatcher()
        guard let other = try? FileLogger(directory: path, formatter: nil) else { _exit(8) }
        dispatcher.add(other)
    case .afterSetting: dispatcher.synchronousLevels = []
    default: break
    }
    let work = { @Sendable [dispatcher] in
        for index in 0..<100 {
            switch late {
            case .asynchronous: logInfo("late \(index)", asynchronous: true, to: dispatcher)
            case .tagged: logInfo("late \(index)", tag: index, to: dispatcher)
            default: logInfo("late \(index)", to: dispatcher)
            }
        }
    }
    if late == .ofAnotherThread {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            work()
            isDone.signal()
        }
        isDone.wait()
    } else {
        work()
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let text = names.filter { $0.hasSuffix("log") }.map {
        (try? String(contentsOfFile: path + "/" + $0, encoding: .utf8)) ?? ""
    }.joined()
    _exit(text == "first\n" + (0..<100).map { "late \($0)\n" }.joined() ? 0 : 9)
}

@Suite("The end of the process", .inTurn)
struct ProcessExitTests {
    private static func emptyFile() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("heartwood-\(UUID()).log")
            .path
        try Data().write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("What was logged is written when the process ends by exit, without a flush of its own")
    func exit() async throws {
        let path = try ProcessExitTests.emptyFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let dispatcher = LogDispatcher()
            dispatcher.add(AppendingLogger(path: path))
            for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
            Foundation.exit(7)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == (0..<1000).map { "\($0)\n" }.joined())
    }

    @Test("A stuck logger does not keep the process from ending")
    func stuck() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            let logger = StuckLogger()
            dispatcher.add(logger)
            logInfo("x", to: dispatcher)
            logger.waitUntilStuck()
            Foundation.exit(3)
        }
    }

    @Test("Stuck loggers of many dispatchers hold the process up no longer than one does")
    func manyStuck() {
        let dispatchers = (0..<60).map { _ in LogDispatcher.forTest() }
        let loggers = dispatchers.map { dispatcher in
            let logger = StuckLogger()
            dispatcher.add(logger)
            logInfo("x", to: dispatcher)
            logger.waitUntilStuck()
            return logger
        }
        // What `exit` does. One after the other would take a minute; how long this process was started does not count.
        let start = ContinuousClock.now
        ProcessExit.flush(dispatchers, within: .seconds(1))
        let took = ContinuousClock.now - start
        #expect(took >= .seconds(1))
        #expect(took < .seconds(40))
        for dispatcher in dispatchers { #expect(dispatcher.diagnostics.totals[.timedOut] == 1) }
        for logger in loggers { logger.release() }
    }

    // MARK: - Inside of a hook

    /// Where a program calls `exit`.
    enum Place: String, CaseIterable, Codable, Sendable {
        case log, formatter, filter, flush, flushAtExit, didAdd, orderedChange
        case handlerInHook, handlerOfCaller, endOfTag

        /// All, but for `endOfTag` under a sanitizer: that for threads reports each thread that ends in a `deinit`.
        static var tested: [Place] { allCases.filter { $0 != .endOfTag || !Load.isSanitized } }

        /// Whether a hook of the logger is in progress; nil where that depends on who frees the tag.
        var isInHook: Bool? { self == .endOfTag ? nil : self != .handlerOfCaller }
    }

    @Test(
        "Inside of a hook or a handler, exit flushes all loggers but the one whose hook it is (promise 3)",
        arguments: Place.tested)
    func insideOfAHook(_ place: Place) async throws {
        let path = NSTemporaryDirectory() + "heartwood-exit-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = await #expect(processExitsWith: .exitCode(5), observing: [\.standardErrorContent]) {
            [path = path as String, place = place as Place] in
            alarm(60)
            let dispatcher = LogDispatcher()
            let file = try FileLogger(directory: path, formatter: Held())
            dispatcher.add(file, levels: [.info])
            // Runs before the library's: no line is written before `exit` is called.
            if place != .flushAtExit { atexit { gate.open() } }
            for index in 0..<1000 { logInfo("\(index)", to: dispatcher) }
            dispatcher.drainNow()
            quit(at: place, dispatcher, file)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let name = try #require(names.first { $0.hasSuffix("log") })
        let text = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
        #expect(text == (0..<1000).map { "\($0)\n" }.joined())
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        if let isInHook = place.isInHook {
            #expect(errors.contains("the process ended before Quitter wrote all messages") == isInHook)
        }
    }

    // MARK: - After the flush

    /// Who logs after the library's flush, and how.
    enum LateCall: String, CaseIterable, Codable, Sendable {
        case ordinary, asynchronous, tagged, afterSetting, ofAnotherThread, toNewDispatcher, afterExitInHook
    }

    @Test(
        "A handler that runs after the flush at exit logs synchronously: each line is written when the call returns",
        arguments: LateCall.allCases)
    func afterTheFlush(_ late: LateCall) async throws {
        let path = NSTemporaryDirectory() + "heartwood-exit-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(processExitsWith: .exitCode(0)) {
            [path = path as String, late = late as LateCall] in
            alarm(60)
            // Before the library's own handler, and so run after it.
            atexit { lateWork.withLock { $0 }?() }
            let dispatcher = LogDispatcher()
            let file = try FileLogger(directory: path, formatter: nil)
            dispatcher.add(file, levels: [.info])
            logInfo("first", to: dispatcher)
            lateWork.withLock { work in
                work = { logLate(late, dispatcher, file, path) }
            }
            if late == .afterExitInHook {
                quit(at: .log, dispatcher, file)
            } else {
                Foundation.exit(5)
            }
        }
    }

    @Test("Threads that go on logging do not keep the process from ending")
    func othersGoOn() async throws {
        let path = NSTemporaryDirectory() + "heartwood-exit-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(processExitsWith: .exitCode(6)) { [path = path as String] in
            alarm(60)
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(try FileLogger(directory: path, formatter: nil))
            dispatcher.add(CallbackLogger { _ in })
            let started = DispatchSemaphore(value: 0)
            for number in 0..<4 {
                Thread.detachNewThread {
                    started.signal()
                    for index in 0... { logInfo("\(number) \(index)", to: dispatcher) }
                }
            }
            for _ in 0..<4 { started.wait() }
            Foundation.exit(6)
        }
    }

    @Test("A failed logAssert is logged before the program stops")
    func assertion() async throws {
        let path = try ProcessExitTests.emptyFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(processExitsWith: .failure) { [path = path as String] in
            final class Immediate: AbstractLogger, @unchecked Sendable {
                let path: String
                init(path: String) {
                    self.path = path
                    super.init(name: "immediate")
                }
                override func log(_ message: LogMessage) {
                    try? message.text.write(toFile: path, atomically: false, encoding: .utf8)
                }
            }
            let dispatcher = LogDispatcher()
            dispatcher.add(Immediate(path: path))
            logAssert(1 + 1 == 3, "arithmetic is \(42)", to: dispatcher)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "arithmetic is 42")
    }
}
