// The calls that app code makes. Each is one load and one branch while no logger wants its message; the
// message is evaluated at most once, on the caller's thread, and only if a logger does (promise 9).
//
// A text is a literal, whose values keep their types, or a `String`. The package traits FloorDebug …
// FloorError remove the calls below a level from the binary, values and literals included.

/// Passes a message that a logger wants to its dispatcher.
@inlinable @inline(__always)
func submit(
    _ text: consuming LogText, _ level: LogLevel, _ category: LogCategory?, _ context: Int,
    _ tag: (any Sendable)?,
    _ metadata: LogMetadata?, _ error: (any Error)?, _ asynchronous: Bool?, _ dispatcher: LogDispatcher?,
    _ file: StaticString, _ function: StaticString, _ line: UInt
) {
    let count = text.count
    // The compiler knows that names of files and functions have addresses.
    if tag == nil, metadata == nil, error == nil, file.hasPointerRepresentation,
        function.hasPointerRepresentation
    {
        submitPlain(
            text.buffer, count, level.rawValue, category, context, asynchronous, dispatcher, file.utf8Start,
            function.utf8Start, line)
    } else {
        submitWithExtras(
            text.buffer, count, level.rawValue, category, context, tag, metadata, error, asynchronous,
            dispatcher, file, function, line)
    }
}

/// The path of nearly every message: only a text.
///
/// The buffer goes back to its thread. `file` and `function` end with a zero, as every `StaticString` does.
@usableFromInline
func submitPlain(
    _ text: consuming TextBuffer, _ count: Int, _ level: UInt32, _ category: LogCategory?, _ context: Int,
    _ asynchronous: Bool?, _ dispatcher: LogDispatcher?, _ file: UnsafePointer<UInt8>,
    _ function: UnsafePointer<UInt8>, _ line: UInt
) {
    let intake = dispatcher.map { $0.intake } ?? LogDispatcher.sharedIntake
    Intake.acceptPlain(
        intake, text.base, count, level, category, context,
        CallSiteTable.id(file: file, function: function, line: line), asynchronous)
    ThreadState.current.recycle(text)
}

/// The path of a message with a tag, fields or an error.
@usableFromInline
func submitWithExtras(
    _ text: consuming TextBuffer, _ count: Int, _ level: UInt32, _ category: LogCategory?, _ context: Int,
    _ tag: (any Sendable)?, _ metadata: LogMetadata?, _ error: (any Error)?, _ asynchronous: Bool?,
    _ dispatcher: LogDispatcher?, _ file: StaticString, _ function: StaticString, _ line: UInt
) {
    let fields = LogMetadata.adding(error, to: metadata).map { EncodedMetadata($0).bytes } ?? []
    fields.withUnsafeBytes { fields in
        var call = Call(
            text: UnsafeRawBufferPointer(start: text.base, count: count), level: level, category: category,
            context: context, site: CallSiteTable.id(file: file, function: function, line: line))
        call.fields = fields
        let dispatcher = dispatcher ?? .shared
        call.tag = tag.map(dispatcher.retainedBox)
        dispatcher.intake.pointee.accept(&call, asynchronous)
    }
    ThreadState.current.recycle(text)
}

/// Logs a message at a given level: a custom one, or one that is known only while the program runs.
///
/// `log("GET /", level: .access)` logs at the level `access`, which the program has declared. `logFatal` to
/// `logVerbose` are the calls for the standard levels.
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
///   - file: The source file of the call. Leave out.
///   - function: The function of the call. Leave out.
///   - line: The line of the call. Leave out.
@inlinable
public func log(
    _ text: @autoclosure () -> LogText, level: LogLevel, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(level, category: category, to: dispatcher, file: file) else { return }
    submit(
        text(), level, category, context, tag(), metadata(), error(), asynchronous, dispatcher, file,
        function, line)
}

/// Logs a `String` at a given level: a custom one, or one that is known only while the program runs.
///
/// The whole string becomes the text of the message. Prefer a literal, which keeps the types and the privacy
/// of its values.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @_disfavoredOverload
public func log(
    _ string: @autoclosure () -> String, level: LogLevel, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(level, category: category, to: dispatcher, file: file) else { return }
    submit(
        LogText(string()), level, category, context, tag(), metadata(), error(), asynchronous, dispatcher,
        file, function, line)
}

