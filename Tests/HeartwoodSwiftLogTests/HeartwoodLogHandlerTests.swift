#if SwiftLog
import Foundation
import Logging
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodSwiftLog

@Suite("The handler for swift-log", .inTurn)
struct HeartwoodLogHandlerTests {
    private final class Recorder: AbstractLogger, @unchecked Sendable {
        let messages = Locked<[LogMessage]>([])
        override func log(_ message: LogMessage) { messages.withLock { $0.append(message) } }
    }

    private let dispatcher = LogDispatcher()
    private let recorder = Recorder(name: "recorder")

    init() {
        dispatcher.synchronousLevels = .off
        dispatcher.add(recorder)
    }

    private func logger(
        _ label: String = "swiftlog.test", level: Logger.Level = .trace,
        provider: Logger.MetadataProvider? = nil
    ) -> Logger {
        Logger(label: label) { [dispatcher] label in
            HeartwoodLogHandler(
                label: label, logLevel: level, metadataProvider: provider, dispatcher: dispatcher)
        }
    }

    private var messages: [LogMessage] {
        dispatcher.flush(timeout: .testLimit)
        return recorder.messages.withLock { $0 }
    }

    @Test("Each level has its counterpart")
    func levels() {
        let logger = logger()
        for level in Logger.Level.allCases { logger.log(level: level, "\(level)") }
        #expect(messages.map(\.text) == ["trace", "debug", "info", "notice", "warning", "error", "critical"])
        #expect(messages.map(\.level) == [.verbose, .debug, .info, .notice, .warning, .error, .fatal])
    }

    @Test(
        "Label, file, function and line are kept, a source that the file does not tell as well, and percent signs stay"
    )
    func place() throws {
        let logger = logger("swiftlog.place")
        let line = UInt(#line) + 1
        logger.info("100% %s\n")
        logger.info("other", source: "Other")
        let first = try #require(messages.first)
        #expect(first.text == "100% %s\n")
        #expect(first.category.name == "swiftlog.place")
        #expect(first.file == #fileID)
        #expect(first.function == #function)
        #expect(first.line == Int(line))
        #expect(first.metadata.isEmpty)
        #expect(messages.last?.metadata == ["source": "Other"])
    }

    @Test("Values keep their types, however deep")
    func values() {
        struct Named: CustomStringConvertible { let description = "described" }
        let id = UUID()
        logger().info(
            "x",
            metadata: [
                "a": "text", "b": .stringConvertible(17), "c": .stringConvertible(UInt64.max),
                "d": .stringConvertible(1.5), "e": .stringConvertible(true), "f": .stringConvertible(id),
                "g": .stringConvertible(Date(timeIntervalSince1970: 1)), "h": .stringConvertible(Named()),
                "i": .array(["x", .stringConvertible(2)]), "j": .dictionary(["k": ["l": "m"]]),
                "n": .stringConvertible(Float(0.1)),
            ])
        let expected: LogMetadata = [
            "a": "text", "b": 17, "c": .unsigned(.max), "d": 1.5, "e": true, "f": .uuid(id),
            "g": .date(Date(timeIntervalSince1970: 1)), "h": "described", "i": .array(["x", 2]),
            "j": ["k": ["l": "m"]], "n": 0.1,
        ]
        #expect(messages.first?.metadata == expected)
    }

    @Test("Fields of the call win over the provider's, these over the logger's, and these over the task's")
    func precedence() {
        var logger = logger(provider: Logger.MetadataProvider { ["a": "provider", "b": "provider"] })
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "b"] = "logger"
        logger[metadataKey: "c"] = "logger"
        withLogContext(["c": "task", "d": "task"]) { logger.info("x", metadata: ["a": "call"]) }
        #expect(messages.first?.metadata == ["a": "call", "b": "provider", "c": "logger", "d": "task"])
    }

    private enum Request { @TaskLocal static var id: String? }

