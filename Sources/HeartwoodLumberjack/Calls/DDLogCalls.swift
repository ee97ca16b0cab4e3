// The calls that app code makes. Each evaluates its message at most once, on the caller's thread, and only if `level`,
// ``dynamicLogLevel`` and at least one logger want it.
//
// Parameters of all of them:
//   message       what to log: a literal, whose values keep their types for Heartwood's loggers
//   level         which flags are logged from here: `level: ddLogLevel` for levels of a file of its own
//   context       a number that formatters and filters may use
//   file, function, line   where the call is
//   tag           any value, handed to loggers and formatters as `representedObject`
//   asynchronous  false waits until all loggers have handled the message; nil leaves it to ``asyncLoggingEnabled``
//   ddlog         another dispatcher than the shared one

/// Logs a message with the flag `error`: something failed.
///
/// Waits until the loggers have handled it, five seconds at most, unless `asynchronous` says otherwise.
@inlinable
public func DDLogError(
    _ message: @autoclosure () -> DDLogMessageFormat, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .error, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous ?? false, ddlog: ddlog)
}

/// Logs any value, as it describes itself, with the flag `error`.
@inlinable @_disfavoredOverload
public func DDLogError(
    _ message: @autoclosure () -> Any, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .error, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous ?? false, ddlog: ddlog)
}

/// Logs a message with the flag `warning`: something may fail soon, or was worked around.
@inlinable
public func DDLogWarn(
    _ message: @autoclosure () -> DDLogMessageFormat, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .warning, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous, ddlog: ddlog)
}

/// Logs any value, as it describes itself, with the flag `warning`.
@inlinable @_disfavoredOverload
public func DDLogWarn(
    _ message: @autoclosure () -> Any, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .warning, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous, ddlog: ddlog)
}

/// Logs a message with the flag `info`: what operators need to know.
@inlinable
public func DDLogInfo(
    _ message: @autoclosure () -> DDLogMessageFormat, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .info, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous, ddlog: ddlog)
}

/// Logs any value, as it describes itself, with the flag `info`.
@inlinable @_disfavoredOverload
public func DDLogInfo(
    _ message: @autoclosure () -> Any, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .info, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous, ddlog: ddlog)
}

/// Logs a message with the flag `debug`: what developers need to know.
@inlinable
public func DDLogDebug(
    _ message: @autoclosure () -> DDLogMessageFormat, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .debug, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous, ddlog: ddlog)
}

/// Logs any value, as it describes itself, with the flag `debug`.
@inlinable @_disfavoredOverload
public func DDLogDebug(
    _ message: @autoclosure () -> Any, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .debug, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous, ddlog: ddlog)
}

/// Logs a message with the flag `verbose`: every detail.
@inlinable
public func DDLogVerbose(
    _ message: @autoclosure () -> DDLogMessageFormat, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .verbose, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous, ddlog: ddlog)
}

/// Logs any value, as it describes itself, with the flag `verbose`.
@inlinable @_disfavoredOverload
public func DDLogVerbose(
    _ message: @autoclosure () -> Any, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    _DDLogMessage(
        message(), level: level, flag: .verbose, context: context, file: file, function: function, line: line,
        tag: tag, asynchronous: asynchronous, ddlog: ddlog)
}