/// Logs a message at the `fatal` level: the program cannot continue.
///
/// Logging a fatal message does not end the program. The call waits until all loggers have handled the
/// message, unless `asynchronous` or the dispatcher's ``LogDispatcher/synchronousLevels`` say otherwise.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always)
public func logFatal(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(.fatal, category: category, to: dispatcher, file: file) else { return }
    submit(
        text(), .fatal, category, context, tag(), metadata(), error(), asynchronous, dispatcher, file,
        function, line)
}

/// Logs a `String` at the `fatal` level: the program cannot continue.
///
/// The whole string becomes the text of the message. Prefer a literal, which keeps the types and the privacy
/// of its values.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always) @_disfavoredOverload
public func logFatal(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(.fatal, category: category, to: dispatcher, file: file) else { return }
    submit(
        LogText(string()), .fatal, category, context, tag(), metadata(), error(), asynchronous, dispatcher,
        file, function, line)
}

/// Logs a message at the `error` level: an operation failed.
///
/// The call waits until all loggers have handled the message, unless `asynchronous` or the dispatcher's
/// ``LogDispatcher/synchronousLevels`` say otherwise.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always)
public func logError(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(.error, category: category, to: dispatcher, file: file) else { return }
    submit(
        text(), .error, category, context, tag(), metadata(), error(), asynchronous, dispatcher, file,
        function, line)
}

/// Logs a `String` at the `error` level: an operation failed.
///
/// The whole string becomes the text of the message. Prefer a literal, which keeps the types and the privacy
/// of its values.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always) @_disfavoredOverload
public func logError(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    guard isLogEnabled(.error, category: category, to: dispatcher, file: file) else { return }
    submit(
        LogText(string()), .error, category, context, tag(), metadata(), error(), asynchronous, dispatcher,
        file, function, line)
}

/// Logs a message at the `warning` level: something may fail soon, or the program worked around a problem.
///
/// The program continues as it should, but a person should look at the cause.
/// The package trait `FloorError` removes these calls from the binary.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always)
public func logWarning(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorError
    guard isLogEnabled(.warning, category: category, to: dispatcher, file: file) else { return }
    submit(
        text(), .warning, category, context, tag(), metadata(), error(), asynchronous, dispatcher, file,
        function, line)
    #endif
}

/// Logs a `String` at the `warning` level: something may fail soon, or the program worked around a problem.
///
/// The whole string becomes the text of the message. Prefer a literal, which keeps the types and the privacy
/// of its values. The package trait `FloorError` removes these calls.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always) @_disfavoredOverload
public func logWarning(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorError
    guard isLogEnabled(.warning, category: category, to: dispatcher, file: file) else { return }
    submit(
        LogText(string()), .warning, category, context, tag(), metadata(), error(), asynchronous, dispatcher,
        file, function, line)
    #endif
}

/// Logs a message at the `notice` level: a normal event that is worth attention.
///
/// Typical events are a start, a stop or a changed setting, which an operator wants to see even in a busy
/// log. The package trait `FloorWarning` removes these calls from the binary.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always)
public func logNotice(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorWarning
    guard isLogEnabled(.notice, category: category, to: dispatcher, file: file) else { return }
    submit(
        text(), .notice, category, context, tag(), metadata(), error(), asynchronous, dispatcher, file,
        function, line)
    #endif
}

/// Logs a `String` at the `notice` level: a normal event that is worth attention.
///
/// The whole string becomes the text of the message. Prefer a literal, which keeps the types and the privacy
/// of its values. The package trait `FloorWarning` removes these calls.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always) @_disfavoredOverload
public func logNotice(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorWarning
    guard isLogEnabled(.notice, category: category, to: dispatcher, file: file) else { return }
    submit(
        LogText(string()), .notice, category, context, tag(), metadata(), error(), asynchronous, dispatcher,
        file, function, line)
    #endif
}

/// Logs a message at the `info` level: what the program does, for the people who operate it.
///
/// Typical events are an accepted request or a finished job.
/// The package trait `FloorNotice` removes these calls from the binary.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always)
public func logInfo(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorNotice
    guard isLogEnabled(.info, category: category, to: dispatcher, file: file) else { return }
    submit(
        text(), .info, category, context, tag(), metadata(), error(), asynchronous, dispatcher, file,
        function, line)
    #endif
}

