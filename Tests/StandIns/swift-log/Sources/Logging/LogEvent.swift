// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
#if !WITHOUT_EVENTS
/// A message on its way to a handler.
public struct LogEvent: Sendable {
    public var level: Logger.Level
    public var message: Logger.Message
    #if !WITHOUT_ERRORS
    public var error: (any Error)?
    #endif
    public var metadata: Logger.Metadata?
    public var source: String
    public var file: String
    public var function: String
    public var line: UInt

    init(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String,
        function: String, line: UInt
    ) {
        (self.level, self.message, self.metadata) = (level, message, metadata)
        (self.source, self.file, self.function, self.line) = (source, file, function, line)
    }
}
#endif
