// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// What takes messages.
public protocol LogHandler: Sendable {
    var metadataProvider: Logger.MetadataProvider? { get set }
    var metadata: Logger.Metadata { get set }
    var logLevel: Logger.Level { get set }
    subscript(metadataKey _: String) -> Logger.MetadataValue? { get set }

    #if !WITHOUT_EVENTS
    func log(event: LogEvent)

    @available(*, deprecated, renamed: "log(event:)")
    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String, function: String, line: UInt)
    #else
    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String, function: String, line: UInt)
    #endif
}

#if !WITHOUT_EVENTS
extension LogHandler {
    /// As in swift-log: whoever does not take events loses what only they have.
    @available(
        *, deprecated, message: "You should implement this method instead of using the default implementation"
    )
    public func log(event: LogEvent) {
        log(
            level: event.level, message: event.message, metadata: event.metadata, source: event.source,
            file: event.file, function: event.function, line: event.line)
    }

    @available(*, deprecated, renamed: "log(event:)")
    public func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String, function: String, line: UInt
    ) {
        log(
            event: LogEvent(
                level: level, message: message, metadata: metadata, source: source, file: file,
                function: function, line: line))
    }
}
#endif
