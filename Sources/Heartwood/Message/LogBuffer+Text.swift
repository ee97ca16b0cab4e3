import CHeartwood
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LogBuffer {
    /// Appends the text of a message: its literals, and its values in a form for people.
    public mutating func appendText(of message: LogMessage, privacy: LogPrivacyPolicy) {
        let start = count
        appendPieces(of: message, privacy: privacy)
        redactSecrets(from: start)
    }

    /// Appends the text of a message if it is plain: nothing to redact, to escape, or to look up.
    ///
    /// Nearly all messages are. Where one is not, nothing is appended, and the general way decides. The twins
    /// are `hw_write_pieces` in C and `appendPieces`; `PlainTextTests` holds the two equal.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - special: A character that is escaped, besides what is escaped everywhere: the backslash, and all
    ///     that is not printable ASCII.
    /// - Returns: Whether values of the text have names; nil if the text is not plain.
    @inline(__always)
    mutating func appendPlainText(of message: LogMessage, escaping special: UInt8) -> Bool? {
        let text = message.storage.text
        if text.count > LogBuffer.longestPlainText { return nil }
        guard let pieces = text.baseAddress else { return false }
        let start = count
        var hasNames = false
        var isPlain = false
        // A number of 9 bytes has 20 digits at most; blocks of 16 bytes are written in full.
        append(upTo: 3 * text.count + 64) { target in
            let end = hw_write_pieces(pieces, text.count, target, Int8(bitPattern: special), &hasNames)
            isPlain = end != nil
            return end.map { $0 - target } ?? 0
        }
        if isPlain, redaction != nil, hasNames || mayHaveSecret(from: start) {
            truncate(to: start)
            return nil
        }
        return isPlain ? hasNames : nil
    }

    /// Beyond this size of the pieces, three times as much room is too much to reserve.
    private static var longestPlainText: Int { 16 * 1024 }

    @inline(__always)
    private mutating func appendPieces(of message: LogMessage, privacy: LogPrivacyPolicy) {
        var reader = PieceReader(message.storage.text)
        while true {
            // The plain pieces, which are nearly all, without a detour.
            if appendPlainPiece(&reader) { continue }
            guard let piece = reader.next() else { return }
            switch piece {
            case .literal(let bytes): append(bytes)
            case .value(let value):
                if !value.isShown(by: privacy) {
                    append(replacementOf: value, by: privacy)
                } else if let hidden = hidden(value) {
                    append(hidden)
                } else {
                    append(value)
                }
            }
        }
    }

    /// Adds the next piece if it is a literal, or a value without options of a common type.
    @inline(__always)
    private mutating func appendPlainPiece(_ reader: inout PieceReader) -> Bool {
        switch reader.nextTag {
        case PieceTag.literal.rawValue, PieceTag.string.rawValue:
            guard let bytes = reader.takePlainText() else { return false }
            append(bytes)
        case PieceTag.integer.rawValue:
            guard let value = reader.takePlain(Int64.self) else { return false }
            appendDecimal(value)
        case PieceTag.double.rawValue:
            guard let value = reader.takePlain(Double.self) else { return false }
            append(value)
        default: return false
        }
        return true
    }

    /// Appends a value in a form for people; strings have no quotation marks.
    mutating func append(_ value: EncodedValue) {
        switch value.tag {
        case .string, .decimal, .json: append(value.string)
        case .integer: append(value, integer: value.load(Int64.self))
        case .double: append(value, double: value.load(Double.self))
        case .float:
            let float = value.load(Float.self)
            if value.format.kind == .plain { append(float) } else { append(value, double: Double(float)) }
        case .bool where value.format.kind == .binary:
            append(value.load(UInt8.self) != 0 ? "1" as StaticString : "0")
        case .bool: append(value.load(UInt8.self) != 0 ? "true" as StaticString : "false")
        case .unsigned: append(value, unsigned: value.load(UInt64.self))
        case .timestamp: append(LogTimestamp(nanoseconds: value.load(Int64.self)), value.format)
        case .date:
            append(Date(timeIntervalSinceReferenceDate: value.load(Double.self)), value.format)
        case .described: append(value.described.text)
        default: append(value: value.decoded)
        }
    }

    /// Appends a time stamp in a format; `swiftDate` cuts fractions of a second, towards 1970.
    mutating func append(_ moment: LogTimestamp, _ format: ValueFormat) {
        switch format.kind {
        case .unixSeconds: append(fixed: moment.secondsSince1970, digits: Int(format.first))
        case .isoDate, .isoTime: append(CivilTime(nanoseconds: moment.nanoseconds), format)
        case .swiftDate:
            let seconds = moment.nanoseconds / 1_000_000_000
            append(CivilTime(seconds: seconds, nanosecond: 0), format)
        default: append(iso8601: moment)
        }
    }

    /// Appends a date in a format: `nan`, `inf` or `-inf` for one that has no day.
    ///
    /// A date between 1730 and 2210 is rounded to whole microseconds, as a time stamp is. Beyond, a `Date`
    /// holds less, and is rounded to milliseconds.
    mutating func append(_ date: Date, _ format: ValueFormat) {
        let seconds = date.timeIntervalSince1970
        if abs(seconds) < 7.6e9 { return append(LogTimestamp(date), format) }
        let isCut = format.kind == .swiftDate
        guard let time = CivilTime(secondsSince1970: isCut ? seconds.rounded(.towardZero) : seconds) else {
            return append(seconds.isNaN ? "nan" : seconds < 0 ? "-inf" : "inf" as StaticString)
        }
        if format.kind == .unixSeconds { return append(fixed: seconds, digits: Int(format.first)) }
        append(time, format)
    }

    private mutating func append(_ time: CivilTime, _ format: ValueFormat) {
        switch format.kind {
        case .isoDate: append(date: time)
        case .isoTime: append(time: time)
        case .swiftDate:
            append(date: time)
            append(UInt8(ascii: " "))
            append(seconds: time)
            append(" +0000" as StaticString)
        default:
            append(date: time)
            append(UInt8(ascii: "T"))
            append(time: time)
            append(UInt8(ascii: "Z"))
        }
    }

    /// Appends a value in a form for people; strings have no quotation marks.
    ///
    /// A text replaces anything nested deeper than ``LogValue/maximumDepth``.
    public mutating func append(value: LogValue) { append(value: value, depth: 0) }

    private mutating func append(value: LogValue, depth: Int) {
        if depth == LogValue.maximumDepth, value.isNested { return append(LogValue.cutText) }
        switch value {
        case .null: append("nil" as StaticString)
        case .bool(let value): append(value ? "true" as StaticString : "false")
        case .integer(let value): appendDecimal(value)
        case .unsigned(let value): appendDecimal(value)
        case .double(let value): append(value)
        case .string(let value), .decimal(let value), .json(let value): append(value)
        case .date(let value): append(value, .plain)
        case .timestamp(let value): append(iso8601: value)
        case .uuid(let value): append(value.uuidString)
        case .array(let values):
            append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { append(", " as StaticString) }
                append(value: value, depth: depth + 1)
            }
            append(UInt8(ascii: "]"))
        case .object(let fields):
            append(UInt8(ascii: "{"))
            for (index, (key, value)) in fields.enumerated() {
                if index > 0 { append(", " as StaticString) }
                append(key)
                append(UInt8(ascii: "="))
                append(value: shown(value, under: key), depth: depth + 1)
            }
            append(UInt8(ascii: "}"))
        }
    }

    /// Adds `<hash:…>`: sixteen hexadecimal digits that are the same for the same bytes while the program
    /// runs.
    ///
    /// The hash is keyed with random numbers of this process, so that a value cannot be found by trying.
    mutating func appendHash(of bytes: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        let hash = UInt64(UInt(bitPattern: hasher.finalize()))
        append("<hash:" as StaticString)
        for shift in stride(from: 60, through: 0, by: -4) {
            append(Hexadecimal.digits[Int((hash >> UInt64(shift)) & 15)])
        }
        append(UInt8(ascii: ">"))
    }

    // MARK: Formats

    mutating func append(_ value: EncodedValue, integer: Int64) {
        append(value, integer.magnitude, isNegative: integer < 0)
    }

    mutating func append(_ value: EncodedValue, unsigned: UInt64) {
        append(value, unsigned, isNegative: false)
    }

    private mutating func append(_ value: EncodedValue, _ magnitude: UInt64, isNegative: Bool) {
        let (format, begin) = (value.format, count)
        if isNegative { append(UInt8(ascii: "-")) }
        switch format.kind {
        case .padded:
            // Zeros go after the sign, other characters before it.
            let start = format.second == UInt8(ascii: "0") ? count : begin
            appendDecimal(magnitude)
            pad(from: start, to: Int(format.first) - (start - begin), with: format.second)
        case .hex: append("0x", String(magnitude, radix: 16), digits: Int(format.first))
        case .octal: append("0o", String(magnitude, radix: 8), digits: Int(format.first))
        case .binary: append("0b", String(magnitude, radix: 2), digits: Int(format.first))
        case .bytes where magnitude <= UInt64(Int.max): append(ByteCount(Int(magnitude)).description)
        default: appendDecimal(magnitude)
        }
    }

    private mutating func append(_ prefix: StaticString, _ text: String, digits: Int) {
        append(prefix)
        let start = count
        append(text)
        pad(from: start, to: digits, with: UInt8(ascii: "0"))
    }

    /// Moves what begins at `start` to the right until it is `width` bytes wide.
    private mutating func pad(from start: Int, to width: Int, with fill: UInt8) {
        let missing = width - (count - start)
        guard missing > 0 else { return }
        let size = count - start
        append(repeating: fill, count: missing)
        memmove(base + start + missing, base + start, size)
        memset(base + start, Int32(fill), missing)
    }

    mutating func append(_ value: EncodedValue, double: Double) {
        switch value.format.kind {
        case .fixed where double.isFinite: append(fixed: double, digits: Int(value.format.first))
        case .scientific where double.isFinite:
            append(printf: "%.*e", double, digits: Int(value.format.first))
        default: append(double)
        }
    }
}
