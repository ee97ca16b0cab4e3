/// A member of an object, ready to be written: without references, for each message looks at all of them.
struct CompiledJSONMember: Sendable {
    /// What follows the key.
    enum Value: Sendable {
        case time(JSONTime), level(JSONLevel), category, message, messageOrDash, context, file, line, function
        case thread, threadLabel, threadName, queue, task, sequence
        case constant, fields, traceID, spanID, error
    }

    let value: Value
    /// Where its `,"key":` is among those of all members, and its value where that is the same in every
    /// object.
    let prefix: Range<Int>

    private static let threadLabel = CompiledThreadLabel(ThreadLabel())

    /// Nil for a member that is never there; otherwise adds its key to `buffer`.
    init?(_ member: JSONMember, to buffer: inout LogBuffer) {
        let start = buffer.count
        if member.kind != .fields {
            buffer.append(UInt8(ascii: ","))
            buffer.append(json: member.key)
            buffer.append(UInt8(ascii: ":"))
        }
        switch member.kind {
        case .time(let style): value = .time(style)
        case .level(let style): value = .level(style)
        case .category: value = .category
        case .message: value = .message
        case .messageOrDash: value = .messageOrDash
        case .context: value = .context
        case .file: value = .file
        case .line: value = .line
        case .function: value = .function
        case .thread: value = .thread
        case .threadLabel: value = .threadLabel
        case .threadName: value = .threadName
        case .queue: value = .queue
        case .task: value = .task
        case .sequence: value = .sequence
        case .fields: value = .fields
        case .traceID: value = .traceID
        case .spanID: value = .spanID
        case .error: value = .error
        case .constant(let constant):
            value = .constant
            buffer.append(json: constant)
        case .reserved: return nil
        }
        prefix = start..<buffer.count
    }

    /// Whether it is written out of fields that have a meaning to all formats.
    var isWellKnown: Bool {
        switch value {
        case .traceID, .spanID, .error: true
        default: false
        }
    }

    var isFields: Bool { if case .fields = value { true } else { false } }

    /// Whether a message has it.
    func isPresent(in message: LogMessage) -> Bool {
        switch value {
        case .category: !message.storage.hasDefaultCategory
        case .context: message.context != 0
        case .file, .line, .function: message.storage.withSite { !$0.fileInJSON.isEmpty }
        case .threadName: !message.threadNameBytes.isEmpty
        case .queue: !message.queueLabelBytes.isEmpty
        case .task: message.hasTaskName
        default: true
        }
    }

    /// Adds the value.
    func append(_ message: LogMessage, _ privacy: LogPrivacyPolicy, to output: inout LogBuffer) {
        switch value {
        case .time(let style): append(message.timestamp, style, to: &output)
        case .level(let style): append(message.level, style, to: &output)
        case .category: output.append(json: message.category.name)
        case .message, .messageOrDash:
            output.append(UInt8(ascii: "\""))
            let start = output.count
            if !output.appendPlainText(of: message, escaping: UInt8(ascii: "\"")) {
                output.appendText(of: message, privacy: privacy)
                output.makeJSONSafe(from: start)
            }
            if case .messageOrDash = value, output.count == start { output.append(UInt8(ascii: "-")) }
            output.append(UInt8(ascii: "\""))
        case .context: output.append(message.context)
        case .file: message.storage.withSite { output.append(json: $0.file, inside: $0.fileInJSON) }
        case .line: message.storage.withSite { output.append($0.line) }
        case .function:
            message.storage.withSite { output.append(json: $0.function, inside: $0.functionInJSON) }
        case .thread: output.append(message.threadID)
        case .threadLabel:
            output.append(UInt8(ascii: "\""))
            let start = output.count
            CompiledJSONMember.threadLabel.append(message, to: &output)
            output.makeJSONSafe(from: start)
            output.append(UInt8(ascii: "\""))
        case .threadName: output.append(json: message.threadNameBytes)
        case .queue: output.append(json: message.queueLabelBytes)
        case .task: output.append(json: message.taskName ?? "")
        case .sequence: output.append(message.sequence)
        case .constant, .fields, .traceID, .spanID, .error: break
        }
    }

    private func append(_ moment: LogTimestamp, _ style: JSONTime, to output: inout LogBuffer) {
        switch style {
        case .rfc3339:
            output.append(UInt8(ascii: "\""))
            output.append(rfc3339: moment)
            output.append(UInt8(ascii: "\""))
        case .milliseconds:
            output.append(UInt8(ascii: "\""))
            output.append(iso8601: moment)
            output.append(UInt8(ascii: "\""))
        case .unixSeconds:
            let (seconds, nanosecond) = moment.nanoseconds.magnitude.quotientAndRemainder(
                dividingBy: 1_000_000_000)
            if moment.nanoseconds < 0 { output.append(UInt8(ascii: "-")) }
            output.append(seconds)
            output.append(UInt8(ascii: "."))
            output.appendDecimal(Int(nanosecond), width: 9)
        case .unixMilliseconds: output.append(moment.nanoseconds.dividedDown(by: 1_000_000))
        }
    }

    private func append(_ level: LogLevel, _ style: JSONLevel, to output: inout LogBuffer) {
        switch style {
        case .name:
            switch level {
            case .fatal: output.append("\"fatal\"" as StaticString)
            case .error: output.append("\"error\"" as StaticString)
            case .warning: output.append("\"warning\"" as StaticString)
            case .notice: output.append("\"notice\"" as StaticString)
            case .info: output.append("\"info\"" as StaticString)
            case .debug: output.append("\"debug\"" as StaticString)
            case .verbose: output.append("\"verbose\"" as StaticString)
            default: output.append(json: level.name)
            }
        case .upperName: output.append(json: level.name.uppercased())
        case .syslog: output.append(level.syslogSeverity)
        case .swiftyBeaver:
            switch level.severity {
            case .fatal: output.append(5)
            case .error: output.append(4)
            case .warning: output.append(3)
            case .notice, .info: output.append(2)
            case .debug: output.append(1)
            default: output.append(0)
            }
        }
    }
}
