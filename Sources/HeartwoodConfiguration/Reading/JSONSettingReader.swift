import Heartwood

/// Reads JSON (RFC 8259) and records the location of every value.
///
/// Strict, but for one thing: a byte-order mark at the beginning is skipped. A name that occurs twice in an
/// object is an error, since readers disagree about which of the two counts. Tables and lists may be 64 deep.
struct JSONSettingReader {
    static let depthLimit = 64

    private let text: SettingText
    private var bytes: [UInt8] { text.bytes }
    private var index = 0
    private var duplicates: [LogConfigurationError.Problem] = []

    /// What keeps the file from being read further.
    private struct Failure: Error {
        let offset: Int
        let text: String
    }

    /// Reads a whole file.
    ///
    /// - Throws: the first mistake in the syntax, or all names that occur twice.
    static func read(_ bytes: [UInt8], source: String) throws(LogConfigurationError) -> LogSetting {
        var reader = JSONSettingReader(SettingText(bytes, source: source))
        return try reader.readAll()
    }

    private init(_ text: SettingText) { self.text = text }

    private mutating func readAll() throws(LogConfigurationError) -> LogSetting {
        if let invalid = text.firstInvalidByte {
            throw LogConfigurationError(
                text.place(of: invalid), "invalid UTF-8; save the file as UTF-8")
        }
        if bytes.starts(with: SettingText.byteOrderMark) { index = 3 }
        do throws(Failure) {
            skipBlanks()
            if index == bytes.count {
                throw Failure(offset: index, text: "the file is empty; an empty configuration is {}")
            }
            let setting = try value(depth: 0)
            skipBlanks()
            if index < bytes.count {
                throw Failure(offset: index, text: "unexpected data after the end of the document")
            }
            if !duplicates.isEmpty { throw Failure(offset: -1, text: "") }
            return setting
        } catch {
            if error.offset < 0 { throw LogConfigurationError(duplicates) }
            throw LogConfigurationError(text.place(of: error.offset), error.text)
        }
    }

