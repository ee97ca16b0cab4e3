public import CHeartwood
public import Synchronization

// The calls that app code makes. Each is one load and one branch while no logger wants its message; the message is
// evaluated at most once, on the caller's thread, and only if a logger does (promise 9).
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

/// Whether a logger wants a message of this level, category and dispatcher; nil is the default one and the shared one.
///
/// For work that is done only for a message, where it does not fit into the message's own literal.
@inlinable @inline(__always)
public func isLogEnabled(
    _ level: LogLevel, category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil,
    file: StaticString = #fileID
) -> Bool {
    let isOpen =
        if let dispatcher {
            dispatcher.wants(level, category ?? .default)
        } else if let category {
            category.state.sharedGate.load(ordering: .relaxed) & level.rawValue != 0
        } else {
            hw_shared_gate_load() & level.rawValue != 0
        }
    // Levels by source file are looked at only for what has passed, and only where there are any.
    if !isOpen || !hw_source_levels_load() { return isOpen }
    return LogSourceLevels.wants(level, category, file)
}

/// Passes a message that a logger wants to its dispatcher.
///
/// The text is still the caller's afterwards.
@inlinable @inline(__always)
func submit(
    _ text: borrowing LogText, _ level: LogLevel, _ category: LogCategory?, _ context: Int,
    _ tag: (any Sendable)?,
    _ metadata: LogMetadata?, _ asynchronous: Bool?, _ dispatcher: LogDispatcher?, _ file: StaticString,
    _ function: StaticString, _ line: UInt
) {
    if tag == nil, metadata == nil {
        submitPlain(
            text.buffer.base, text.count, level.rawValue, category, context, asynchronous, dispatcher, file,
            function,
            line)
    } else {
        submitWithExtras(
            text.buffer.base, text.count, level.rawValue, category, context, tag, metadata, asynchronous,
            dispatcher,
            file, function, line)
    }
}

/// The way of nearly every message: nothing but the text.
@usableFromInline
func submitPlain(
    _ text: UnsafeMutableRawPointer, _ count: Int, _ level: UInt32, _ category: LogCategory?, _ context: Int,
    _ asynchronous: Bool?, _ dispatcher: LogDispatcher?, _ file: StaticString, _ function: StaticString,
    _ line: UInt
) {
    let intake = dispatcher.map { $0.intake } ?? LogDispatcher.sharedIntake
    intake.pointee.acceptPlain(
        UnsafeRawBufferPointer(start: text, count: count), level, category, context,
        CallSiteTable.id(file: file, function: function, line: line), asynchronous)
}

/// The way of a message with a tag or fields.
@usableFromInline
func submitWithExtras(
    _ text: UnsafeMutableRawPointer, _ count: Int, _ level: UInt32, _ category: LogCategory?, _ context: Int,
    _ tag: (any Sendable)?, _ metadata: LogMetadata?, _ asynchronous: Bool?, _ dispatcher: LogDispatcher?,
    _ file: StaticString, _ function: StaticString, _ line: UInt
) {
    let fields = metadata.map { EncodedMetadata($0).bytes } ?? []
    fields.withUnsafeBytes { fields in
        var call = Call(
            text: UnsafeRawBufferPointer(start: text, count: count), level: level, category: category,
            context: context, site: CallSiteTable.id(file: file, function: function, line: line))
        call.fields = fields
        call.tag = tag.map { Unmanaged.passRetained(TagBox($0)) }
        (dispatcher ?? .shared).intake.pointee.accept(&call, asynchronous)
    }
}

