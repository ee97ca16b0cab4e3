// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// A handler that does nothing.
public struct SwiftLogNoOpLogHandler: LogHandler {
    public var metadataProvider: Logger.MetadataProvider?
    public var metadata: Logger.Metadata = [:]
    public var logLevel = Logger.Level.critical

    public init() {}

    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    #if WITHOUT_EVENTS
    public func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String, function: String, line: UInt
    ) {}
    #else
    public func log(event: LogEvent) {}
    #endif
}
