/// Writes messages of the syslog protocol (RFC 5424).
///
///     <134>1 2026-11-20T10:20:30.123456Z web1 shop 512 payments [heartwood@32473 order="17"] charged
///
/// In their order: priority (facility and level), version, time in UTC to the microsecond, host, program,
/// process, category as message identifier, the structured data (named pieces and fields beside the text),
/// and the text. What a part may not hold becomes `_`, or `-` where nothing is left.
///
/// How messages are told from each other is left to the transport: one datagram each, or a newline or a
/// length on a stream. A message has no newline inside.
///
/// It is safe for several loggers at once. The settings are fixed when it is made.
public final class SyslogFormatter: LogFormatter, @unchecked Sendable {  // constants only
    /// The kind of program that logs (RFC 5424, table 1).
    public enum Facility: Int, Hashable, Sendable {
        /// User-level messages.
        case user = 1
        /// A mail system.
        case mail = 2
        /// A system daemon.
        case daemon = 3
        /// Security and authorization.
        case auth = 4
        /// Security and authorization, kept private.
        case authPrivate = 10
        /// For local use.
        case local0 = 16
        /// For local use.
        case local1 = 17
        /// For local use.
        case local2 = 18
        /// For local use.
        case local3 = 19
        /// For local use.
        case local4 = 20
        /// For local use.
        case local5 = 21
        /// For local use.
        case local6 = 22
        /// For local use.
        case local7 = 23
    }

    /// The content of a message.
    public struct Options: Sendable {
        /// The kind of program that logs; `user` unless changed.
        public var facility = Facility.user
        /// The name of the host; the system's host name unless changed.
        public var host: String?
        /// The name of the program; the name of its file unless changed.
        public var program: String?
        /// The name of the element that holds the fields; `heartwood@32473` unless changed.
        ///
        /// 32473 is the number kept free for examples: an enterprise that has one of its own takes that.
        public var elementName = "heartwood@32473"
        /// Whether a message contains the fields; true unless changed.
        public var includesFields = true
        /// Whether a message contains the element `meta` with its number as `sequenceId`; false unless
        /// changed.
        public var includesSequence = false
        /// Whether the text starts with a byte-order mark; false unless changed.
        ///
        /// RFC 5424 asks for it in UTF-8, but many servers do not expect it.
        package var writesByteOrderMark = false
        /// How private values are written; ``LogPrivacyPolicy/redact`` unless changed.
        public var privacy = LogPrivacyPolicy.redact

        /// Makes the default options.
        public init() {}
    }

    /// The content of a message.
    package let options: Options
    private let origin: [UInt8]
    private let program: [UInt8]
    private let element: [UInt8]

    /// Makes a formatter.
    public init(_ options: Options = Options()) {
        self.options = options
        let host = SyslogFormatter.name(options.host ?? ProcessFacts.host, longest: 255)
        program = SyslogFormatter.name(options.program ?? ProcessFacts.name, longest: 48)
        origin = [0x20] + host + [0x20] + program + [0x20]
        let element = SyslogFormatter.name(options.elementName, longest: 32, isKey: true)
        self.element = element == [0x2D] ? Array("heartwood@32473".utf8) : element
    }

    override var redactsByItself: Bool { true }

    /// Appends the message.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        appendHeader(of: message, includesFields: options.includesFields, to: &output)
        output.appendText(of: message, privacy: options.privacy, escaping: .escape)
        return true
    }

    /// Adds everything in front of the text.
    func appendHeader(of message: LogMessage, includesFields: Bool, to output: inout LogBuffer) {
        output.append(UInt8(ascii: "<"))
        output.append(options.facility.rawValue * 8 + message.level.syslogSeverity)
        output.append(">1 " as StaticString)
        append(message.timestamp, to: &output)
        output.append(origin)
        output.append(ProcessFacts.identifier)
        output.append(UInt8(ascii: " "))
        if message.category == .default {
            output.append(UInt8(ascii: "-"))
        } else {
            output.append(SyslogFormatter.name(message.category.name, longest: 32))
        }
        output.append(UInt8(ascii: " "))
        appendData(of: message, includesFields, to: &output)
        output.append(UInt8(ascii: " "))
        if options.writesByteOrderMark { output.append([0xEF, 0xBB, 0xBF]) }
    }

    private func append(_ moment: LogTimestamp, to output: inout LogBuffer) {
        let time = CivilTime(nanoseconds: moment.nanoseconds)
        output.append(date: time)
        output.append(UInt8(ascii: "T"))
        output.append(seconds: time)
        output.append(UInt8(ascii: "."))
        output.appendDecimal(time.nanosecond / 1000, width: 6)
        output.append(UInt8(ascii: "Z"))
    }

    private func appendData(of message: LogMessage, _ includesFields: Bool, to output: inout LogBuffer) {
        let start = output.count
        if options.includesSequence {
            // From 1 to 2147483647, then from 1 again.
            output.append("[meta sequenceId=\"" as StaticString)
            output.append(message.sequence % 2_147_483_647 + 1)
            output.append("\"]" as StaticString)
        }
        if includesFields {
            let begin = output.count
            message.forEachField(
                options.privacy, reserved: NameList(), naming: SyslogFormatter.key(_:), flattensErrors: true,
                to: &output
            ) {
                key, value, privacy, output in
                if output.count == begin {
                    output.append(UInt8(ascii: "["))
                    output.append(element)
                }
                output.append(UInt8(ascii: " "))
                output.append(key)
                output.append("=\"" as StaticString)
                let start = output.count
                output.append(field: value, privacy: privacy)
                output.makeSyslogSafe(from: start)
                output.append(UInt8(ascii: "\""))
            }
            if output.count > begin { output.append(UInt8(ascii: "]")) }
        }
        if output.count == start { output.append(UInt8(ascii: "-")) }
    }

    private static func key(_ name: String) -> String {
        String(decoding: SyslogFormatter.name(name, longest: 32, isKey: true), as: UTF8.self)
    }

    /// Printable ASCII without blanks, cut; as a key, without `=`, `]` and `"` too.
    static func name(_ text: String, longest: Int, isKey: Bool = false) -> [UInt8] {
        let bytes = text.unicodeScalars.prefix(longest).map { scalar -> UInt8 in
            let isKept =
                (0x21...0x7E).contains(scalar.value) && !(isKey && "=]\"".unicodeScalars.contains(scalar))
            return isKept ? UInt8(truncatingIfNeeded: scalar.value) : UInt8(ascii: "_")
        }
        return bytes.isEmpty ? [0x2D] : bytes
    }
}

extension LogBuffer {
    /// Escapes the text from `start` on as the value of a parameter: controls as words (`\n`), then
    /// backslash, quote and closing bracket with a backslash in front.
    mutating func makeSyslogSafe(from start: Int) {
        let bytes = UnsafeRawBufferPointer(start: base + start, count: count - start)
        if LogBuffer.needsEscaping(bytes) {
            replaceEnd(from: start) { $1.appendEscaped($0, backslash: false) }
        }
        var isPlain = true
        for index in start..<count where LogBuffer.isSyslogSpecial(base[index]) {
            isPlain = false
            break
        }
        if isPlain { return }
        replaceEnd(from: start) { bytes, output in
            for byte in bytes {
                if LogBuffer.isSyslogSpecial(byte) { output.append(UInt8(ascii: "\\")) }
                output.append(byte)
            }
        }
    }

    private static func isSyslogSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "]")
    }
}
