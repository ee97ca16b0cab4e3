#if SwiftLog
public import Heartwood
public import Logging

/// Hands what a program and its libraries log through swift-log to Heartwood's loggers.
///
///     LoggingSystem.bootstrap { HeartwoodLogHandler(label: $0) }
///
/// - **Levels**: `trace` is `verbose`, `critical` is `fatal`, the others have the same name. Two things decide: the
///   ``logLevel`` of the `Logger`, a value of its own as swift-log wants it, `info` unless set; then, as for every call of
///   Heartwood's, category, dispatcher and loggers.
/// - **Category**: the label of the `Logger`. A label is kept forever, so it must not come from outside.
/// - **Fields**: those of the call, of the metadata provider and of the `Logger`, in this precedence, and then those of
///   `withLogContext`, the category and the dispatcher. Their values keep their types.
/// - **Place**: file, function and line are kept. The source, swift-log's name of the module, is the beginning of the file;
///   where it is another one, it becomes the field `source`.
///
/// The message is evaluated by the `Logger`, once, when its level passes ``logLevel``; metadata providers are asked, once,
/// only if a logger of Heartwood's wants the message. Like other calls it is synchronous for `error` and `critical`
/// unless the dispatcher's `synchronousLevels` say otherwise.
public struct HeartwoodLogHandler: LogHandler {
    /// The least serious level that passes; `info` unless set.
    public var logLevel: Logger.Level
    /// The fields of this `Logger`.
    public var metadata: Logger.Metadata
    /// What adds fields to each message; nothing unless set.
    public var metadataProvider: Logger.MetadataProvider?

    private let category: LogCategory
    private let dispatcher: LogDispatcher

    /// Makes a handler for the `Logger` of a label.
    ///
    /// - Parameters:
    ///   - label: The label, which becomes the category.
    ///   - logLevel: The least serious level that passes at first.
    ///   - metadata: The fields that the `Logger` has at first.
    ///   - metadataProvider: What adds fields to each message.
    ///   - dispatcher: Whose loggers get the messages.
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

    /// A field of this `Logger`.
    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Hands a message on; called by the `Logger`.
    public func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String,
        function: String, line: UInt
    ) {
        dispatcher.acceptForeign(
            message.description, LogLevel(level), category, file: file, function: function,
            line: Int(clamping: line)
        ) {
            var fields = LogMetadata(metadata ?? [:])
            if let metadataProvider {
                fields.merge(LogMetadata(metadataProvider.get())) { current, _ in current }
            }
            fields.merge(LogMetadata(self.metadata)) { current, _ in current }
            if !source.isEmpty, !file.hasPrefix(source + "/"), fields["source"] == nil {
                fields["source"] = .string(source)
            }
            return fields
        }
    }
}
#endif
