import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("The conformance check for loggers", .inTurn)
struct LoggerConformanceTests {
    private let scratch = Scratch()

    @Test("Our loggers pass: file, memory and recording")
    func ours() throws {
        let amount = 20_000
        try LoggerConformance.check(messages: amount, memory: .amongOtherTests) { RecordingLogger() }
        try LoggerConformance.check(
            messages: amount, memory: .amongOtherTests, texts: { $0.messages.map(\.text) }
        ) { MemoryLogger() }
        var number = 0
        try LoggerConformance.check(messages: amount, memory: .amongOtherTests) {
            number += 1
            return try FileLogger(
                directory: scratch.logs + "/\(number)",
                settings: FileSettings(naming: LogFileNaming(application: "conformance")))
        }
    }

    @Test(
        "A million messages leave no more memory in use than the limits of a file logger allow", .secondTier)
    func million() throws {
        try LoggerConformance.check(memory: .amongOtherTests) {
            try FileLogger(
                directory: scratch.logs + "/\(UUID())",
                settings: FileSettings(naming: LogFileNaming(application: "million")))
        }
    }

    private func failure<Logger: AbstractLogger>(
        _ make: () throws -> Logger, timeout: Duration = .seconds(60)
    ) -> String? {
        do {
            try LoggerConformance.check(messages: 1000, timeout: timeout, make)
            return nil
        } catch let failure as LoggerConformance.Failure {
            return failure.part
        } catch { return "\(error)" }
    }

    /// Loses every seventh message, and does not say so.
    private final class Forgetful: AbstractLogger, @unchecked Sendable {
        private var count = 0
        override func log(_ message: LogMessage) {
            count += 1
            if count % 7 != 0 { _ = formatted(message) }
        }
    }

    /// Holds every second message back until the next one has gone.
    private final class Swapping: AbstractLogger, @unchecked Sendable {
        private var held: LogMessage?
        override func log(_ message: LogMessage) {
            guard let first = held else { return held = message }
            held = nil
            _ = formatted(message)
            _ = formatted(first)
        }
        override func flush() {
            if let held { _ = formatted(held) }
            held = nil
        }
    }

    /// Writes some messages twice.
    private final class Stuttering: AbstractLogger, @unchecked Sendable {
        override func log(_ message: LogMessage) {
            _ = formatted(message)
            if message.text.hasSuffix("7") { _ = formatted(message) }
        }
    }

    /// Keeps everything forever.
    private final class Hoarder: AbstractLogger, @unchecked Sendable {
        private var kept: [[UInt8]] = []
        override func log(_ message: LogMessage) {
            _ = formatted(message)
            if message.level == .debug { kept.append([UInt8](repeating: 1, count: 4096)) }
        }
    }

    /// Gives up when texts are empty.
    private final class Fussy: AbstractLogger, @unchecked Sendable {
        override func log(_ message: LogMessage) { if !message.text.isEmpty { _ = formatted(message) } }
    }

    @Test(
        "Loggers that lose, swap or repeat messages, or leave out empty ones, fail in the part that says so"
    )
    func broken() {
        #expect(failure { Forgetful() } == "order")
        #expect(failure { Swapping() } == "order")
        #expect(failure { Stuttering() } == "order")
        #expect(failure { Fussy() } == "texts")
    }

    @Test("A logger that keeps what it was given fails in the part about memory")
    func hoards() async {
        // In a process of its own: what other tests allocate and free would hide it.
        await #expect(processExitsWith: .exitCode(7)) {
            do {
                try LoggerConformance.check(messages: 100_000) { Hoarder() }
            } catch is LoggerConformance.Failure { exit(7) }
        }
    }

    @Test("A logger that never finishes fails after the time limit")
    func stuck() {
        let gate = Gate()
        defer { gate.open() }
        final class Stuck: AbstractLogger, @unchecked Sendable {
            let gate: Gate
            init(_ gate: Gate) {
                self.gate = gate
                super.init(name: "stuck")
            }
            override func log(_ message: LogMessage) { gate.pass() }
        }
        #expect(failure({ Stuck(gate) }, timeout: .milliseconds(200)) == "flush")
    }
}
