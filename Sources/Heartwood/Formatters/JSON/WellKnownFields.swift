/// The fields of one message that mean the same in every format, for a formatter that has members of their own for them.
///
/// A class, so that a message without them costs a pointer.
final class WellKnownFields {
    private let trace: TraceFields?
    private let error: ErrorFields?
    private var keys: (trace: String?, span: String?, error: String?) = (nil, nil, nil)

    /// Nil where a message has none of them, as most.
    init?(_ message: LogMessage, members: [JSONMember]) {
        let fields = message.allFields
        if fields.isEmpty { return nil }
        for member in members {
            switch member.kind {
            case .traceID: keys.trace = keys.trace ?? member.key
            case .spanID: keys.span = keys.span ?? member.key
            case .error: keys.error = keys.error ?? member.key
            default: break
            }
        }
        trace = keys.trace == nil && keys.span == nil ? nil : TraceFields(fields)
        error = keys.error == nil ? nil : message.error
        if trace == nil, error == nil { return nil }
    }

    /// The names of the fields that members of their own say.
    var taken: Set<String> {
        var names = error == nil ? [] : [ErrorFields.name] as Set<String>
        guard let trace else { return names }
        var ofTrace = trace.takenNames
        if keys.trace == nil { ofTrace.remove("trace_id") }
        if keys.span == nil { ofTrace.remove("span_id") }
        names.formUnion(ofTrace)
        return names
    }

    /// Adds a member; nothing where the message does not have it.
    func append(_ member: CompiledJSONMember.Value, after start: Int, to output: inout LogBuffer) {
        switch member {
        case .traceID: append(keys.trace, trace?.traceID, start, &output)
        case .spanID: append(keys.span, trace?.spanID, start, &output)
        case .error:
            guard let error, let key = keys.error else { return }
            append(key + ".type", error.type, start, &output)
            append(key + ".message", error.message, start, &output)
            append(key + ".code", error.code.map { String($0) }, start, &output)
            append(key + ".stack_trace", error.causes, start, &output)
        default: break
        }
    }

    /// The keys that an error's member writes.
    static func errorKeys(_ key: String) -> [String] {
        [".type", ".message", ".code", ".stack_trace"].map { key + $0 }
    }

    private func append(_ key: String?, _ text: String?, _ start: Int, _ output: inout LogBuffer) {
        guard let key, let text else { return }
        if output.count > start { output.append(UInt8(ascii: ",")) }
        output.append(json: key)
        output.append(UInt8(ascii: ":"))
        output.append(json: text)
    }
}
