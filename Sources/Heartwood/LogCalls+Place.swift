import CHeartwood

// Calls whose place is known only while the program runs: for facades, wrappers and bridges.

/// Whether a logger wants a message of this level, category and dispatcher, logged in this file.
///
/// - Parameters:
///   - level: The level.
///   - category: The part of the program; nil is the default one.
///   - dispatcher: The dispatcher; nil is the shared one.
///   - file: The source file: `Module/File.swift`. Only levels by source file look at it.
/// - Returns: whether a message would reach a logger.
public func isLogEnabled(
    _ level: LogLevel, category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil, file: String
) -> Bool {
    guard (dispatcher ?? .shared).wants(level, category ?? .default) else { return false }
    // Levels by source file are looked at only for what has passed, and only where there are any.
    return !hw_source_levels_load() || LogSourceLevels.wants(level, category ?? .default, named: file)
}

/// Logs a message whose place is known only while the program runs.
///
/// For a facade, a wrapper or a bridge, which is given the place as values:
///
/// ```swift
/// func trace(_ text: String, file: String = #fileID, function: String = #function, line: Int = #line) {
///     log(text, level: .debug, file: file, function: function, line: line)
/// }
/// ```
///
/// It is like the other calls, and costs a look into a table more. The table keeps up to 4,096 such places of the process,
/// and 512 KiB of their texts. The place of a message beyond that is in its fields `source.file`, `source.function` and
/// `source.line`: file names made from data take no memory. ``LogDispatcher/log(_:asynchronous:)`` takes a message whose
/// time and thread are known as well.
///
/// - Parameters:
///   - text: What to log. Evaluated only if a logger wants the message.
///   - level: The level.
///   - category: The part of the program.
///   - context: A number for formatters and filters.
///   - tag: Any value, handed to loggers as it is.
///   - metadata: Typed fields beside the text.
///   - asynchronous: False waits until the loggers have handled the message; nil leaves it to the dispatcher.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: The source file: `Module/File.swift`, as `#fileID` gives it, or a path.
///   - function: The function.
///   - line: The line.
@_disfavoredOverload
public func log(
    _ text: @autoclosure () -> LogText, level: LogLevel, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil, to dispatcher: LogDispatcher? = nil, file: String, function: String,
    line: some BinaryInteger
) {
    guard isLogEnabled(level, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    (dispatcher ?? .shared).accept(
        text, level, category, context, tag(), metadata(), asynchronous, file: file, function: function,
        line: Int(clamping: line))
    text.recycle()
}

/// Logs a `String` whose place is known only while the program runs; the parameters are those of the call with a literal.
@_disfavoredOverload
public func log(
    _ string: @autoclosure () -> String, level: LogLevel, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil, to dispatcher: LogDispatcher? = nil, file: String, function: String,
    line: some BinaryInteger
) {
    log(
        LogText(string()), level: level, category: category, context: context, tag: tag(),
        metadata: metadata(), asynchronous: asynchronous, to: dispatcher, file: file, function: function,
        line: line)
}
