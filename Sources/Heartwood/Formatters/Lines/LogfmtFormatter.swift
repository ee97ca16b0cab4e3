import CHeartwood

/// Writes each message as one line of `key=value` pairs.
///
///     time=2026-11-20T10:20:30.123Z level=info msg="charged 12.5 EUR" category=payments source=Shop.swift:42
///
/// The keys, in this order: `time` (RFC 3339 in UTC, milliseconds), `level`, `msg`, `category` (unless it is
/// the default one), the named pieces and the fields beside the text, `context` (unless 0), `source`,
/// `thread`, `seq`. No key occurs twice, as with ``JSONLinesFormatter``. Values are quoted where they must
/// be, with the escapes of JSON; what no key may hold becomes `_`. An empty value is nothing at all. Lists
/// and named values are JSON. `lnav` and most collectors read it without a configuration.
///
/// It is safe for several loggers at once. The settings are fixed when it is made.
public final class LogfmtFormatter: LogFormatter, @unchecked Sendable {  // constants only
    /// The content of a line.
    public struct Options: Sendable {
        /// Whether a line contains `source`; true unless changed.
        public var includesSource = true
        /// Whether a line contains `thread`: the queue's label, the thread's name or its number; true unless
        /// changed.
        public var includesThread = true
        /// Whether a line contains `seq`; true unless changed.
        public var includesSequence = true
        /// How private values are written; ``LogPrivacyPolicy/redact`` unless changed.
        public var privacy = LogPrivacyPolicy.redact

        /// Makes the default options.
        public init() {}
    }

    /// The content of a line.
    package let options: Options
    private let threadLabel = CompiledThreadLabel(ThreadLabel())

    private static let ownKeys = NameList([
        "time", "level", "msg", "category", "context", "source", "thread", "seq",
    ])

    /// Makes a formatter.
    public init(_ options: Options = Options()) {
        self.options = options
    }

    override var redactsByItself: Bool { true }

    /// Appends the line of a message.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        output.append("time=" as StaticString)
        output.append(iso8601: message.timestamp)
        output.append(" level=" as StaticString)
        if !output.append(standardLevelOf: message) { output.append(logfmt: message.level.name) }
        output.append(" msg=" as StaticString)
        let hasNames = output.append(logfmt: message, options.privacy)
        if !message.storage.hasDefaultCategory {
            output.append(" category=" as StaticString)
            output.append(logfmt: message.category.name)
        }
        if hasNames || message.storage.fieldsSize > 0 { appendFields(of: message, to: &output) }
        appendOrigin(of: message, to: &output)
        return true
    }

    private func appendFields(of message: LogMessage, to output: inout LogBuffer) {
        message.forEachField(
            options.privacy, reserved: LogfmtFormatter.ownKeys, naming: LogfmtFormatter.key(_:),
            flattensErrors: true, to: &output
        ) { key, value, privacy, output in
            output.append(UInt8(ascii: " "))
            output.append(key)
            output.append(UInt8(ascii: "="))
            let start = output.count
            output.append(logfmt: value, privacy: privacy)
            output.quoteLogfmt(from: start)
        }
    }

    private func appendOrigin(of message: LogMessage, to output: inout LogBuffer) {
        if message.context != 0 {
            output.append(" context=" as StaticString)
            output.append(message.context)
        }
        if options.includesSource {
            message.storage.withPlace { place in
                if place.isEmpty { return }
                output.append(" source=" as StaticString)
                let start = output.count
                output.append(place)
                output.quoteLogfmt(from: start)
            }
        }
        if options.includesThread {
            output.append(" thread=" as StaticString)
            let start = output.count
            threadLabel.append(message, to: &output)
            output.quoteLogfmt(from: start)
        }
        if options.includesSequence {
            output.append(" seq=" as StaticString)
            output.append(message.sequence)
        }
    }

    /// The name with `_` in the place of blanks, controls, equals signs, quotes, and all that is not ASCII.
    private static func key(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { isOfKey($0) }
        if isPlain, !name.isEmpty { return name }
        if name.isEmpty { return "_" }
        return String(
            name.unicodeScalars.map {
                $0.isASCII && isOfKey(UInt8(truncatingIfNeeded: $0.value)) ? Character($0) : "_"
            })
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "=") && byte != UInt8(ascii: "\"")
    }
}

extension LogBuffer {
    mutating func append(logfmt text: String) {
        let start = count
        append(text)
        quoteLogfmt(from: start)
    }

    /// Adds the text of a message; returns whether values of it may have names.
    @inline(__always)
    fileprivate mutating func append(logfmt message: LogMessage, _ privacy: LogPrivacyPolicy) -> Bool {
        let start = count
        // Nearly every text has a blank, and so needs quotes.
        append(UInt8(ascii: "\""))
        if let hasNames = appendPlainText(of: message, escaping: UInt8(ascii: "\"")) {
            if hw_is_word(base + start + 1, count - start - 1) {
                remove(start..<start + 1)
            } else {
                append(UInt8(ascii: "\""))
            }
            return hasNames
        }
        truncate(to: start)
        appendText(of: message, privacy: privacy)
        quoteLogfmt(from: start)
        return true
    }

    /// Adds a field's value; lists and named values as JSON.
    fileprivate mutating func append(logfmt value: EncodedValue, privacy: LogPrivacyPolicy) {
        let isNested = value.tag == .array || value.tag == .object
        if isNested, value.isShown(by: privacy) {
            append(json: value.decoded)
        } else {
            append(field: value, privacy: privacy)
        }
    }

    /// Puts the text from `start` on into quotes, with the escapes of JSON, unless it can do without.
    mutating func quoteLogfmt(from start: Int) {
        if hw_is_word(base + start, count - start) { return }
        replaceEnd(from: start) { bytes, output in
            output.append(UInt8(ascii: "\""))
            output.appendInsideOfJSON(bytes)
            output.append(UInt8(ascii: "\""))
        }
    }
}
