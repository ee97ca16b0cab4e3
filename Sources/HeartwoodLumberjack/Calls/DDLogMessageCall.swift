public import Heartwood

/// Logs a message with any flag; write custom `DDLog…` calls with it.
///
/// ```swift
/// func DDLogAudit(_ message: @autoclosure () -> DDLogMessageFormat) {
///     _DDLogMessage(
///         message(), level: .all, flag: DDLogFlag(rawValue: 1 << 5), context: 0, file: #fileID,
///         function: #function, line: #line, tag: nil, asynchronous: nil, ddlog: .sharedInstance)
/// }
/// ```
///
/// - Parameters:
///   - messageFormat: What to log. Evaluated only if `level`, ``dynamicLogLevel`` and a logger want the
///     message.
///   - level: Which flags are logged from here.
///   - flag: The flag of the message.
///   - context: A number that formatters and filters may use.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
///   - tag: Any value, handed to loggers and formatters as it is.
///   - asynchronous: False waits until all loggers have handled the message; nil leaves it to
///     ``asyncLoggingEnabled``.
///   - ddlog: The dispatcher.
@inlinable
public func _DDLogMessage(
    _ messageFormat: @autoclosure () -> DDLogMessageFormat, level: DDLogLevel, flag: DDLogFlag, context: Int,
    file: StaticString, function: StaticString, line: UInt, tag: Any?, asynchronous: Bool?, ddlog: DDLog
) {
    guard level.rawValue & flag.rawValue != 0, isDynamicallyEnabled(flag.rawValue) else { return }
    let (severity, dispatcher) = (LogLevel(flag), ddlog.target)
    guard isLogEnabled(severity, to: dispatcher, file: file) else { return }
    log(
        messageFormat().text, level: severity, context: context, tag: CallTag.tag(tag, level, flag),
        asynchronous: asynchronous ?? asyncLoggingEnabled, to: dispatcher, file: file, function: function,
        line: line)
}

/// Logs any value, as it describes itself, with any flag; the parameters are those of the call with a
/// literal.
@inlinable @_disfavoredOverload
public func _DDLogMessage(
    _ message: @autoclosure () -> Any, level: DDLogLevel, flag: DDLogFlag, context: Int, file: StaticString,
    function: StaticString, line: UInt, tag: Any?, asynchronous: Bool?, ddlog: DDLog
) {
    _DDLogMessage(
        DDLogMessageFormat(stringLiteral: described(message())), level: level, flag: flag,
        context: context, file: file, function: function, line: line, tag: tag, asynchronous: asynchronous,
        ddlog: ddlog)
}

@usableFromInline
func described(_ value: Any) -> String { ValueDepth.description(of: value) }

/// Returns the name of a source file without folders and extension; the file of the caller unless given.
public func currentFileName(_ fileName: StaticString = #fileID) -> String {
    let name = fileName.description.split(separator: "/").last.map(String.init) ?? ""
    guard let dot = name.lastIndex(of: ".") else { return name }
    return String(name[..<dot])
}

/// The old name of ``currentFileName(_:)``.
@available(*, deprecated, renamed: "currentFileName")
public func CurrentFileName(_ fileName: StaticString = #fileID) -> String { currentFileName(fileName) }
