// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// The part of swift-log's `Logger` that the bridge and its tests use, written from its documentation.
///
/// `WITHOUT_EVENTS` gives it the form of versions before 1.11, `WITHOUT_ERRORS` that of 1.11.
public struct Logger: Sendable {
    /// The name of the logger.
    public let label: String
    /// Takes what is logged.
    public var handler: any LogHandler

    /// Makes a logger with the handler that a closure makes.
    public init(label: String, factory: (String) -> any LogHandler) {
        self.label = label
        handler = factory(label)
    }

    /// Makes a logger with the handler that the program has installed.
    public init(label: String) { self.init(label: label, factory: LoggingSystem.handler) }

    /// The least serious level that passes.
    public var logLevel: Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    /// A field of each message.
    public subscript(metadataKey key: String) -> MetadataValue? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    #if WITHOUT_EVENTS
    /// Logs a message.
    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        if level < logLevel { return }
        handler.log(
            level: level, message: message(), metadata: metadata(),
            source: source() ?? Logger.module(file), file: file, function: function, line: line)
    }
    #else
    /// Logs a message.
    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        if level < logLevel { return }
        handler.log(
            event: LogEvent(
                level: level, message: message(), metadata: metadata(),
                source: source() ?? Logger.module(file), file: file, function: function, line: line))
    }
    #endif

    #if !WITHOUT_EVENTS && !WITHOUT_ERRORS
    /// Logs a message with an error.
    public func log(
        level: Level, _ message: @autoclosure () -> Message, error: @autoclosure () -> (any Error)?,
        metadata: @autoclosure () -> Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if level < logLevel { return }
        var event = LogEvent(
            level: level, message: message(), metadata: metadata(),
            source: source() ?? Logger.module(file), file: file, function: function, line: line)
        event.error = error()
        handler.log(event: event)
    }
    #endif

    private static func module(_ file: String) -> String { String(file.prefix { $0 != "/" }) }
}