/// Logs at a level that is given as a value: a custom one, or one that is known only while the program runs.
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
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
@inlinable
public func log(
    _ text: @autoclosure () -> LogText, level: LogLevel, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(level, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(text, level, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
}

/// Logs a string at a level that is given as a value.
@inlinable @_disfavoredOverload
public func log(
    _ string: @autoclosure () -> String, level: LogLevel, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(level, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(text, level, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
}

/// Logs a message of level `fatal`: the program cannot go on.
///
/// Logged synchronously unless the call says otherwise; it does not end the program.
///
/// - Parameters:
///   - text: What to log: a literal, whose values keep their types. Evaluated only if a logger wants the message.
///   - category: The part of the program; its levels decide too, and its fields are added.
///   - context: A number for formatters and filters.
///   - tag: Any value, handed to loggers as it is.
///   - metadata: Typed fields beside the text.
///   - asynchronous: False waits until the loggers have handled the message; nil leaves it to the dispatcher.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
@inlinable @inline(__always)
public func logFatal(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(.fatal, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(text, .fatal, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
}

/// Logs a `String` built elsewhere at level `fatal`, as one text; the parameters are those of the call with a literal.
@inlinable @inline(__always) @_disfavoredOverload
public func logFatal(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(.fatal, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(text, .fatal, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
}

/// Logs a message of level `error`: something failed.
///
/// Logged synchronously unless the call says otherwise.
///
/// - Parameters:
///   - text: What to log: a literal, whose values keep their types. Evaluated only if a logger wants the message.
///   - category: The part of the program; its levels decide too, and its fields are added.
///   - context: A number for formatters and filters.
///   - tag: Any value, handed to loggers as it is.
///   - metadata: Typed fields beside the text.
///   - asynchronous: False waits until the loggers have handled the message; nil leaves it to the dispatcher.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
@inlinable @inline(__always)
public func logError(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(.error, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(text, .error, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
}

/// Logs a `String` built elsewhere at level `error`, as one text; the parameters are those of the call with a literal.
@inlinable @inline(__always) @_disfavoredOverload
public func logError(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(.error, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(text, .error, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
}

/// Logs a message of level `warning`: something may fail soon, or was worked around.
///
/// - Parameters:
///   - text: What to log: a literal, whose values keep their types. Evaluated only if a logger wants the message.
///   - category: The part of the program; its levels decide too, and its fields are added.
///   - context: A number for formatters and filters.
///   - tag: Any value, handed to loggers as it is.
///   - metadata: Typed fields beside the text.
///   - asynchronous: False waits until the loggers have handled the message; nil leaves it to the dispatcher.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
@inlinable @inline(__always)
public func logWarning(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorError
    guard isLogEnabled(.warning, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .warning, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a `String` built elsewhere at level `warning`, as one text; the parameters are those of the call with a literal.
@inlinable @inline(__always) @_disfavoredOverload
public func logWarning(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorError
    guard isLogEnabled(.warning, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .warning, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a message of level `notice`: normal, but worth a look.
///
/// - Parameters:
///   - text: What to log: a literal, whose values keep their types. Evaluated only if a logger wants the message.
///   - category: The part of the program; its levels decide too, and its fields are added.
///   - context: A number for formatters and filters.
///   - tag: Any value, handed to loggers as it is.
///   - metadata: Typed fields beside the text.
///   - asynchronous: False waits until the loggers have handled the message; nil leaves it to the dispatcher.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
@inlinable @inline(__always)
public func logNotice(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorWarning
    guard isLogEnabled(.notice, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .notice, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a `String` built elsewhere at level `notice`, as one text; the parameters are those of the call with a literal.
@inlinable @inline(__always) @_disfavoredOverload
public func logNotice(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorWarning
    guard isLogEnabled(.notice, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .notice, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a message of level `info`: what the program does, for those who run it.
///
/// - Parameters:
///   - text: What to log: a literal, whose values keep their types. Evaluated only if a logger wants the message.
///   - category: The part of the program; its levels decide too, and its fields are added.
///   - context: A number for formatters and filters.
///   - tag: Any value, handed to loggers as it is.
///   - metadata: Typed fields beside the text.
///   - asynchronous: False waits until the loggers have handled the message; nil leaves it to the dispatcher.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
@inlinable @inline(__always)
public func logInfo(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorNotice
    guard isLogEnabled(.info, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(text, .info, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a `String` built elsewhere at level `info`, as one text; the parameters are those of the call with a literal.
@inlinable @inline(__always) @_disfavoredOverload
public func logInfo(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorNotice
    guard isLogEnabled(.info, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(text, .info, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a message of level `debug`: how the program does it, for its developers.
///
/// - Parameters:
///   - text: What to log: a literal, whose values keep their types. Evaluated only if a logger wants the message.
///   - category: The part of the program; its levels decide too, and its fields are added.
///   - context: A number for formatters and filters.
///   - tag: Any value, handed to loggers as it is.
///   - metadata: Typed fields beside the text.
///   - asynchronous: False waits until the loggers have handled the message; nil leaves it to the dispatcher.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
@inlinable @inline(__always)
public func logDebug(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorInfo
    guard isLogEnabled(.debug, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(text, .debug, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a `String` built elsewhere at level `debug`, as one text; the parameters are those of the call with a literal.
@inlinable @inline(__always) @_disfavoredOverload
public func logDebug(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorInfo
    guard isLogEnabled(.debug, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(text, .debug, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a message of level `verbose`: every detail.
///
/// - Parameters:
///   - text: What to log: a literal, whose values keep their types. Evaluated only if a logger wants the message.
///   - category: The part of the program; its levels decide too, and its fields are added.
///   - context: A number for formatters and filters.
///   - tag: Any value, handed to loggers as it is.
///   - metadata: Typed fields beside the text.
///   - asynchronous: False waits until the loggers have handled the message; nil leaves it to the dispatcher.
///   - dispatcher: Another dispatcher than the shared one.
///   - file: The source file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
@inlinable @inline(__always)
public func logVerbose(
    _ text: @autoclosure () -> LogText, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorDebug
    guard isLogEnabled(.verbose, category: category, to: dispatcher, file: file) else { return }
    let text = text()
    submit(
        text, .verbose, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Logs a `String` built elsewhere at level `verbose`, as one text; the parameters are those of the call with a literal.
@inlinable @inline(__always) @_disfavoredOverload
public func logVerbose(
    _ string: @autoclosure () -> String, category: LogCategory? = nil, context: Int = 0,
    tag: @autoclosure () -> (any Sendable)? = nil, metadata: @autoclosure () -> LogMetadata? = nil,
    asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorDebug
    guard isLogEnabled(.verbose, category: category, to: dispatcher, file: file) else { return }
    let text = LogText(string())
    submit(
        text, .verbose, category, context, tag(), metadata(), asynchronous, dispatcher, file, function, line)
    text.recycle()
    #endif
}

/// Checks that something holds.
///
/// When it does not, that is logged as an error, and the program stops where assertions are on: in debug
/// builds.
///
/// The condition is evaluated in release builds too, unlike that of `assert`.
@inlinable
public func logAssert(
    _ condition: @autoclosure () -> Bool, _ text: @autoclosure () -> LogText = "assertion failed",
    category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line
) {
    if !condition() {
        logAssertionFailure(
            text(), category: category, to: dispatcher, file: file, function: function, line: line)
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
        text, category: category, asynchronous: false, to: dispatcher, file: file, function: function,
        line: line)
    assertionFailure(describe(text), file: file, line: line)
}

@usableFromInline
func describe(_ text: LogText) -> String { LogMessage(text).text }
