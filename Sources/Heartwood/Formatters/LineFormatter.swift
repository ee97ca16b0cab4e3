/// One line per message, for people.
///
///     2026-11-20 10:20:30.123Z info    payments Shop.swift:42 charged 12.5 EUR {order=17}
///
/// Time, level, category (unless it is the default one), place, text, and the fields that came beside the text. The
/// layout is one that `lnav` and others recognise without a configuration.
///
/// It is safe for several loggers at once. The settings are fixed when it is made: to change one, set another formatter.
public final class LineFormatter: LogFormatter, @unchecked Sendable {  // constants, and a cache behind a lock
    /// What a line shows, and how.
    public struct Options: Sendable {
        /// The zone of the timestamp; UTC unless changed.
        public var zone = LogTimeZone.utc
        /// Whether the timestamp is there at all.
        public var showsTime = true
        /// Whether `File.swift:42` is there.
        public var showsPlace = true
        /// Whether the fields beside the text are there.
        public var showsMetadata = true
        /// What happens to private pieces; ``LogPrivacyPolicy/redact`` unless changed.
        public var privacy = LogPrivacyPolicy.redact
        /// What happens to newlines and other controls in a text: escaped unless changed, so that a message is a line.
        public var escaping = LogBuffer.Escaping.escape

        /// Makes the options that are described at each.
        public init() {}
    }

    /// What a line shows, and how.
    public let options: Options
    private let stamp: TimestampText

    /// Makes a formatter.
    public init(_ options: Options = Options()) {
        self.options = options
        stamp = TimestampText(zone: options.zone)
    }

    /// The line.
    public override func format(_ message: LogMessage) -> String? {
        var buffer = LogBuffer()
        return format(message, into: &buffer) ? buffer.text : nil
    }

    /// Adds the line.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        if options.showsTime {
            stamp.append(message.timestamp, to: &output)
            output.append(UInt8(ascii: " "))
        }
        output.append(paddedLevel: message.level)
        output.append(UInt8(ascii: " "))
        let category = message.category
        if category != .default {
            output.append(safe: category.name)
            output.append(UInt8(ascii: " "))
        }
        if options.showsPlace, !message.storage.site.file.isEmpty {
            output.append(message.storage.site.place)
            output.append(UInt8(ascii: " "))
        }
        output.appendText(of: message, privacy: options.privacy, escaping: options.escaping)
        if options.showsMetadata { output.append(fieldsOf: message) }
        return true
    }
}

extension LogBuffer {
    private static let paddedNames: [[UInt8]] = LogLevel.standardLevels.map { level in
        Array((level.name + String(repeating: " ", count: 7 - level.name.count)).utf8)
    }

    /// Adds the level's name, filled up to seven characters.
    mutating func append(paddedLevel level: LogLevel) {
        let index = level.index
        if index < LogBuffer.paddedNames.count { return append(LogBuffer.paddedNames[index]) }
        let start = count
        appendEscaped(level.name)
        append(repeating: 0x20, count: 7 - (count - start))
    }

    /// Adds a name that comes from the program, but might come from elsewhere.
    mutating func append(safe name: String) {
        let start = count
        append(name)
        makeSafe(from: start, .escape)
    }

    /// Adds ` {key=value …}`, if there are fields beside the text.
    mutating func append(fieldsOf message: LogMessage) {
        if message.storage.fieldsSize == 0 { return }
        let fields = message.metadata
        if fields.isEmpty { return }
        let start = count
        append(" {" as StaticString)
        for (index, (key, value)) in fields.enumerated() {
            if index > 0 { append(UInt8(ascii: " ")) }
            append(key)
            append(UInt8(ascii: "="))
            append(value: value)
        }
        append(UInt8(ascii: "}"))
        makeSafe(from: start, .escape)
    }
}
