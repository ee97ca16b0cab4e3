/// A part of a compiled pattern.
enum PatternToken: Sendable {
    case literal([UInt8])
    case time(DateText)
    case uptime(since: LogTimestamp)
    case level, upperLevel, levelLetter, severity
    case category, message, fields
    case field([UInt8])
    case file, fileName, path, module, function, line
    /// The function's name with `()` in the place of its arguments' labels.
    case shortFunction
    case thread, threadID, threadName, queue, task
    case context, tag, sequence, processID
    /// The context's number, nothing for 0.
    case contextIfAny
    case color, reset

    /// The tokens that a name alone stands for.
    static let named: [(name: String, token: PatternToken)] = [
        ("level", .level), ("LEVEL", .upperLevel), ("levelLetter", .levelLetter), ("severity", .severity),
        ("category", .category), ("message", .message), ("fields", .fields),
        ("file", .file), ("fileName", .fileName), ("path", .path), ("module", .module),
        ("function", .function), ("line", .line),
        ("thread", .thread), ("threadID", .threadID), ("threadName", .threadName), ("queue", .queue),
        ("task", .task),
        ("context", .context), ("tag", .tag), ("sequence", .sequence), ("pid", .processID),
        ("color", .color), ("reset", .reset),
    ]

    /// Whether it is a mark of its own rather than a text that could be filled up or cut.
    var isMark: Bool {
        switch self {
        case .color, .reset, .literal: true
        default: false
        }
    }

    var isColor: Bool { if case .color = self { true } else { false } }
}

/// A token and how wide its text is made.
struct PatternElement: Sendable {
    var token: PatternToken
    var shape: FieldShape?
}
