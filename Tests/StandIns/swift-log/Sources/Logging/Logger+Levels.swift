// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
extension Logger {
    /// Logs a message of the level `debug`.
    public func debug(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        log(
            level: .debug, message(), metadata: metadata(), source: source(), file: file,
            function: function, line: line)
    }

    /// Logs a message of the level `info`.
    public func info(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        log(
            level: .info, message(), metadata: metadata(), source: source(), file: file,
            function: function, line: line)
    }

    /// Logs a message of the level `warning`.
    public func warning(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        log(
            level: .warning, message(), metadata: metadata(), source: source(), file: file,
            function: function, line: line)
    }

    /// Logs a message of the level `error`.
    public func error(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        log(
            level: .error, message(), metadata: metadata(), source: source(), file: file,
            function: function, line: line)
    }

    #if !WITHOUT_EVENTS && !WITHOUT_ERRORS
    /// Logs a message of the level `info` with an error.
    public func info(
        _ message: @autoclosure () -> Message, error: @autoclosure () -> (any Error)?,
        metadata: @autoclosure () -> Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        log(
            level: .info, message(), error: error(), metadata: metadata(), source: source(), file: file,
            function: function, line: line)
    }

    /// Logs a message of the level `warning` with an error.
    public func warning(
        _ message: @autoclosure () -> Message, error: @autoclosure () -> (any Error)?,
        metadata: @autoclosure () -> Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        log(
            level: .warning, message(), error: error(), metadata: metadata(), source: source(), file: file,
            function: function, line: line)
    }

    /// Logs a message of the level `error` with an error.
    public func error(
        _ message: @autoclosure () -> Message, error: @autoclosure () -> (any Error)?,
        metadata: @autoclosure () -> Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        log(
            level: .error, message(), error: error(), metadata: metadata(), source: source(), file: file,
            function: function, line: line)
    }
    #endif
}
