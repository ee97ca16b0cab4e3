import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Errors that a call gives", .inTurn)
struct ErrorFieldTests {
    private enum Payment: Error {
        case declined(attempts: Int)
        case unreachable(host: String, cause: any Error)
    }
    private struct Explained: LocalizedError {
        let errorDescription: String? = "The card was declined."
    }
    private struct Several: Error { let causes: [any Error] }

    private let dispatcher = LogDispatcher.forTest()
    private let recorder = RecordingLogger()

    init() { dispatcher.add(recorder) }

    private func message() throws -> LogMessage {
        dispatcher.flush(timeout: .testLimit)
        return try #require(recorder.messages.last)
    }

    @Test("An error becomes a field with its type and message, in front of the call's own fields")
    func parts() throws {
        logError(
            "payment failed", error: Payment.declined(attempts: 3), metadata: ["order": 17], to: dispatcher)
        let message = try message()
        #expect(message.text == "payment failed")
        #expect(message.metadata.map(\.key) == ["error", "order"])
        let expected: LogValue = [
            "type": "HeartwoodTests.ErrorFieldTests.Payment", "message": "declined(attempts: 3)",
        ]
        #expect(message.metadata["error"] == expected)
    }

    @Test("The description that an error has for people is its message")
    func localized() throws {
        logWarning("x", error: Explained(), to: dispatcher)
        #expect(try message().error?.message == "The card was declined.")
    }

    @Test("Errors inside of an error are its causes, in associated values, lists and NSErrors alike")
    func causes() throws {
        let inner = NSError(
            domain: "Net", code: -1001,
            userInfo: [NSLocalizedDescriptionKey: "timed out", NSUnderlyingErrorKey: Explained()])
        let outer = Several(causes: [Payment.unreachable(host: "a", cause: inner), Explained()])
        logError("x", error: outer, to: dispatcher)
        let error = try #require(try message().error)
        #expect(error.underlying.count == 2)
        let middle = try #require(error.underlying.first)
        #expect(middle.type.hasSuffix("Payment") && middle.underlying.count == 1)
        let net = try #require(middle.underlying.first)
        #expect(net.domain == "Net" && net.code == -1001 && net.message == "timed out")
        #expect(net.underlying.map(\.message) == ["The card was declined."])
        #expect(error.causes?.split(separator: "\n").count == 5)
    }

    @Test("A chain of causes without end is cut, and an optional error that is nil adds nothing")
    func limits() throws {
        final class Endless: Error, @unchecked Sendable { var cause: (any Error)? }
        let endless = Endless()
        endless.cause = endless
        logError("x", error: endless, to: dispatcher)
        var depth = 0
        var error = try message().error
        while let cause = error?.underlying.first { (error, depth) = (cause, depth + 1) }
        #expect(depth == 8)
        endless.cause = nil
        logError("x", error: nil as (any Error)?, to: dispatcher)
        #expect(try message().metadata.isEmpty)
    }

    @Test("A field of the call that is called error is kept beside the error")
    func collision() throws {
        logError("x", error: Explained(), metadata: ["error": "mine"], to: dispatcher)
        let message = try message()
        #expect(message.error?.message == "The card was declined.")
        #expect(message.metadata["_error"] == "mine")
    }

    @Test("An error is evaluated at most once, and only if a logger wants the message")
    func evaluation() {
        let counter = Counter()
        func failure() -> any Error {
            _ = counter.increase()
            return Explained()
        }
        recorder.levels = .error
        dispatcher.flush(timeout: .testLimit)
        logInfo("no", error: failure(), to: dispatcher)
        #expect(counter.value == 0)
        logError("yes", error: failure(), to: dispatcher)
        let text = "yes"
        logError(text, error: failure(), metadata: ["a": text], to: dispatcher)
        log("yes", level: .error, error: failure(), to: dispatcher)
        log(text, level: .error, error: failure(), to: dispatcher, file: "A/B.swift", function: "f", line: 1)
        #expect(counter.value == 4)
    }

