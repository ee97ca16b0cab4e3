#if SwiftLog
public import Heartwood
public import Logging

/// Delivers messages that a program and its libraries log with swift-log to Heartwood's loggers.
///
///     LoggingSystem.bootstrap { HeartwoodLogHandler(label: $0) }
///
/// - **Levels**: `trace` becomes `verbose`, `critical` becomes `fatal`, and the others keep their names. A
///   message must pass twice: first the ``logLevel`` of its `Logger`, which is `info` unless set, then the
///   category, dispatcher and loggers, as with every call of Heartwood.
/// - **Category**: the label of the `Logger`. Labels are kept forever, so they must not come from outside the
///   program.
/// - **Fields**: the fields of the call, of the metadata provider and of the `Logger`, in this precedence,
///   followed by those of `withLogContext`, the category and the dispatcher. Values keep their types.
/// - **Privacy**: a field that ``Logging/Logger/MetadataValue/private(_:_:)`` made, or that ``privacy`` finds
///   private, is written as ``privacyPolicy`` says, in all of Heartwood's loggers.
/// - **Error**: the `error:` of a call (swift-log 1.12 or later) becomes the field `error`, as in Heartwood's
///   own calls.
/// - **Source location**: file, function and line are kept. The source, which is swift-log's name for the
///   module, is the first part of the file. If it is different, it becomes the field `source`.
///
/// The `Logger` evaluates a message once, if its level passes ``logLevel``. Metadata providers are called
/// once, and only if a logger of Heartwood wants the message. As with other calls, `error` and `critical` are
/// synchronous unless the `synchronousLevels` of the dispatcher are changed.
public struct HeartwoodLogHandler: LogHandler {
    /// The least serious level that passes; `info` unless set.
    public var logLevel: Logger.Level
    /// The fields of the `Logger`.
    public var metadata: Logger.Metadata
    /// Adds fields to each message; nil, the default, adds none.
    public var metadataProvider: Logger.MetadataProvider?

    /// The privacy of a field that does not say it itself; nil, the default, for public.
    ///
    /// It is where a program reads its own attributes of values, which swift-log has from version 1.13 on:
    ///
    ///     handler.privacy = { $0.attributes[Sensitivity.self] == .sensitive ? .private : .public }
    ///
    /// Called on the caller's thread for each field and for each value in arrays and dictionaries, if a
    /// logger wants the message. A private array or dictionary is private as a whole. It must not log.
    public var privacy: (@Sendable (Logger.MetadataValue) -> LogPrivacy)?
    /// What is written in place of private fields; ``Heartwood/LogPrivacyPolicy/redact`` unless changed.
    ///
    /// It applies before the message reaches a logger, because fields have no privacy of their own there.
    public var privacyPolicy = LogPrivacyPolicy.redact

    private let category: LogCategory
    private let dispatcher: LogDispatcher

    /// Makes a handler for the `Logger` of a label.
    ///
    /// - Parameters:
    ///   - label: The label, which becomes the name of the category.
    ///   - logLevel: The least serious level that passes, until it is changed; `info` unless given.
    ///   - metadata: The fields of the `Logger`, until they are changed; none unless given.
    ///   - metadataProvider: Adds fields to each message; nil, the default, adds none.
    ///   - dispatcher: The dispatcher whose loggers get the messages; the shared one unless given.
    public init(
        label: String, logLevel: Logger.Level = .info, metadata: Logger.Metadata = [:],
        metadataProvider: Logger.MetadataProvider? = nil, dispatcher: LogDispatcher = .shared
    ) {
        self.logLevel = logLevel
        self.metadata = metadata
        self.metadataProvider = metadataProvider
        self.dispatcher = dispatcher
        category = LogCategory(label)
    }

    /// The value of a field of the `Logger`; nil if it has no such field.
    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Delivers a message; a `Logger` of swift-log 1.11 or later calls it.
    ///
    /// An error that the call names becomes the field `error`, with its type, message, domain, code and
    /// causes, as with the parameter `error` of Heartwood's own calls. A field of that name is called
    /// `_error` then.
    ///
    /// - Parameter event: The message.
    public func log(event: HandledLogEvent) {
        let error: (any Error)? = EventMembers(event).error
        deliver(
            event.level, event.message, event.metadata, error, source: event.source, file: event.file,
            function: event.function, line: event.line)
    }

    /// Delivers a message; a `Logger` of swift-log before 1.11 calls it.
    ///
    /// - Parameters:
    ///   - level: The level.
    ///   - message: The text.
    ///   - metadata: The fields of the call.
    ///   - source: The name of the module that logs.
    ///   - file: The source file of the call.
    ///   - function: The function of the call.
    ///   - line: The line of the call.
    public func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String,
        function: String, line: UInt
    ) {
        deliver(level, message, metadata, nil, source: source, file: file, function: function, line: line)
    }

    private func deliver(
        _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata?,
        _ error: (any Error)?,
        source: String, file: String, function: String, line: UInt
    ) {
        dispatcher.acceptForeign(
            message.description, LogLevel(level), category, file: file, function: function,
            line: Int(clamping: line), error: error
        ) {
            let conversion = MetadataConversion(policy: privacyPolicy, privacy: privacy)
            var fields = conversion.fields(metadata ?? [:])
            if let metadataProvider {
                fields.merge(conversion.fields(metadataProvider.get())) { current, _ in current }
            }
            fields.merge(conversion.fields(self.metadata)) { current, _ in current }
            if !source.isEmpty, !file.hasPrefix(source + "/"), fields["source"] == nil {
                fields["source"] = .string(source)
            }
            return fields
        }
    }
}
#endif
