import CHeartwood

// Calls with a source location that is known only while the program runs: for facades, wrappers and bridges.

/// Logs a message whose source location is given as values.
///
/// Use it in a facade, a wrapper or a bridge, which receives the location as values:
///
/// ```swift
/// func trace(_ text: String, file: String = #fileID, function: String = #function, line: Int = #line) {
///     log(text, level: .debug, file: file, function: function, line: line)
/// }
/// ```
///
/// The call works like the others, plus one table lookup. The table keeps up to 4,096 locations per process
/// and 512 KiB of their text. Beyond that, the message carries its location in the fields `source.file`,
/// `source.function` and `source.line`, so file names that are made from data use no memory.
/// ``LogDispatcher/log(_:asynchronous:)`` takes a message whose time and thread are known as well.
///
/// - Parameters:
///   - text: The message: a literal, whose values keep their types. Evaluated at most once, and only if a
///     logger wants the message.
///   - level: The level of the message; standard or custom.
///   - error: What went wrong: its type, message, domain, code and causes become the field `error`.
///   - category: The part of the program. Its levels decide too, and its fields are added. nil, the default,
///     is ``LogCategory/default``.
///   - context: A number that formatters and filters can use; 0 unless set.
///   - tag: Any value, which loggers receive unchanged; nil unless set. Evaluated like the message.
///   - metadata: Typed fields beside the text; nil unless set. Evaluated like the message.
///   - asynchronous: `true` returns at once. `false` waits until all loggers have handled the message. nil,
///     the default, leaves the choice to the dispatcher's ``LogDispatcher/synchronousLevels``: fatal and
///     error wait.
///   - dispatcher: The dispatcher that gets the message. nil, the default, is ``LogDispatcher/shared``.
///   - file: The source file: `Module/File.swift`, as `#fileID` gives it, or a path.
///   - function: The function that logs.
///   - line: The line in `file`, from 1.
@_disfavoredOverload
public func log(
    _ text: @autoclosure () -> LogText, level: LogLevel, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil, to dispatcher: LogDispatcher? = nil, file: String, function: String,
    line: some BinaryInteger
) {
    guard isLogEnabled(level, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    (dispatcher ?? .shared).accept(
        text, level, category, context, tag(), LogMetadata.adding(error(), to: metadata()), asynchronous,
        file: file, function: function,
        line: Int(clamping: line))
    text.recycle()
}

/// Logs a `String` whose source location is given as values.
///
/// The whole string becomes the text of the message. Everything else is as for a literal.
///
/// - Parameters:
///   - string: The message: a `String` that was built elsewhere. Evaluated at most once, and only if a logger
///     wants the message.
///   - level: The level of the message; standard or custom.
///   - error: What went wrong: its type, message, domain, code and causes become the field `error`.
///   - category: The part of the program. Its levels decide too, and its fields are added. nil, the default,
///     is ``LogCategory/default``.
///   - context: A number that formatters and filters can use; 0 unless set.
///   - tag: Any value, which loggers receive unchanged; nil unless set. Evaluated like the message.
///   - metadata: Typed fields beside the text; nil unless set. Evaluated like the message.
///   - asynchronous: `true` returns at once. `false` waits until all loggers have handled the message. nil,
///     the default, leaves the choice to the dispatcher's ``LogDispatcher/synchronousLevels``: fatal and
///     error wait.
///   - dispatcher: The dispatcher that gets the message. nil, the default, is ``LogDispatcher/shared``.
///   - file: The source file: `Module/File.swift`, as `#fileID` gives it, or a path.
///   - function: The function that logs.
///   - line: The line in `file`, from 1.
@_disfavoredOverload
public func log(
    _ string: @autoclosure () -> String, level: LogLevel, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil, to dispatcher: LogDispatcher? = nil, file: String, function: String,
    line: some BinaryInteger
) {
    log(
        LogText(string()), level: level, error: error(), category: category, context: context, tag: tag(),
        metadata: metadata(), asynchronous: asynchronous, to: dispatcher, file: file, function: function,
        line: line)
}