    @Test("A provider sees the task-local values of the call, also across suspensions")
    func taskLocal() async {
        let logger = logger(
            provider: Logger.MetadataProvider { Request.id.map { ["request": .string($0)] } ?? [:] })
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await Request.$id.withValue("\(number)") {
                        await Task.yield()
                        logger.info("\(number)")
                    }
                }
            }
        }
        let messages = messages
        #expect(messages.count == 20)
        #expect(messages.allSatisfy { $0.metadata == ["request": .string($0.text)] })
    }

    @Test("Message and metadata are evaluated once, providers too, and not at all below the level")
    func evaluation() {
        let counts = Locked((message: 0, metadata: 0, provider: 0))
        func message() -> Logger.Message {
            counts.withLock { $0.message += 1 }
            return "x"
        }
        func metadata() -> Logger.Metadata {
            counts.withLock { $0.metadata += 1 }
            return [:]
        }
        let logger = logger(
            level: .info,
            provider: Logger.MetadataProvider {
                counts.withLock { $0.provider += 1 }
                return [:]
            })
        logger.debug(message(), metadata: metadata())
        #expect(counts.withLock { $0 == (0, 0, 0) })
        logger.info(message(), metadata: metadata())
        #expect(counts.withLock { $0 == (1, 1, 1) })
        // Nobody wants it: the provider is not asked.
        recorder.levels = .error
        dispatcher.flush(timeout: .testLimit)
        logger.info(message(), metadata: metadata())
        #expect(counts.withLock { $0.provider } == 1)
        #expect(messages.count == 1)
    }

    @Test("Level and metadata are values: a copy of a logger has its own")
    func valueSemantics() {
        var first = logger()
        first.logLevel = .debug
        first[metadataKey: "only-on"] = "first"
        var second = first
        second.logLevel = .error
        second[metadataKey: "only-on"] = "second"
        #expect(first.logLevel == .debug)
        #expect(second.logLevel == .error)
        #expect(first[metadataKey: "only-on"] == "first")
        #expect(second[metadataKey: "only-on"] == "second")
        first.info("one")
        second.info("not logged")
        second.error("two")
        #expect(messages.map(\.text) == ["one", "two"])
        #expect(messages.map { $0.metadata["only-on"] } == ["first", "second"])
    }

    @Test("Levels of the category decide as for every other call")
    func categories() {
        let category = LogCategory("swiftlog.quiet")
        category.levels = .warning
        let logger = logger("swiftlog.quiet")
        logger.info("no")
        logger.warning("yes")
        #expect(messages.map(\.text) == ["yes"])
    }

    // MARK: Errors

    // Versions before 1.12 have no such parameter: whoever compiles against one says so.
    #if !EARLIER_SWIFT_LOG
    private enum PaymentError: Error { case declined(by: CardError) }
    private enum CardError: Int, Error { case expired = 7 }

    @Test("An error keeps its type, message, code and cause, beside the fields of the call")
    func errors() throws {
        let logger = logger()
        logger.error("payment failed", error: CardError.expired, metadata: ["order": "17"])
        logger.warning("again", error: PaymentError.declined(by: .expired))
        logger.info("no error", error: nil)
        let messages = messages
        let fields = try #require(messages.first?.metadata)
        guard case .object(let error)? = fields["error"], case .string(let type)? = error["type"] else {
            Issue.record("\(fields)")
            return
        }
        #expect(type.hasSuffix("CardError") && error["message"] == "expired" && error["code"] == 7)
        #expect(fields["order"] == "17" && fields.count == 2)
        #expect(messages.map(\.text) == ["payment failed", "again", "no error"])
        let second = try #require(messages.dropFirst().first)
        guard case .object(let outer)? = second.metadata["error"],
            case .array(let causes)? = outer["underlying"],
            case .object(let cause)? = causes.first
        else {
            Issue.record("\(second.metadata)")
            return
        }
        #expect(cause["code"] == 7)
        #expect(LineFormatter().format(second)?.contains("caused by expired (") == true)
        #expect(messages.last?.metadata.isEmpty == true)
    }

    @Test("A field named error is kept beside the error, and an unwanted message costs no look at the error")
    func errorField() throws {
        final class Watched: Error, CustomStringConvertible, @unchecked Sendable {
            let count = Locked(0)
            var description: String {
                count.withLock { $0 += 1 }
                return "watched"
            }
        }
        let watched = Watched()
        let logger = logger()
        logger.error("x", error: watched, metadata: ["error": "text"])
        #expect(messages.first?.metadata["_error"] == "text")
        #expect(watched.count.withLock { $0 } == 1)
        recorder.levels = .fatal
        dispatcher.flush(timeout: .testLimit)
        logger.error("x", error: watched)
        #expect(messages.count == 1)
        #expect(watched.count.withLock { $0 } == 1)
    }
    #endif

    @Test(
        "A private field is written as the policy says, keeps its type where it is revealed, and is hidden from other handlers"
    )
    func privateFields() {
        var handler = HeartwoodLogHandler(label: "swiftlog.private", dispatcher: dispatcher)
        let metadata: Logger.Metadata = [
            "a": .private("secret"), "b": .private(17), "c": .private("gone", .sensitive), "d": "public",
            "e": ["inner": .private("deep")], "f": [.private("listed"), "shown"],
        ]
        #expect(!"\(metadata)".contains("secret") && !"\(metadata)".contains("gone"))
        Logger(label: "swiftlog.private") { _ in handler }.info("x", metadata: metadata)
        handler.privacyPolicy = .reveal
        Logger(label: "swiftlog.private") { _ in handler }.info("x", metadata: metadata)
        handler.privacyPolicy = .hash
        Logger(label: "swiftlog.private") { _ in handler }.info(
            "x", metadata: ["a": .private("s"), "b": .private("s")])
        let redacted: LogMetadata = [
            "a": "<private>", "b": "<private>", "c": "<sensitive>", "d": "public",
            "e": ["inner": "<private>"],
            "f": ["<private>", "shown"],
        ]
        let revealed: LogMetadata = [
            "a": "secret", "b": 17, "c": "<sensitive>", "d": "public", "e": ["inner": "deep"],
            "f": ["listed", "shown"],
        ]
        #expect(messages[0].metadata == redacted && messages[1].metadata == revealed)
        let hash = messages[2].metadata["a"]
        #expect(hash == messages[2].metadata["b"] && hash?.description.hasPrefix("<hash:") == true)
    }

    @Test(
        "The program's own rule finds private fields of the call, of the provider and of the logger, whole lists too"
    )
    func privacyRule() {
        var handler = HeartwoodLogHandler(
            label: "swiftlog.rule", metadata: ["l": "hidden"], metadataProvider: .init { ["p": "hidden"] },
            dispatcher: dispatcher)
        handler.privacy = { $0.description.contains("hidden") ? .private : .public }
        Logger(label: "swiftlog.rule") { _ in handler }.info(
            "x", metadata: ["c": "hidden", "d": ["x", "hidden"], "e": "y"])
        let expected: LogMetadata = [
            "c": "<private>", "d": "<private>", "e": "y", "p": "<private>", "l": "<private>",
        ]
        #expect(messages.first?.metadata == expected)
    }

    #if SWIFT_LOG_ATTRIBUTES
    private enum Sensitivity: Int64, Logger.MetadataValueAttributes.Attribute {
        case open = 1
        case secret = 2
    }

    @Test("Attributes of values decide about their privacy, and a value with other attributes is written")
    func attributes() {
        var handler = HeartwoodLogHandler(label: "swiftlog.attributes", dispatcher: dispatcher)
        handler.privacy = { $0.attributes[Sensitivity.self] == .secret ? .private : .public }
        Logger(label: "swiftlog.attributes") { _ in handler }.info(
            "x",
            metadata: [
                "a": .attributed("secret", attributes: [Sensitivity.secret]),
                "b": .attributed("open", attributes: [Sensitivity.open]), "c": "none",
            ])
        #expect(messages.first?.metadata == ["a": "<private>", "b": "open", "c": "none"])
    }
    #endif

    @Test("Identifiers of a provider are the message's trace")
    func trace() throws {
        let ids = LogTrace(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let trace = try #require(ids)
        let logger = logger(
            provider: Logger.MetadataProvider {
                [
                    "trace_id": "\(trace.traceID)", "span_id": "\(trace.spanID)",
                    "trace_flags": .stringConvertible(1),
                ]
            })
        logger.info("x")
        #expect(messages.first?.trace == trace)
        // Heartwood's own trace needs no provider, and is not written twice beside one.
        withLogTrace(trace) { logger.info("y") }
        #expect(messages.last?.trace == trace && messages.last?.metadata.count == 3)
    }
}
#endif