    // MARK: Bytes

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    /// The character at the index, for a message.
    private var shownNext: String {
        guard index < bytes.count else { return "the end of the file" }
        let character = String(decoding: bytes[index..<min(index + 16, bytes.count)], as: UTF8.self).first
        return character.map { "“\($0)”" } ?? "nothing"
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Failure) -> LogSetting {
        let place = text.place(of: index)
        switch next {
        case UInt8(ascii: "{"): return try object(place, depth: depth)
        case UInt8(ascii: "["): return try list(place, depth: depth)
        case UInt8(ascii: "\""): return LogSetting(.string(try string()), at: place)
        case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte):
            return LogSetting(try number(), at: place)
        case UInt8(ascii: "'"):
            throw Failure(offset: index, text: "strings must be in double quotes")
        case UInt8(ascii: "/"):
            throw Failure(offset: index, text: "JSON has no comments; use a key that starts with “//”")
        case nil: throw Failure(offset: index, text: "expected a value, found the end of the file")
        default: return LogSetting(try word(), at: place)
        }
    }

    private mutating func word() throws(Failure) -> LogSetting.Content {
        let start = index
        while let byte = next, byte != 0x20, !Array(",:{}[]\"\n\r\t".utf8).contains(byte) { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self)
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "":
            throw Failure(offset: start, text: "expected a value, found \(shownNext)")
        default:
            throw Failure(
                offset: start,
                text:
                    "“\(word)” is not a valid value; "
                    + "use true, false, null, a number or a string in double quotes"
            )
        }
    }

    private mutating func object(_ place: LogSettingLocation, depth: Int) throws(Failure) -> LogSetting {
        try enter(depth)
        var members: [LogSetting.Member] = []
        var lines: [String: Int] = [:]
        skipBlanks()
        if next == UInt8(ascii: "}") {
            index += 1
            return LogSetting(.object([]), at: place)
        }
        while true {
            skipBlanks()
            let start = index
            guard next == UInt8(ascii: "\"") else {
                let isEnd = next == UInt8(ascii: "}")
                throw Failure(
                    offset: start,
                    text: isEnd
                        ? "trailing comma in an object"
                        : next == UInt8(ascii: "/")
                            ? "JSON has no comments; use a key that starts with “//”"
                            : "expected a key in double quotes, found \(shownNext)")
            }
            let key = try string()
            let keyPlace = text.place(of: start)
            skipBlanks()
            guard next == UInt8(ascii: ":") else {
                throw Failure(offset: index, text: "expected “:” after the key “\(key)”")
            }
            index += 1
            skipBlanks()
            let setting = try value(depth: depth + 1)
            if let first = lines[key] {
                duplicates.append(
                    LogConfigurationError.Problem(
                        place: keyPlace, path: "",
                        text:
                            "duplicate key “\(key)”, first used in line \(first);"
                            + " remove one of them"))
            } else {
                lines[key] = keyPlace.line ?? 0
                members.append(LogSetting.Member(key, at: keyPlace, setting))
            }
            if try isLast(of: "object", end: UInt8(ascii: "}")) {
                return LogSetting(.object(members), at: place)
            }
        }
    }

    private mutating func list(_ place: LogSettingLocation, depth: Int) throws(Failure) -> LogSetting {
        try enter(depth)
        var elements: [LogSetting] = []
        skipBlanks()
        if next == UInt8(ascii: "]") {
            index += 1
            return LogSetting(.list([]), at: place)
        }
        while true {
            skipBlanks()
            if next == UInt8(ascii: "]") {
                throw Failure(
                    offset: index, text: "trailing comma in a list")
            }
            elements.append(try value(depth: depth + 1))
            if try isLast(of: "list", end: UInt8(ascii: "]")) {
                return LogSetting(.list(elements), at: place)
            }
        }
    }

    private mutating func enter(_ depth: Int) throws(Failure) {
        if depth >= JSONSettingReader.depthLimit {
            throw Failure(
                offset: index,
                text: "objects and lists are nested more than \(JSONSettingReader.depthLimit) levels deep"
            )
        }
        index += 1
    }

    private mutating func isLast(of what: String, end: UInt8) throws(Failure) -> Bool {
        skipBlanks()
        switch next {
        case end:
            index += 1
            return true
        case UInt8(ascii: ","):
            index += 1
            return false
        case nil: throw Failure(offset: index, text: "unterminated \(what)")
        default:
            throw Failure(
                offset: index,
                text: "expected “,” or the end of the \(what), found \(shownNext)")
        }
    }

    // MARK: Numbers

    private mutating func number() throws(Failure) -> LogSetting.Content {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        let first = next
        let whole = digits()
        guard whole > 0 else { throw Failure(offset: start, text: "expected digits after “-”") }
        if first == UInt8(ascii: "0"), whole > 1 {
            throw Failure(
                offset: start,
                text: "numbers must not have leading zeros; write permissions as a string: \"0640\"")
        }
        var isWhole = true
        if next == UInt8(ascii: ".") {
            index += 1
            isWhole = false
            if digits() == 0 { throw Failure(offset: start, text: "expected digits after the decimal point") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            isWhole = false
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            if digits() == 0 { throw Failure(offset: start, text: "expected digits in the exponent") }
        }
        let written = String(decoding: bytes[start..<index], as: UTF8.self)
        if isWhole, let number = Int64(written) { return .integer(number) }
        guard let number = Double(written), number.isFinite else {
            throw Failure(offset: start, text: "the number \(written) is out of range")
        }
        return .number(number)
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = next, byte >= 0x30, byte <= 0x39 { index += 1 }
        return index - start
    }

    // MARK: Text

    private mutating func string() throws(Failure) -> String {
        let start = index
        index += 1
        var output: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return String(decoding: output, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &output)
            case 0..<0x20:
                let isLineBreak = byte == 0x0A || byte == 0x0D
                throw Failure(
                    offset: isLineBreak ? start : index,
                    text: isLineBreak
                        ? "unterminated string; add the closing quote"
                        : "control characters must be escaped: \\u00\(byte < 16 ? "0" : "")"
                            + String(byte, radix: 16))
            default:
                output.append(byte)
                index += 1
            }
        }
        throw Failure(offset: start, text: "unterminated string; add the closing quote")
    }

    private mutating func escape(into output: inout [UInt8]) throws(Failure) {
        let start = index
        index += 1
        guard let letter = next else {
            throw Failure(offset: index, text: "unterminated string at the end of the file")
        }
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(letter)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"):
            let high = try unit(start)
            if (0xDC00...0xDFFF).contains(high) {
                throw Failure(offset: start, text: "unpaired low surrogate in \\u escape")
            }
            guard (0xD800...0xDBFF).contains(high) else {
                output += scalar(UInt32(high))
                return
            }
            guard next == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u")
            else { throw Failure(offset: start, text: "unpaired high surrogate in \\u escape") }
            let second = index
            index += 2
            let low = try unit(second)
            guard (0xDC00...0xDFFF).contains(low) else {
                throw Failure(offset: start, text: "unpaired high surrogate in \\u escape")
            }
            output += scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        default:
            index = start + 1
            throw Failure(
                offset: start,
                text: "invalid escape sequence: \\ followed by \(shownNext); write a backslash as \\\\")
        }
    }

    private func scalar(_ number: UInt32) -> [UInt8] {
        guard let scalar = Unicode.Scalar(number) else { return [] }
        return Array(String(Character(scalar)).utf8)
    }

    /// Four hexadecimal digits.
    private mutating func unit(_ start: Int) throws(Failure) -> UInt16 {
        let end = index + 4
        guard end <= bytes.count else {
            throw Failure(offset: start, text: "expected four hexadecimal digits after \\u")
        }
        var number: UInt16 = 0
        for byte in bytes[index..<end] {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            default: throw Failure(offset: start, text: "expected four hexadecimal digits after \\u")
            }
            number = number << 4 | UInt16(digit)
        }
        index = end
        return number
    }
}
