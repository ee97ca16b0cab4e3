/// Writes each message as one line for people.
///
///     2026-11-20 10:20:30.123Z info    payments Shop.swift:42 charged 12.5 EUR {order=17}
///
/// A line contains time, level, category (unless it is the default one), source location, text and fields.
/// `lnav` and other tools recognize the layout without configuration.
///
/// Several loggers can use one formatter at the same time. Its options are constant: to change one, set
/// another formatter.
public final class LineFormatter: LogFormatter, @unchecked Sendable {  // constants; a lock guards the cache
    /// The content of a line.
    public struct Options: Sendable {
        /// The time zone of the time stamp; UTC unless changed.
        public var zone = LogTimeZone.utc
        /// Whether a line contains the time stamp; true unless changed.
        public var showsTime = true
        /// Whether a line contains the source location, `File.swift:42`; true unless changed.
        public var showsSource = true
        /// Whether a line contains the fields; true unless changed.
        public var showsMetadata = true
        /// How private values are written; ``LogPrivacyPolicy/redact`` unless changed.
        public var privacy = LogPrivacyPolicy.redact
        /// How line breaks and control characters in a text are written; escaped unless changed, so that a
        /// message is one line.
        public var escaping = LogBuffer.Escaping.escape

        /// Makes the default options.
        public init() {}
    }

    /// The content of a line.
    package let options: Options
    private let stamp: DateText

    /// Makes a formatter.
    public init(_ options: Options = Options()) {
        self.options = options
        stamp = DateText(.timestamp(options.zone), zone: options.zone)
    }

    override var redactsByItself: Bool { true }

    /// Appends the line of a message.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        if options.showsTime {
            stamp.append(message.timestamp, to: &output)
            output.append(UInt8(ascii: " "))
        }
        output.append(paddedLevelOf: message)
        output.append(UInt8(ascii: " "))
        if !message.storage.hasDefaultCategory {
            output.append(safe: message.category.name)
            output.append(UInt8(ascii: " "))
        }
        if options.showsSource, output.append(placeOf: message) { output.append(UInt8(ascii: " ")) }
        output.appendText(of: message, privacy: options.privacy, escaping: options.escaping)
        if options.showsMetadata { output.append(fieldsOf: message) }
        return true
    }
}

extension LogBuffer {
    /// Adds the name of a standard level; false where it is another one.
    @inline(__always)
    mutating func append(standardLevelOf message: LogMessage) -> Bool {
        switch message.storage.record.level {
        case 0: append("fatal" as StaticString)
        case 1: append("error" as StaticString)
        case 2: append("warning" as StaticString)
        case 3: append("notice" as StaticString)
        case 4: append("info" as StaticString)
        case 5: append("debug" as StaticString)
        case 6: append("verbose" as StaticString)
        default: return false
        }
        return true
    }

    /// Adds the level's name, filled up to seven characters.
    @inline(__always)
    mutating func append(paddedLevelOf message: LogMessage) {
        let start = count
        if !append(standardLevelOf: message) { appendEscaped(message.level.name) }
        let missing = 7 - (count - start)
        if missing > 0 {
            append(upTo: 8) {
                $0.update(repeating: .space, count: 8); return missing
            }
        }
    }

    /// Adds `File.swift:42`, if it is known; returns whether it is.
    @inline(__always)
    mutating func append(placeOf message: LogMessage) -> Bool {
        message.storage.withPlace { place in
            guard let bytes = place.baseAddress, place.count > 0 else { return false }
            append(readableBeyond: bytes, place.count)
            return true
        }
    }

    /// Adds a name that comes from the program, but might come from elsewhere.
    mutating func append(safe name: String) {
        let start = count
        append(name)
        makeSafe(from: start, .escape)
    }

    /// Adds ` {key=value …}`, if there are fields beside the text.
    @inline(__always)
    mutating func append(fieldsOf message: LogMessage) {
        if message.storage.fieldsSize > 0 { append(someFieldsOf: message) }
    }

    @inline(never)
    private mutating func append(someFieldsOf message: LogMessage) {
        let fields = message.metadata
        if fields.isEmpty { return }
        let start = count
        append(" {" as StaticString)
        for (index, (key, value)) in fields.enumerated() {
            if index > 0 { append(UInt8(ascii: " ")) }
            let begin = count
            append(key)
            redactSecrets(from: begin)
            append(UInt8(ascii: "="))
            let place = count
            if let hidden = redaction?.hidden(value, under: key) {
                append(value: hidden)
                continue
            }
            if key == ErrorFields.name, let error = ErrorFields(value) {
                append(error.text)
            } else {
                append(value: value)
            }
            redactSecrets(from: place)
        }
        append(UInt8(ascii: "}"))
        makeSafe(from: start, .escape)
    }
}