/// Logs a `String` at the `info` level: what the program does, for the people who operate it.
///
/// The whole string becomes the text of the message. Prefer a literal, which keeps the types and the privacy
/// of its values. The package trait `FloorNotice` removes these calls.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always) @_disfavoredOverload
public func logInfo(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorNotice
    guard isLogEnabled(.info, category: category, to: dispatcher, file: file) else { return }
    submit(
        LogText(string()), .info, category, context, tag(), metadata(), error(), asynchronous, dispatcher,
        file, function, line)
    #endif
}

/// Logs a message at the `debug` level: how the program works, for its developers.
///
/// Turn the level on to find a bug, for example for one category only.
/// The package trait `FloorInfo` removes these calls from the binary.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always)
public func logDebug(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorInfo
    guard isLogEnabled(.debug, category: category, to: dispatcher, file: file) else { return }
    submit(
        text(), .debug, category, context, tag(), metadata(), error(), asynchronous, dispatcher, file,
        function, line)
    #endif
}

/// Logs a `String` at the `debug` level: how the program works, for its developers.
///
/// The whole string becomes the text of the message. Prefer a literal, which keeps the types and the privacy
/// of its values. The package trait `FloorInfo` removes these calls.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always) @_disfavoredOverload
public func logDebug(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorInfo
    guard isLogEnabled(.debug, category: category, to: dispatcher, file: file) else { return }
    submit(
        LogText(string()), .debug, category, context, tag(), metadata(), error(), asynchronous, dispatcher,
        file, function, line)
    #endif
}

/// Logs a message at the `verbose` level: every detail, such as single steps and raw values.
///
/// The level is for short investigations, because it can produce very many messages.
/// The package trait `FloorDebug` removes these calls from the binary.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always)
public func logVerbose(
    _ text: @autoclosure () -> LogText, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorDebug
    guard isLogEnabled(.verbose, category: category, to: dispatcher, file: file) else { return }
    submit(
        text(), .verbose, category, context, tag(), metadata(), error(), asynchronous, dispatcher, file,
        function, line)
    #endif
}

/// Logs a `String` at the `verbose` level: every detail, such as single steps and raw values.
///
/// The whole string becomes the text of the message. Prefer a literal, which keeps the types and the privacy
/// of its values. The package trait `FloorDebug` removes these calls.
///
/// The parameters are those of `log(_:level:…)`.
@inlinable @inline(__always) @_disfavoredOverload
public func logVerbose(
    _ string: @autoclosure () -> String, error: @autoclosure () -> (any Error)? = nil,
    category: LogCategory? = nil, context: Int = 0, tag: @autoclosure () -> (any Sendable)? = nil,
    metadata: @autoclosure () -> LogMetadata? = nil, asynchronous: Bool? = nil,
    to dispatcher: LogDispatcher? = nil, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
) {
    #if !FloorDebug
    guard isLogEnabled(.verbose, category: category, to: dispatcher, file: file) else { return }
    submit(
        LogText(string()), .verbose, category, context, tag(), metadata(), error(), asynchronous, dispatcher,
        file, function, line)
    #endif
}

/// Logs an error if a condition is false, and stops a debug build.
///
/// The message is logged synchronously at the `error` level. Then the program stops where assertions are on,
/// that is in debug builds. Unlike `assert`, this function evaluates the condition in release builds too.
///
/// - Parameters:
///   - condition: What should be true. Evaluated once, in every build.
///   - text: The message; "assertion failed" unless given. Evaluated only if the condition is false.
///   - category: The part of the program. nil, the default, is ``LogCategory/default``.
///   - dispatcher: The dispatcher that gets the message. nil, the default, is ``LogDispatcher/shared``.
///   - file: The source file of the call. Leave out.
///   - function: The function of the call. Leave out.
///   - line: The line of the call. Leave out.
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

/// Logs an error because the program reached a place that it must not reach, and stops a debug build.
///
/// The message is logged synchronously at the `error` level. Then the program stops where assertions are on,
/// that is in debug builds.
///
/// - Parameters:
///   - text: The message. Evaluated once.
///   - category: The part of the program. nil, the default, is ``LogCategory/default``.
///   - dispatcher: The dispatcher that gets the message. nil, the default, is ``LogDispatcher/shared``.
///   - file: The source file of the call. Leave out.
///   - function: The function of the call. Leave out.
///   - line: The line of the call. Leave out.
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