    @Test("Each format writes an error under its own names")
    func formats() throws {
        let inner = NSError(domain: "Net", code: -1001, userInfo: [NSLocalizedDescriptionKey: "timed out"])
        logError("x", error: Payment.unreachable(host: "a", cause: inner), metadata: ["n": 1], to: dispatcher)
        logError("y", error: inner, to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let (nested, plain) = (recorder.messages[0], recorder.messages[1])
        func text(_ formatter: LogFormatter, _ message: LogMessage) throws -> String {
            try #require(formatter.format(message))
        }
        func object(_ options: JSONLinesFormatter.Options, _ message: LogMessage) throws -> [String: Any] {
            let text = try text(JSONLinesFormatter(options), message)
            return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }
        let line = try text(LineFormatter(), nested)
        #expect(
            line.contains("(HeartwoodTests.ErrorFieldTests.Payment), caused by timed out (Net -1001) n=1}"))
        let json = try object(.init(), plain)
        let error = try #require(json["error"] as? [String: Any])
        #expect(error["domain"] as? String == "Net" && error["code"] as? Int == -1001)
        let ecs = try object(.ecs(), nested)
        #expect(ecs["error.type"] as? String == "HeartwoodTests.ErrorFieldTests.Payment")
        let trace = try #require(ecs["error.stack_trace"] as? String)
        #expect(trace.contains("\nCaused by: ") && trace.hasSuffix(": timed out"))
        #expect((ecs["labels"] as? [String: Any])?.keys.sorted() == ["n"])
        #expect(try object(.ecs(), plain)["error.code"] as? String == "-1001")
        let gelf = try object(.gelf(), plain)
        #expect(gelf["_error.message"] as? String == "timed out" && gelf["_error.code"] as? Int == -1001)
        #expect(try text(LogfmtFormatter(), plain).contains(#"error.message="timed out" error.domain=Net"#))
        #expect(try text(SyslogFormatter(), plain).contains(#"error.code="-1001""#))
    }
}

@Suite("Plain variables as fields", .inTurn)
struct MetadataLiteralTests {
    private struct Money: LogValueConvertible {
        let cents: Int
        var logValue: LogValue { ["cents": .integer(Int64(cents))] }
    }

    @Test("Variables keep their types, beside literals, values and types of the program")
    func types() throws {
        let dispatcher = LogDispatcher.forTest()
        let recorder = RecordingLogger()
        dispatcher.add(recorder)
        let (name, count, ratio, none, list) = ("ann", 3, 0.5, nil as String?, ["a", "b"])
        let id = UUID()
        logInfo(
            "x",
            metadata: [
                "name": name, "count": count, "ratio": ratio, "none": none, "list": list, "id": id,
                "money": Money(cents: 5), "literal": 1, "text": .string(name), "interpolated": "\(count)",
                "wide": UInt64.max, "table": ["k": count], "null": nil, "optional": count as Int?,
                "object": .object(["z": name, "a": count]), "mixed": .array([1, "x"]),
            ], to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let expected: LogMetadata = [
            "name": "ann", "count": 3, "ratio": 0.5, "none": nil, "list": ["a", "b"], "id": .uuid(id),
            "money": ["cents": 5], "literal": 1, "text": "ann", "interpolated": "3", "wide": .unsigned(.max),
            "table": ["k": 3], "null": .null, "optional": .integer(3),
            "object": .object(LogMetadata([("z", "ann"), ("a", 3)])), "mixed": .array([.integer(1), "x"]),
        ]
        #expect(recorder.messages.first?.metadata == expected)
        #expect(["name": name, "count": count] as LogMetadata == ["name": "ann", "count": 3])
        withLogContext(["request": name]) { logInfo(name, metadata: ["a": name], to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(recorder.messages.last?.metadata == ["a": "ann", "request": "ann"])
        #expect(recorder.messages.last?.text == "ann")
    }
}
