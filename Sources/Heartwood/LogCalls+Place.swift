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
/// `file` is `Module/File.swift`, as `#fileID` gives it, or a path; `line` counts from 1. The other
/// parameters are those of `log(_:level:…)`.
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
