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
/// Scopes nest: a message gets the fields of all scopes around it, and the innermost scope wins for fields
/// with the same name. The fields of the call take precedence over these, and these over the fields of the
/// category and the dispatcher.
///
/// ```swift
/// withLogContext(["request_id": id]) {
///     logInfo("accepted")  // carries request_id
/// }
/// ```
///
/// - Parameters:
///   - metadata: The fields.
///   - body: The code whose messages get the fields. Work that it passes to dispatch queues or threads does
///     not.
/// - Returns: The result of `body`.
/// - Throws: The error that `body` throws.
public func withLogContext<Result>(_ metadata: LogMetadata, _ body: () throws -> Result) rethrows -> Result {
    try LogContext.$current.withValue(LogContext.merged(with: metadata), operation: body)
}

/// Adds fields to every message that is logged in an asynchronous `body`, and in the tasks that it starts.
///
/// The fields follow the task across suspensions and threads.
///
/// - Parameters:
///   - metadata: The fields.
///   - body: The code whose messages get the fields.
/// - Returns: The result of `body`.
/// - Throws: The error that `body` throws.
nonisolated(nonsending) public func withLogContext<Result>(
    _ metadata: LogMetadata, _ body: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
    try await LogContext.$current.withValue(LogContext.merged(with: metadata), operation: body)
}
