/// Where a message belongs in a distributed trace: the trace, and the span of it that is at work.
///
/// A server makes one from the header `traceparent` of a request (W3C Trace Context), and runs the request's
/// work with it:
///
/// ```swift
/// let trace = LogTrace(traceparent: request.headers["traceparent"] ?? "")?.child() ?? LogTrace.random()
/// withLogTrace(trace) {
///     logInfo("order accepted")  // has trace_id and span_id
/// }
/// ```
///
/// Each message has the fields `trace_id`, `span_id` and `trace_flags` then, and each format writes them
/// once, where it wants them: OTLP in the record's own `traceId`, `spanId` and `flags`, ECS as `trace.id` and
/// `span.id`, Datadog as `dd.trace_id` and `dd.span_id`.
public struct LogTrace: Hashable, Sendable, CustomStringConvertible {
    /// The trace: 32 lowercase hexadecimal digits, not all of them zero.
    public let traceID: String
    /// The span: 16 lowercase hexadecimal digits, not all of them zero.
    public let spanID: String
    /// The trace's flags; the lowest bit says that it is sampled.
    public let flags: UInt8

    @TaskLocal static var running: LogTrace?

    /// The trace of the running task, as `withLogTrace(_:_:)` set it.
    public static var current: LogTrace? { running }

    /// Takes identifiers; nil if one does not have the form below.
    ///
    /// - Parameters:
    ///   - traceID: 32 lowercase hexadecimal digits, not all of them zero.
    ///   - spanID: 16 lowercase hexadecimal digits, not all of them zero.
    ///   - flags: The flags; 1, sampled, unless given.
    public init?(traceID: String, spanID: String, flags: UInt8 = 1) {
        guard Self.isIdentifier(traceID, 32), Self.isIdentifier(spanID, 16) else { return nil }
        (self.traceID, self.spanID, self.flags) = (traceID, spanID, flags)
    }

    /// Takes a `traceparent` header: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    ///
    /// As strict as the W3C's recommendation wants: lowercase digits, no identifier that is all zeros, no
    /// version `ff`, and for version `00` nothing after the flags. Of a later version, what this one knows is
    /// read.
    ///
    /// - Returns: nil for anything else; start a new trace then.
    public init?(traceparent: String) {
        let bytes = Array(traceparent.utf8.prefix(56))
        guard bytes.count >= 55, bytes[2] == .hyphen, bytes[35] == .hyphen, bytes[52] == .hyphen else {
            return nil
        }
        guard let version = Self.byte(bytes[0..<2]), version != 0xFF else { return nil }
        if bytes.count > 55, version == 0 || bytes[55] != .hyphen { return nil }
        guard let flags = Self.byte(bytes[53..<55]) else { return nil }
        self.init(
            traceID: String(decoding: bytes[3..<35], as: UTF8.self),
            spanID: String(decoding: bytes[36..<52], as: UTF8.self), flags: flags)
    }

    /// A new trace with random identifiers.
    ///
    /// - Parameter isSampled: Whether the trace is recorded; true by default.
    /// - Returns: a trace with new random identifiers.
    public static func random(isSampled: Bool = true) -> LogTrace {
        LogTrace(
            unchecked: digits(.random(in: .min ... .max)) + digits(.random(in: 1 ... .max)),
            digits(.random(in: 1 ... .max)), isSampled ? 1 : 0)
    }

    /// A span with a random identifier in the same trace: for the work that a request causes here.
    public func child() -> LogTrace {
        LogTrace(unchecked: traceID, Self.digits(.random(in: 1 ... .max)), flags)
    }

    /// Whether the trace is recorded.
    public var isSampled: Bool { flags & 1 == 1 }

    /// The header for requests to other servers, in version `00`.
    public var traceparent: String {
        "00-\(traceID)-\(spanID)-\(flags < 16 ? "0" : "")\(String(flags, radix: 16))"
    }

    /// The header.
    public var description: String { traceparent }

    /// The fields of each message.
    var fields: LogMetadata {
        ["trace_id": traceID, "span_id": spanID, "trace_flags": flags]
    }

    private init(unchecked traceID: String, _ spanID: String, _ flags: UInt8) {
        (self.traceID, self.spanID, self.flags) = (traceID, spanID, flags)
    }

    private static func digits(_ number: UInt64) -> String {
        withUnsafeBytes(of: number.bigEndian) { Hexadecimal.encode($0) }
    }

    private static func isIdentifier(_ text: String, _ length: Int) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy { isDigit($0) }
            && text.utf8.contains { $0 != UInt8(ascii: "0") }
    }

    private static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        digits.allSatisfy { isDigit($0) } ? UInt8(String(decoding: digits, as: UTF8.self), radix: 16) : nil
    }

    /// Whether it is a hexadecimal digit; capitals are not allowed.
    private static func isDigit(_ byte: UInt8) -> Bool { byte.isHexadecimal && !byte.isCapital }
}

/// Logs everything in `body`, and in the tasks that it starts, as a part of a trace.
///
/// - Parameters:
///   - trace: The trace and the span; nil changes nothing, so that a header that cannot be read needs no case
///     of its own.
///   - body: The work.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws.
public func withLogTrace<Result>(_ trace: LogTrace?, _ body: () throws -> Result) rethrows -> Result {
    guard let trace else { return try body() }
    return try LogTrace.$running.withValue(trace) { try withLogContext(trace.fields, body) }
}

/// Logs everything in `body`, and in the tasks that it starts, as a part of a trace.
///
/// The form for asynchronous code: the trace follows the task across its suspensions and threads.
///
/// - Parameters:
///   - trace: The trace and the span; nil changes nothing.
///   - body: The work.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws.
nonisolated(nonsending) public func withLogTrace<Result>(
    _ trace: LogTrace?, _ body: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
    guard let trace else { return try await body() }
    return try await LogTrace.$running.withValue(trace) { try await withLogContext(trace.fields, body) }
}

extension LogMessage {
    /// The trace that the message belongs to: its fields `trace_id` and `span_id`, whoever set them.
    public var trace: LogTrace? { TraceFields(allFields)?.trace }

    /// The named values of the text and the fields beside it, each name once.
    var allFields: LogMetadata {
        if storage.fieldsSize == 0 { return fields }
        var all = fields
        all.merge(metadata) { current, _ in current }
        return all
    }

    /// The error that the call gave.
    var error: ErrorFields? {
        storage.fieldsSize == 0 ? nil : metadata[ErrorFields.name].flatMap { ErrorFields($0) }
    }
}
