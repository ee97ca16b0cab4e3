// The same calls for fields whose values are plain variables: `metadata: ["name": name]`.
//
// Each passes everything to the call that takes `LogMetadata`, which converts the fields only if a logger
// wants the message and evaluates each argument at most once.
//
// Those that take a `String` are generic because the compiler prefers a function that is not, where both fit:
// in `logInfo(text, metadata: { …; return ["a": 1] }())` nothing else decides between the two kinds of
// fields.

/// Logs at a level that is given as a value, with fields whose values may be plain variables; see the call
/// with `LogMetadata`.
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

/// Logs a message of level `fatal` with fields whose values may be plain variables; see the call with
/// `LogMetadata`.
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

/// Logs a message of level `error` with fields whose values may be plain variables; see the call with
/// `LogMetadata`.
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

/// Logs a message of level `warning` with fields whose values may be plain variables; see the call with
/// `LogMetadata`.
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

/// Logs a message of level `notice` with fields whose values may be plain variables; see the call with
/// `LogMetadata`.
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

/// Logs a message of level `info` with fields whose values may be plain variables; see the call with
/// `LogMetadata`.
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

/// Logs a message of level `debug` with fields whose values may be plain variables; see the call with
/// `LogMetadata`.
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

/// Logs a message of level `verbose` with fields whose values may be plain variables; see the call with
/// `LogMetadata`.
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
public func log<Text: StringProtocol>(
    _ string: @autoclosure () -> Text, level: LogLevel, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    log(
        String(string()), level: level, error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `fatal` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logFatal<Text: StringProtocol>(
    _ string: @autoclosure () -> Text, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logFatal(
        String(string()), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `error` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logError<Text: StringProtocol>(
    _ string: @autoclosure () -> Text, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logError(
        String(string()), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `warning` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logWarning<Text: StringProtocol>(
    _ string: @autoclosure () -> Text, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logWarning(
        String(string()), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `notice` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logNotice<Text: StringProtocol>(
    _ string: @autoclosure () -> Text, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logNotice(
        String(string()), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `info` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logInfo<Text: StringProtocol>(
    _ string: @autoclosure () -> Text, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logInfo(
        String(string()), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `debug` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logDebug<Text: StringProtocol>(
    _ string: @autoclosure () -> Text, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logDebug(
        String(string()), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}

/// Logs a `String` at level `verbose` with fields whose values may be plain variables.
@inlinable @inline(__always) @_disfavoredOverload
public func logVerbose<Text: StringProtocol>(
    _ string: @autoclosure () -> Text, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    logVerbose(
        String(string()), error: error(), category: category, context: context, tag: tag(),
        metadata: metadata().metadata, asynchronous: asynchronous, to: dispatcher, file: file,
        function: function, line: line)
}
