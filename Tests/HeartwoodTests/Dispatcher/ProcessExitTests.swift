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

    @Test("The process may end inside of a logger")
    func insideALogger() async {
        await #expect(processExitsWith: .exitCode(4)) {
            final class Quitting: AbstractLogger, @unchecked Sendable {
                override func log(_ message: LogMessage) { Foundation.exit(4) }
            }
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(Quitting())
            dispatcher.add(RecordingLogger())
            logInfo("x", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
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
