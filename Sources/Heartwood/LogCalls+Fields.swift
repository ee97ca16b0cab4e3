// The same calls for fields whose values are plain variables: `metadata: ["name": name]`.
//
// Each passes everything to the call that takes `LogMetadata`, which converts the fields only if a logger wants the
// message and evaluates each argument at most once.

/// Logs at a level that is given as a value, with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable
public func log(
    _ text: @autoclosure () -> LogText, level: LogLevel, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    log(
        text(), level: level, error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a message of level `fatal` with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable @inline(__always)
public func logFatal(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logFatal(
        text(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a message of level `error` with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable @inline(__always)
public func logError(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logError(
        text(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a message of level `warning` with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable @inline(__always)
public func logWarning(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logWarning(
        text(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a message of level `notice` with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable @inline(__always)
public func logNotice(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logNotice(
        text(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a message of level `info` with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable @inline(__always)
public func logInfo(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logInfo(
        text(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a message of level `debug` with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable @inline(__always)
public func logDebug(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logDebug(
        text(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a message of level `verbose` with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable @inline(__always)
public func logVerbose(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logVerbose(
        text(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at a level that is given as a value, with fields whose values may be plain variables.
@inlinable @_disfavoredOverload
public func log(
    _ string: @autoclosure () -> String, level: LogLevel, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    log(
        string(), level: level, error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `fatal` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logFatal(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logFatal(
        string(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `error` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logError(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logError(
        string(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `warning` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logWarning(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logWarning(
        string(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `notice` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logNotice(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logNotice(
        string(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `info` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logInfo(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logInfo(
        string(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `debug` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logDebug(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logDebug(
        string(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `verbose` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logVerbose(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logVerbose(
        string(), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}
