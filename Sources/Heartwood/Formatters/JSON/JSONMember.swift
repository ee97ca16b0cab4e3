/// A member of the objects that ``JSONLinesFormatter`` writes: what it says, and under which key.
///
/// ```swift
/// var options = JSONLinesFormatter.Options()
/// options.members = [.time("@t"), .level("@l"), .message("@m"), .constant("app", "shop"), .fields]
/// ```
public struct JSONMember: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case time(JSONTime), level(JSONLevel), category, message, context, file, line, function
        case thread, threadLabel, threadName, queue, task, sequence
        case constant(LogValue)
        case fields
        /// Never there: a key that no field may take.
        case reserved
    }

    let kind: Kind
    let key: String

    /// When the message was logged.
    public static func time(_ key: String = "time", _ style: JSONTime = .rfc3339) -> JSONMember {
        JSONMember(kind: .time(style), key: key)
    }
    /// Its level.
    public static func level(_ key: String = "level", _ style: JSONLevel = .name) -> JSONMember {
        JSONMember(kind: .level(style), key: key)
    }
    /// Its category's name, unless that is the default one.
    public static func category(_ key: String = "category") -> JSONMember {
        JSONMember(kind: .category, key: key)
    }
    /// Its text.
    public static func message(_ key: String = "message") -> JSONMember {
        JSONMember(kind: .message, key: key)
    }
    /// Its context, unless that is 0.
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
    /// The queue's label, the thread's name or its number, as text.
    public static func threadLabel(_ key: String) -> JSONMember { JSONMember(kind: .threadLabel, key: key) }
    /// The thread's name, if it has one.
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
        JSONMember(kind: .constant(value), key: key)
    }
    /// Nothing: keeps fields that the program gives off this key.
    public static func reserved(_ key: String) -> JSONMember { JSONMember(kind: .reserved, key: key) }
    /// The place of the named pieces and of the fields beside the text.
    public static let fields = JSONMember(kind: .fields, key: "")

    /// What is there unless changed.
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

/// How a JSON object says when a message was logged.
public enum JSONTime: Hashable, Sendable {
    /// `"2026-11-20T10:20:30.123456789Z"`.
    case rfc3339
    /// `"2026-11-20T10:20:30.123Z"`.
    case milliseconds
    /// A number of seconds since 1970 with nine digits after the decimal point.
    case unixSeconds
    /// A whole number of milliseconds since 1970.
    case unixMilliseconds
}

/// How a JSON object says how serious a message is.
public enum JSONLevel: Hashable, Sendable {
    /// `"warning"`.
    case name
    /// `"WARNING"`.
    case upperName
    /// The number of syslog: 2 for `fatal` to 7 for `debug` and `verbose`.
    case syslog
    /// The number of SwiftyBeaver: 0 for `verbose` to 5 for `fatal`.
    case swiftyBeaver
}

/// Where the fields that the program gives go in a JSON object.
public enum JSONFieldPlacement: Hashable, Sendable {
    /// Among the other members.
    case besideOthers
    /// Into an object of their own under this key; it is not there if there are none.
    case inObject(String)
    /// Among the other members, with this in front of their names, in which all but ASCII letters, digits, `_`, `-` and
    /// `.` becomes `_`.
    case prefixed(String)
}

/// Which values the fields that the program gives may have in a JSON object.
public enum JSONFieldValues: Hashable, Sendable {
    /// Any.
    case any
    /// No lists and no named values: these become a string that holds their JSON.
    case scalars
    /// Strings and numbers: all else becomes a string.
    case stringsAndNumbers

    func append(_ value: EncodedValue, _ privacy: LogPrivacyPolicy, to output: inout LogBuffer) {
        switch value.tag {
        case .string, .integer, .double, .unsigned, .float, .decimal, .date, .uuid: break
        case .bool, .null: if self == .stringsAndNumbers { return appendAsText(value, privacy, to: &output) }
        default: if self != .any { return appendAsText(value, privacy, to: &output) }
        }
        output.append(json: value, privacy: privacy)
    }

    private func appendAsText(_ value: EncodedValue, _ privacy: LogPrivacyPolicy, to output: inout LogBuffer)
    {
        let start = output.count
        output.append(json: value, privacy: privacy)
        if start < output.count, output.base[start] != UInt8(ascii: "\"") {
            output.replaceEnd(from: start) { $1.append(json: $0) }
        }
    }
}
