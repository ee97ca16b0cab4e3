// The calls that app code makes. Each evaluates its message at most once, on the caller's thread, and only if
// `level`, ``dynamicLogLevel`` and at least one logger want it.

/// Logs a message with the flag `error`: an operation failed.
///
/// By default the call waits until all loggers have handled the message, up to five seconds.
///
/// - Parameters:
///   - message: The message: a literal, whose values keep their types for Heartwood's loggers. Evaluated at
///     most once, and only if the message is wanted.
///   - level: The flags that this call site logs; ``DDDefaultLogLevel`` unless given. A file with its own
///     level passes it here.
///   - context: A number that formatters and filters can use; 0 unless set.
///   - file: The source file of the call. Leave out.
///   - function: The function of the call. Leave out.
///   - line: The line of the call. Leave out.
///   - tag: Any value, which loggers and formatters get as ``DDLogMessage/representedObject``; nil unless
///     set.
///   - asynchronous: `false` waits until all loggers have handled the message, up to five seconds. `true`
///     returns at once. nil, the default, is `false` for errors, and leaves the choice to
///     ``asyncLoggingEnabled`` for the other levels.
///   - ddlog: The dispatcher that gets the message; ``DDLog/sharedInstance`` unless given.
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

/// Logs any value, such as a `String` or an error, with the flag `error`: an operation failed.
///
/// The text of the message is the description of the value.
///
/// The parameters are those of `DDLogError(_:…)`.
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

/// Logs a message with the flag `warning`: something may fail soon, or the program worked around a problem.
///
/// The parameters are those of `DDLogError(_:…)`.
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

/// Logs any value, such as a `String` or an error, with the flag `warning`: something may fail soon, or the
/// program worked around a problem.
///
/// The text of the message is the description of the value.
///
/// The parameters are those of `DDLogError(_:…)`.
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

/// Logs a message with the flag `info`: what the program does, for the people who operate it.
///
/// The parameters are those of `DDLogError(_:…)`.
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

/// Logs any value, such as a `String` or an error, with the flag `info`: what the program does, for the
/// people who operate it.
///
/// The text of the message is the description of the value.
///
/// The parameters are those of `DDLogError(_:…)`.
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

/// Logs a message with the flag `debug`: how the program works, for its developers.
///
/// The parameters are those of `DDLogError(_:…)`.
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

/// Logs any value, such as a `String` or an error, with the flag `debug`: how the program works, for its
/// developers.
///
/// The text of the message is the description of the value.
///
/// The parameters are those of `DDLogError(_:…)`.
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

/// Logs a message with the flag `verbose`: every detail, such as single steps and raw values.
///
/// The parameters are those of `DDLogError(_:…)`.
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

/// Logs any value, such as a `String` or an error, with the flag `verbose`: every detail, such as single
/// steps and raw values.
///
/// The text of the message is the description of the value.
///
/// The parameters are those of `DDLogError(_:…)`.
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
