/// What the fields of a message say about a trace, whoever set them: a call, a context, or a provider of
/// swift-log.
///
/// An identifier that does not have the form of one is an ordinary field.
package struct TraceFields: Hashable, Sendable {
    /// 32 lowercase hexadecimal digits.
    package let traceID: String
    /// 16 lowercase hexadecimal digits; nil where only the trace is known.
    package let spanID: String?
    /// The flags, where they are known.
    package let flags: UInt8?

    /// Finds the trace among fields.
    init?(_ fields: LogMetadata) {
        guard let trace = Self.identifier(fields["trace_id"], 32) else { return nil }
        traceID = trace
        spanID = Self.identifier(fields["span_id"], 16)
        flags = if case .integer(let flags)? = fields["trace_flags"] { UInt8(exactly: flags) } else { nil }
    }

    /// As a value of the public type, which always has a span.
    var trace: LogTrace? { spanID.flatMap { LogTrace(traceID: traceID, spanID: $0, flags: flags ?? 0) } }

    /// The last 64 bits of the trace's identifier as a decimal number, as Datadog wants them.
    package var decimalTraceID: String { Self.decimal(traceID.suffix(16)) }

    /// The span's identifier as a decimal number.
    package var decimalSpanID: String? { spanID.map { Self.decimal($0[...]) } }

    /// The names of the fields that say it.
    var takenNames: Set<String> {
        var names: Set<String> = ["trace_id"]
        if spanID != nil { names.insert("span_id") }
        if flags != nil { names.insert("trace_flags") }
        return names
    }

    /// The fields without those that were taken: a span's that could not be read is kept.
    package func removed(from fields: LogMetadata) -> LogMetadata {
        var rest = fields
        for name in takenNames { rest[name] = nil }
        return rest
    }

    private static func decimal(_ digits: Substring) -> String { String(UInt64(digits, radix: 16) ?? 0) }

    private static func identifier(_ value: LogValue?, _ length: Int) -> String? {
        guard case .string(let text)? = value, text.utf8.count == length,
            text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            text.utf8.contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        return text.lowercased()
    }
}

extension LogMetadata {
    /// Takes the trace out, if there is one among the fields.
    package mutating func takeTrace() -> TraceFields? {
        guard let trace = TraceFields(self) else { return nil }
        self = trace.removed(from: self)
        return trace
    }
}
