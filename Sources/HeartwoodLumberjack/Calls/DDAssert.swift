/// Checks that something holds, in release builds too.
///
/// When it does not, that is logged as an error, and the program stops where assertions are on. The message is evaluated
/// once.
///
/// - Parameters:
///   - condition: What must hold; always evaluated.
///   - message: What to log otherwise.
///   - level: Which flags are logged from here.
///   - context: A number that formatters and filters may use.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
///   - tag: Any value, handed to loggers and formatters as it is.
///   - async: False, the default, waits until all loggers have handled the message.
///   - ddlog: The dispatcher.
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

/// Checks that something holds, with a message that was built elsewhere.
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

/// Says that a place was reached that must not be: logged as an error, and the program stops where assertions are on.
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

/// Says that a place was reached that must not be, with a message that was built elsewhere.
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
