import CHeartwood

/// Fields of the running task, added to each of its messages.
enum LogContext {
    @TaskLocal static var current: EncodedMetadata?

    static func merged(with metadata: LogMetadata) -> EncodedMetadata {
        hw_outer_fields_set()
        var fields = metadata
        if let outer = current { fields.merge(outer.value) { current, _ in current } }
        return EncodedMetadata(fields)
    }
}

/// Adds fields to every message that is logged in `body`, and in the tasks that it starts.
///
/// Scopes nest: the fields of an inner one come on top of those of the outer one, and win where the name is the same.
/// In a message, the fields of the call win over these, and these over the fields of the category and the dispatcher.
///
/// ```swift
/// withLogContext(["request_id": .string(id)]) {
///     logInfo("accepted")  // carries request_id
/// }
/// ```
public func withLogContext<Result>(_ metadata: LogMetadata, _ body: () throws -> Result) rethrows -> Result {
    try LogContext.$current.withValue(LogContext.merged(with: metadata), operation: body)
}

/// Adds fields to every message that is logged in `body`, and in the tasks that it starts.
///
/// The form for asynchronous code: the fields follow the task across its suspensions and threads.
nonisolated(nonsending) public func withLogContext<Result>(
    _ metadata: LogMetadata, _ body: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
    try await LogContext.$current.withValue(LogContext.merged(with: metadata), operation: body)
}
