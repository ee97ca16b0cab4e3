/// Logs an error if a condition is false, and stops a debug build.
///
/// The program stops where assertions are on, that is in debug builds. Release builds evaluate the condition
/// too.
///
/// - Parameters:
///   - condition: What should be true. Evaluated once, in every build.
///   - message: The message: a literal. Evaluated once, and only if the condition is false.
///   - level: The flags that this call site logs; ``DDDefaultLogLevel`` unless given.
///   - context: A number that formatters and filters can use; 0 unless set.
///   - file: The source file of the call. Leave out.
///   - function: The function of the call. Leave out.
///   - line: The line of the call. Leave out.
///   - tag: Any value, which loggers and formatters get as ``DDLogMessage/representedObject``; nil unless
///     set.
///   - async: `false`, the default, waits until all loggers have handled the message, up to five seconds.
///   - ddlog: The dispatcher that gets the message; ``DDLog/sharedInstance`` unless given.
@inlinable
public func DDAssert(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> DDLogMessageFormat = "",
    level: DDLogLevel = DDDefaultLogLevel, context: Int = 0, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, tag: Any? = nil, asynchronous async: Bool? = nil,
    ddlog: DDLog = .sharedInstance
) {
    if condition() { return }
    DDAssertionFailure(
        message(), level: level, context: context, file: file, function: function, line: line, tag: tag,
        asynchronous: async, ddlog: ddlog)
}

/// Logs an error with a `String` if a condition is false, and stops a debug build.
///
/// The program stops where assertions are on, that is in debug builds. Release builds evaluate the condition
/// too.
///
/// The parameters are those of `DDAssert(_:_:…)`.
@inlinable @_disfavoredOverload
public func DDAssert(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    level: DDLogLevel = DDDefaultLogLevel, context: Int = 0, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, tag: Any? = nil, asynchronous async: Bool? = nil,
    ddlog: DDLog = .sharedInstance
) {
    if condition() { return }
    DDAssertionFailure(
        DDLogMessageFormat(stringLiteral: message()), level: level, context: context, file: file,
        function: function, line: line, tag: tag, asynchronous: async, ddlog: ddlog)
}

/// Logs an error because the program reached a place that it must not reach, and stops a debug build.
///
/// The parameters are those of `DDAssert(_:_:…)`.
@inlinable
public func DDAssertionFailure(
    _ message: @autoclosure () -> DDLogMessageFormat = "", level: DDLogLevel = DDDefaultLogLevel,
    context: Int = 0, file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line,
    tag: Any? = nil, asynchronous async: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    let message = message()
    // Copied first: the call gives the message's memory back.
    let text = message.formatted
    DDLogError(
        DDLogMessageFormat(stringLiteral: text), level: level, context: context, file: file,
        function: function, line: line, tag: tag, asynchronous: async, ddlog: ddlog)
    assertionFailure(text, file: file, line: line)
}

/// Logs an error with a `String` because the program reached a place that it must not reach, and stops a
/// debug build.
///
/// The parameters are those of `DDAssert(_:_:…)`.
@inlinable @_disfavoredOverload
public func DDAssertionFailure(
    _ message: @autoclosure () -> String, level: DDLogLevel = DDDefaultLogLevel, context: Int = 0,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
    asynchronous async: Bool? = nil, ddlog: DDLog = .sharedInstance
) {
    DDAssertionFailure(
        DDLogMessageFormat(stringLiteral: message()), level: level, context: context, file: file,
        function: function, line: line, tag: tag, asynchronous: async, ddlog: ddlog)
}
