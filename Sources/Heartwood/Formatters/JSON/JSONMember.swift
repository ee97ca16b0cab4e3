/// A member of the objects that ``JSONLinesFormatter`` writes: its key and its content.
///
/// ```swift
/// var options = JSONLinesFormatter.Options()
/// options.members = [.time("@t"), .level("@l"), .message("@m"), .constant("app", "shop"), .fields]
/// ```
public struct JSONMember: Hashable, Sendable {
    /// Without references, for each message looks at all members.
    enum Kind: Hashable, Sendable {
        case time(JSONTime), level(JSONLevel), category, message, context, file, line, function
        /// The text; `-` if it is empty, for receivers that refuse an empty one.
        case messageOrDash
        case thread, threadLabel, threadName, queue, task, sequence
        case constant
        case fields, traceID, spanID, error
        /// Never there: a key that no field may take.
        case reserved

        /// Whether it comes out of the fields and named values of a message.
        var isOfFields: Bool { if case .fields = self { true } else { isWellKnown } }

        /// Whether it comes out of a field that has a meaning to all formats.
        var isWellKnown: Bool {
            switch self {
            case .traceID, .spanID, .error: true
            default: false
            }
        }
    }

    let kind: Kind
    let key: String
    /// The value of a constant.
    var constant = LogValue.null

    /// The time at which the message was logged.
    public static func time(_ key: String = "time", _ style: JSONTime = .rfc3339) -> JSONMember {
        JSONMember(kind: .time(style), key: key)
    }
    /// The level.
    public static func level(_ key: String = "level", _ style: JSONLevel = .name) -> JSONMember {
        JSONMember(kind: .level(style), key: key)
    }
    /// The name of the category, unless that is the default one.
    public static func category(_ key: String = "category") -> JSONMember {
        JSONMember(kind: .category, key: key)
    }
    /// The text.
    public static func message(_ key: String = "message") -> JSONMember {
        JSONMember(kind: .message, key: key)
    }
    /// The context, unless that is 0.
    public static func context(_ key: String = "context") -> JSONMember {
        JSONMember(kind: .context, key: key)
    }
    /// The location of the call: `Module/File.swift`.
    public static func file(_ key: String = "file") -> JSONMember { JSONMember(kind: .file, key: key) }
    /// The line of the call.
    public static func line(_ key: String = "line") -> JSONMember { JSONMember(kind: .line, key: key) }
    /// The function of the call.
    public static func function(_ key: String = "function") -> JSONMember {
        JSONMember(kind: .function, key: key)
    }
    /// The kernel's number of the thread.
    public static func thread(_ key: String = "thread") -> JSONMember { JSONMember(kind: .thread, key: key) }
    /// The label of the queue, the name of the thread, or its number, as a string.
    public static func threadLabel(_ key: String) -> JSONMember { JSONMember(kind: .threadLabel, key: key) }
    /// The name of the thread, if it has one.
    public static func threadName(_ key: String = "thread_name") -> JSONMember {
        JSONMember(kind: .threadName, key: key)
    }
    /// The label of the dispatch queue, if there is one.
    public static func queue(_ key: String = "queue") -> JSONMember { JSONMember(kind: .queue, key: key) }
    /// The name of the task, if it has one.
    public static func task(_ key: String = "task") -> JSONMember { JSONMember(kind: .task, key: key) }
    /// The message's number in its dispatcher.
    public static func sequence(_ key: String = "seq") -> JSONMember {
        JSONMember(kind: .sequence, key: key)
    }
    /// The same value in every object.
    public static func constant(_ key: String, _ value: LogValue) -> JSONMember {
        JSONMember(kind: .constant, key: key, constant: value)
    }
    /// The trace that the message belongs to, if it does to one: 32 hexadecimal digits.
    ///
    /// The fields `trace_id`, `span_id` and `trace_flags` are then not among the others.
    public static func traceID(_ key: String = "trace_id") -> JSONMember {
        JSONMember(kind: .traceID, key: key)
    }
    /// The span that the message belongs to: 16 hexadecimal digits.
    public static func spanID(_ key: String = "span_id") -> JSONMember { JSONMember(kind: .spanID, key: key) }
    /// The error that a call gave, as several members: the key with `.type`, `.message`, `.code` (a string),
    /// and with `.stack_trace` the errors that caused it, one a line.
    ///
    /// The field `error` is then not among the others.
    public static func error(_ key: String = "error") -> JSONMember { JSONMember(kind: .error, key: key) }
    /// Reserves a key, so that no field of the program uses it.
    package static func reserved(_ key: String) -> JSONMember { JSONMember(kind: .reserved, key: key) }
    /// The position of the named values and the fields.
    public static let fields = JSONMember(kind: .fields, key: "")

    /// The default members.
    public static let standard: [JSONMember] = [
        .time(), .level(), .category(), .message(), .fields, .context(), .file(), .line(), .function(),
        .thread(), .threadName(), .queue(), .task(), .sequence(),
    ]

    func isIncluded(in options: JSONLinesFormatter.Options) -> Bool {
        switch kind {
        case .file, .line, .function: options.includesSource
        case .thread, .threadLabel, .threadName, .queue, .task: options.includesThread
        default: true
        }
    }
}

/// The fields of one message that mean the same in every format, for a formatter that has members of their
/// own for them.
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
    func append(_ member: JSONMember.Kind, after start: Int, to output: inout LogBuffer) {
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
