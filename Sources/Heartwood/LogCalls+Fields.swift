// The same calls for fields whose values are plain variables: `metadata: ["name": name]`.
//
// They only convert the fields, where a logger wants the message; the text and the error are evaluated by the call that
// takes `LogMetadata`.

/// Logs at a level that is given as a value, with fields whose values may be plain variables; see the call with `LogMetadata`.
@inlinable
public func log(
    _ text: @autoclosure () -> LogText, level: LogLevel, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogFields, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(level, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, level, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
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
    guard isLogEnabled(.fatal, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .fatal, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
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
    guard isLogEnabled(.error, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .error, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
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
    #if !FloorError
    guard isLogEnabled(.warning, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .warning, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher,
        file,
        function, line)
    text.recycle()
    #endif
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
    #if !FloorWarning
    guard isLogEnabled(.notice, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .notice, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
    #endif
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
    #if !FloorNotice
    guard isLogEnabled(.info, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .info, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
    #endif
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
    #if !FloorInfo
    guard isLogEnabled(.debug, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .debug, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
    #endif
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
    #if !FloorDebug
    guard isLogEnabled(.verbose, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .verbose, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher,
        file,
        function, line)
    text.recycle()
    #endif
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
    guard isLogEnabled(level, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, level, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
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
    guard isLogEnabled(.fatal, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .fatal, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
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
    guard isLogEnabled(.error, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .error, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
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
    #if !FloorError
    guard isLogEnabled(.warning, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .warning, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher,
        file,
        function, line)
    text.recycle()
    #endif
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
    #if !FloorWarning
    guard isLogEnabled(.notice, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .notice, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
    #endif
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
    #if !FloorNotice
    guard isLogEnabled(.info, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .info, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
    #endif
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
    #if !FloorInfo
    guard isLogEnabled(.debug, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .debug, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher, file,
        function, line)
    text.recycle()
    #endif
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
    #if !FloorDebug
    guard isLogEnabled(.verbose, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .verbose, category, context, tag(), metadata().metadata, error(), asynchronous, dispatcher,
        file,
        function, line)
    text.recycle()
    #endif
}
