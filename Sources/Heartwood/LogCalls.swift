public import CHeartwood
public import Synchronization

// The calls that app code makes. Each is one load and one branch while nobody wants its message; the message is
// evaluated at most once, on the caller's thread, and only if somebody does (promise 9).
//
// Parameters of all of them:
//   category      the part of the program; its levels decide too, and its metadata is added
//   context       a number that formatters and filters may use
//   tag           any value, handed to loggers as it is
//   metadata      typed fields beside the text
//   asynchronous  false waits until every logger has handled the message, true does not; nil leaves it to the
//                 dispatcher's `synchronousLevels`
//   dispatcher    another dispatcher than the shared one
//
// A text is written as a literal, whose values keep their types, or handed over as a `String`. The traits
// FloorDebug … FloorError of the package remove the calls below a level from the binary, values and literals included.

/// Whether anybody wants a message of this level, category and dispatcher; nil stands for the default and the shared one.
///
/// For work that is done only for a message, where it does not fit into the message's own literal.
@inlinable @inline(__always)
public func wantsLog(_ level: LogLevel, category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil) -> Bool {
    if let dispatcher { return dispatcher.wants(level, category ?? .default) }
    if let category { return category.state.sharedGate.load(ordering: .relaxed) & level.rawValue != 0 }
    return hw_shared_gate_load() & level.rawValue != 0
}

/// Hands a message that somebody wants to its dispatcher.
@usableFromInline
func submit(
    _ text: consuming LogText, _ level: LogLevel, _ category: LogCategory?, _ context: Int, _ tag: (any Sendable)?,
    _ metadata: LogMetadata?, _ asynchronous: Bool?, _ dispatcher: LogDispatcher?, _ file: StaticString,
    _ function: StaticString, _ line: UInt
) {
    let site = CallSiteTable.shared.id(file: file, function: function, line: line)
    (dispatcher ?? .shared).accept(
        text, level, category ?? .default, context: context, tag: tag, metadata: metadata, asynchronous: asynchronous,
        site: site)
}

/// Logs at a level that is given as a value: one of the user's own, or one that is known only while the program runs.
///
/// - Parameters:
///   - text: What to log.
///   - level: The level.
///   - category: The part of the program.
///   - context: A number that goes along.
///   - tag: A value that goes along.
///   - metadata: Typed fields.
///   - asynchronous: Whether to wait for the loggers.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: Where the call stands.
///   - function: Where the call stands.
///   - line: Where the call stands.
@inlinable
public func log(
    _ text: @autoclosure () -> LogText, level: LogLevel, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard wantsLog(level, category: category, to: dispatcher) else { return }
    submit(text(), level, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
}

/// Logs a string at a level that is given as a value.
@inlinable @_disfavoredOverload
public func log(
    _ string: @autoclosure () -> String, level: LogLevel, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard wantsLog(level, category: category, to: dispatcher) else { return }
    submit(LogText(string()), level, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
}

/// The program cannot go on. Logged synchronously unless the call says otherwise; it does not end the program.
@inlinable @inline(__always)
public func logFatal(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard wantsLog(.fatal, category: category, to: dispatcher) else { return }
    submit(
        text(), .fatal, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
}

/// The same for a string.
@inlinable @inline(__always) @_disfavoredOverload
public func logFatal(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard wantsLog(.fatal, category: category, to: dispatcher) else { return }
    submit(
        LogText(string()), .fatal, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
}

/// Something failed. Logged synchronously unless the call says otherwise.
@inlinable @inline(__always)
public func logError(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard wantsLog(.error, category: category, to: dispatcher) else { return }
    submit(
        text(), .error, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
}

/// The same for a string.
@inlinable @inline(__always) @_disfavoredOverload
public func logError(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard wantsLog(.error, category: category, to: dispatcher) else { return }
    submit(
        LogText(string()), .error, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
}

/// Something may fail soon, or was worked around.
@inlinable @inline(__always)
public func logWarning(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorError
    guard wantsLog(.warning, category: category, to: dispatcher) else { return }
    submit(
        text(), .warning, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// The same for a string.
@inlinable @inline(__always) @_disfavoredOverload
public func logWarning(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorError
    guard wantsLog(.warning, category: category, to: dispatcher) else { return }
    submit(
        LogText(string()), .warning, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// Normal, but worth a look.
@inlinable @inline(__always)
public func logNotice(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorWarning
    guard wantsLog(.notice, category: category, to: dispatcher) else { return }
    submit(
        text(), .notice, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// The same for a string.
@inlinable @inline(__always) @_disfavoredOverload
public func logNotice(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorWarning
    guard wantsLog(.notice, category: category, to: dispatcher) else { return }
    submit(
        LogText(string()), .notice, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// What the program does, for those who run it.
@inlinable @inline(__always)
public func logInfo(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorNotice
    guard wantsLog(.info, category: category, to: dispatcher) else { return }
    submit(
        text(), .info, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// The same for a string.
@inlinable @inline(__always) @_disfavoredOverload
public func logInfo(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorNotice
    guard wantsLog(.info, category: category, to: dispatcher) else { return }
    submit(
        LogText(string()), .info, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// How the program does it, for those who write it.
@inlinable @inline(__always)
public func logDebug(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorInfo
    guard wantsLog(.debug, category: category, to: dispatcher) else { return }
    submit(
        text(), .debug, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// The same for a string.
@inlinable @inline(__always) @_disfavoredOverload
public func logDebug(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorInfo
    guard wantsLog(.debug, category: category, to: dispatcher) else { return }
    submit(
        LogText(string()), .debug, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// Everything else.
@inlinable @inline(__always)
public func logVerbose(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorDebug
    guard wantsLog(.verbose, category: category, to: dispatcher) else { return }
    submit(
        text(), .verbose, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// The same for a string.
@inlinable @inline(__always) @_disfavoredOverload
public func logVerbose(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: (any Sendable)? = nil, metadata: LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorDebug
    guard wantsLog(.verbose, category: category, to: dispatcher) else { return }
    submit(
        LogText(string()), .verbose, category, context, tag, metadata, asynchronous, dispatcher, file, function, line)
    #endif
}

/// Checks that something holds. When it does not, that is logged as an error, and the program stops where assertions
/// are on: in debug builds.
///
/// The condition is evaluated in release builds too, unlike that of `assert`.
@inlinable
public func logAssert(
    _ condition: @autoclosure () -> Bool, _ text: @autoclosure () -> LogText = "assertion failed",
    category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line
) {
    if !condition() {
        logAssertionFailure(text(), category: category, to: dispatcher, file: file, function: function, line: line)
    }
}

/// Says that a place was reached that must not be: logged synchronously as an error, and the program stops where
/// assertions are on.
@inlinable
public func logAssertionFailure(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
    let text = text()
    logError(
        text, category: category, asynchronous: false, to: dispatcher, file: file, function: function, line: line)
    assertionFailure(describe(text), file: file, line: line)
}

@usableFromInline
func describe(_ text: LogText) -> String { LogMessage(text).text }
