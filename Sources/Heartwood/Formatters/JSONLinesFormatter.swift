/// One JSON object per message and line, in which named pieces and metadata are typed fields.
///
///     {"time":"2026-11-20T10:20:30.123456789Z","level":"info","message":"took 12.5 ms","ms":12.5,"seq":17}
///
/// Keys, in this order: `time` (RFC 3339 in UTC, nanoseconds), `level`, `category` (unless it is the default one),
/// `message`, the named pieces, the fields beside the text, `context` (unless 0), `file`, `line`, `function`, `thread`,
/// `thread_name`, `queue`, `task`, `seq`. No key occurs twice: a named piece or field whose name is one of these, or of
/// a piece before it, gets an underscore in front, as often as needed.
///
/// It is safe for several loggers at once. The settings are fixed when it is made.
public final class JSONLinesFormatter: LogFormatter, @unchecked Sendable {  // constants only
    /// What an object holds.
    public struct Options: Sendable {
        /// Whether `file`, `line` and `function` are there.
        public var includesPlace = true
        /// Whether `thread`, `thread_name`, `queue` and `task` are there.
        public var includesThread = true
        /// What happens to private pieces, in the text and as fields; ``LogPrivacyPolicy/redact`` unless changed.
        public var privacy = LogPrivacyPolicy.redact

        /// Makes the options that are described at each.
        public init() {}
    }

    /// What an object holds.
    public let options: Options

    private static let ownKeys: Set<String> = [
        "time", "level", "category", "message", "context", "file", "line", "function", "thread",
        "thread_name",
        "queue", "task", "seq",
    ]

    /// Makes a formatter.
    public init(_ options: Options = Options()) {
        self.options = options
    }

    /// The object, on one line.
    public override func format(_ message: LogMessage) -> String? {
        var buffer = LogBuffer()
        return format(message, into: &buffer) ? buffer.text : nil
    }

    /// Adds the object.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        output.append("{\"time\":\"" as StaticString)
        output.append(rfc3339: message.timestamp)
        output.append("\",\"level\":" as StaticString)
        output.append(json: message.level.name)
        if message.category != .default {
            output.append(",\"category\":" as StaticString)
            output.append(json: message.category.name)
        }
        output.append(",\"message\":\"" as StaticString)
        let start = output.count
        output.appendText(of: message, privacy: options.privacy)
        output.makeJSONSafe(from: start)
        output.append(UInt8(ascii: "\""))
        appendFields(of: message, to: &output)
        appendOrigin(of: message, to: &output)
        output.append(",\"seq\":" as StaticString)
        output.append(message.sequence)
        output.append(UInt8(ascii: "}"))
        return true
    }

    /// Named pieces first, then the fields beside the text; each name once.
    private func appendFields(of message: LogMessage, to output: inout LogBuffer) {
        var used = JSONLinesFormatter.ownKeys
        appendFields(message.storage.text, options.privacy, isText: true, &used, to: &output)
        appendFields(message.storage.fields, .reveal, isText: false, &used, to: &output)
    }

    private func appendFields(
        _ bytes: UnsafeRawBufferPointer, _ privacy: LogPrivacyPolicy, isText: Bool, _ used: inout Set<String>,
        to output: inout LogBuffer
    ) {
        // Of fields beside the text, the first of a name is the one that holds.
        var names: Set<String> = []
        var reader = PieceReader(bytes)
        while let piece = reader.next() {
            guard case .value(let value) = piece, let name = value.name else { continue }
            var key = String(decoding: name, as: UTF8.self)
            if !isText, !names.insert(key).inserted { continue }
            while !used.insert(key).inserted { key = "_" + key }
            output.append(UInt8(ascii: ","))
            output.append(json: key)
            output.append(UInt8(ascii: ":"))
            output.append(json: value, privacy: privacy)
        }
    }

    private func appendOrigin(of message: LogMessage, to output: inout LogBuffer) {
        if message.context != 0 {
            output.append(",\"context\":" as StaticString)
            output.append(message.context)
        }
        if options.includesPlace, !message.file.isEmpty {
            output.append(",\"file\":" as StaticString)
            output.append(json: message.file)
            output.append(",\"line\":" as StaticString)
            output.append(message.line)
            output.append(",\"function\":" as StaticString)
            output.append(json: message.function)
        }
        if options.includesThread {
            output.append(",\"thread\":" as StaticString)
            output.append(message.threadID)
            append("thread_name", message.threadName, to: &output)
            append("queue", message.queueLabel, to: &output)
            append("task", message.taskName, to: &output)
        }
    }

    private func append(_ key: StaticString, _ value: String?, to output: inout LogBuffer) {
        guard let value else { return }
        output.append(",\"" as StaticString)
        output.append(key)
        output.append("\":" as StaticString)
        output.append(json: value)
    }
}

extension LogBuffer {
    /// Adds `2026-11-20T10:20:30.123456789Z`: nanoseconds, in UTC.
    public mutating func append(rfc3339 moment: LogTimestamp) {
        let time = CivilTime(nanoseconds: moment.nanoseconds)
        append(date: time)
        append(UInt8(ascii: "T"))
        append(seconds: time)
        append(UInt8(ascii: "."))
        appendDecimal(time.nanosecond, width: 9)
        append(UInt8(ascii: "Z"))
    }
}
