import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// The conformance check, for the loggers of the core that write to the system.
@Suite("Our console and system loggers pass the conformance check", .inTurn)
struct ConformanceOfLoggersTests {
    private static let amount = 20_000
    private let scratch = Scratch()

    @Test(
        "Consoles, one stream or two",
        arguments: [ConsoleLogger.Stream.standardOutput, .standardError, .split(errors: .error)])
    func console(stream: ConsoleLogger.Stream) async {
        let number = [.standardOutput, .standardError].firstIndex(of: stream) ?? 2
        await #expect(processExitsWith: .success) { [number = number as Int, amount = Self.amount as Int] in
            // What it writes goes to a file, for the output of tests is no place for it.
            let path = NSTemporaryDirectory() + "conformance-\(UUID().uuidString)"
            let file = open(path, O_RDWR | O_CREAT, 0o600)
            dup2(file, STDOUT_FILENO)
            dup2(file, STDERR_FILENO)
            let streams: [ConsoleLogger.Stream] = [.standardOutput, .standardError, .split(errors: .error)]
            try LoggerConformance.check(messages: amount, memory: .amongOtherTests) {
                ConsoleLogger(streams[number])
            }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            unlink(path)
            // All of the part about the amount is in it, each once.
            let numbers = text.matches(of: /message (\d+)\n/).compactMap { Int($0.1) }
            if numbers != Array(0..<amount) { exit(3) }
        }
    }

    #if os(Linux)
    @Test("The system's logger, with a syslog daemon over UDP and at a local socket")
    func syslog() throws {
        let receiver = try SocketReceiver(.udp)
        // Nothing reads: what the kernel has accepted counts as delivered.
        try LoggerConformance.check(messages: Self.amount, memory: .amongOtherTests) {
            SystemLogger(.udp(host: "127.0.0.1", port: receiver.port))
        }
        let local = try SocketReceiver(.localDatagram, path: scratch.path + "/log")
        let reading = DrainedSocket(local)
        try LoggerConformance.check(messages: Self.amount, memory: .amongOtherTests) {
            let logger = SystemLogger(.local(socket: local.path))
            logger.sendTimeout = .seconds(30)
            return logger
        }
        reading.stop()
    }

    @Test("The system's own log, where it has one")
    func system() throws {
        let sockets = SystemSockets()
        guard [sockets.journal, sockets.syslog].contains(where: FileManager.default.fileExists) else {
            return print("skipped: there is neither journald nor /dev/log here")
        }
        try LoggerConformance.check(messages: 2000, memory: .amongOtherTests) { SystemLogger() }
    }
    #endif
}

#if os(Linux)
/// Reads a datagram socket until it is stopped, as a daemon does.
private final class DrainedSocket: Sendable {
    private let isDone = Locked(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ receiver: SocketReceiver) {
        nonisolated(unsafe) let receiver = receiver
        Thread.detachNewThread { [isDone, ended] in
            while !isDone.withLock({ $0 }) { _ = receiver.datagram(within: 1) }
            ended.signal()
        }
    }

    func stop() {
        isDone.withLock { $0 = true }
        ended.wait()
    }
}
#endif
