// What does not work, and what to write instead: each of these is never called, and is there for the
// compiler's message. They take exactly what the slip gives, so that they are no candidates for other calls.

/// Not available: texts are not formats, and values are written into the literal.
@available(
    *, unavailable,
    message: "printf formats are not supported; interpolate the values, as in \"\\(count) items\""
)
@_disfavoredOverload
public func logFatal(_ format: String, _ argument: Any?, _ arguments: Any?...) {}

/// Not available: write the value into a literal.
@available(*, unavailable, message: "a message must be a string; write logFatal(\"\\(value)\")")
@_disfavoredOverload
public func logFatal<Value>(_ value: Value) {}

/// Not available: texts are not formats, and values are written into the literal.
@available(
    *, unavailable,
    message: "printf formats are not supported; interpolate the values, as in \"\\(count) items\""
)
@_disfavoredOverload
public func logError(_ format: String, _ argument: Any?, _ arguments: Any?...) {}

/// Not available: write the value into a literal.
@available(*, unavailable, message: "a message must be a string; write logError(\"\\(value)\")")
@_disfavoredOverload
public func logError<Value>(_ value: Value) {}

/// Not available: texts are not formats, and values are written into the literal.
@available(
    *, unavailable,
    message: "printf formats are not supported; interpolate the values, as in \"\\(count) items\""
)
@_disfavoredOverload
public func logWarning(_ format: String, _ argument: Any?, _ arguments: Any?...) {}

/// Not available: write the value into a literal.
@available(*, unavailable, message: "a message must be a string; write logWarning(\"\\(value)\")")
@_disfavoredOverload
public func logWarning<Value>(_ value: Value) {}

/// Not available: texts are not formats, and values are written into the literal.
@available(
    *, unavailable,
    message: "printf formats are not supported; interpolate the values, as in \"\\(count) items\""
)
@_disfavoredOverload
public func logNotice(_ format: String, _ argument: Any?, _ arguments: Any?...) {}

/// Not available: write the value into a literal.
@available(*, unavailable, message: "a message must be a string; write logNotice(\"\\(value)\")")
@_disfavoredOverload
public func logNotice<Value>(_ value: Value) {}

/// Not available: texts are not formats, and values are written into the literal.
@available(
    *, unavailable,
    message: "printf formats are not supported; interpolate the values, as in \"\\(count) items\""
)
@_disfavoredOverload
public func logInfo(_ format: String, _ argument: Any?, _ arguments: Any?...) {}

/// Not available: write the value into a literal.
@available(*, unavailable, message: "a message must be a string; write logInfo(\"\\(value)\")")
@_disfavoredOverload
public func logInfo<Value>(_ value: Value) {}

/// Not available: texts are not formats, and values are written into the literal.
@available(
    *, unavailable,
    message: "printf formats are not supported; interpolate the values, as in \"\\(count) items\""
)
@_disfavoredOverload
public func logDebug(_ format: String, _ argument: Any?, _ arguments: Any?...) {}

/// Not available: write the value into a literal.
@available(*, unavailable, message: "a message must be a string; write logDebug(\"\\(value)\")")
@_disfavoredOverload
public func logDebug<Value>(_ value: Value) {}

/// Not available: texts are not formats, and values are written into the literal.
@available(
    *, unavailable,
    message: "printf formats are not supported; interpolate the values, as in \"\\(count) items\""
)
@_disfavoredOverload
public func logVerbose(_ format: String, _ argument: Any?, _ arguments: Any?...) {}

/// Not available: write the value into a literal.
@available(*, unavailable, message: "a message must be a string; write logVerbose(\"\\(value)\")")
@_disfavoredOverload
public func logVerbose<Value>(_ value: Value) {}
