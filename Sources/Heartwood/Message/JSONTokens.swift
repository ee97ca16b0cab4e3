/// Splits JSON (RFC 8259) into its tokens, strictly: for whoever must accept no more than JSON.
///
/// Whoever uses it puts the tokens together. The readers of logs do not: their lines may be cut, or be no
/// JSON at all.
package struct JSONTokens {
    /// What is wrong with a token, and where it is.
    package struct Fault: Error {
        package let offset: Int
        package let text: String

        package init(offset: Int, text: String) { (self.offset, self.text) = (offset, text) }
    }

    package let bytes: UnsafeRawBufferPointer
    package private(set) var index = 0

    /// Begins at an index of the bytes, which must stay while it is used.
    package init(_ bytes: UnsafeRawBufferPointer, at index: Int = 0) {
        (self.bytes, self.index) = (bytes, index)
    }

    package var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    package func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// What is wrong at the index.
    package func fault(_ text: String) -> Fault { Fault(offset: index, text: text) }

    /// The character at the index, for a message.
    package var shownNext: String {
        guard index < bytes.count else { return "the end of the file" }
        let character = String(decoding: bytes[index..<min(index + 16, bytes.count)], as: UTF8.self).first
        return character.map { "“\($0)”" } ?? "nothing"
    }

    // MARK: Tokens

    package mutating func skipBlanks() {
        while let byte = next, byte == .space || byte == .newline || byte == .carriageReturn || byte == .tab {
            index += 1
        }
    }

    /// Skips a byte if it is the next one.
    package mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private static let words: [StaticString] = ["true", "false", "null"]

    /// Takes `true`, `false` or `null`; nil where none of them is next.
    package mutating func word() -> Range<Int>? {
        let start = index
        for word in JSONTokens.words where bytes.has(word, at: start) {
            index += word.utf8CodeUnitCount
            return start..<index
        }
        return nil
    }

    /// Takes a number, and says whether it is written as a whole one.
    package mutating func number() throws(Fault) -> (range: Range<Int>, isWhole: Bool) {
        let start = index
        _ = skip(UInt8(ascii: "-"))
        let first = next
        let whole = digits()
        guard whole > 0 else { throw Fault(offset: start, text: "expected digits after “-”") }
        if first == UInt8(ascii: "0"), whole > 1 {
            throw Fault(
                offset: start,
                text: "numbers must not have leading zeros; write permissions as a string: \"0640\"")
        }
        var isWhole = true
        if skip(UInt8(ascii: ".")) {
            isWhole = false
            if digits() == 0 { throw Fault(offset: start, text: "expected digits after the decimal point") }
        }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            isWhole = false
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            if digits() == 0 { throw Fault(offset: start, text: "expected digits in the exponent") }
        }
        return (start..<index, isWhole)
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = next, byte >= 0x30, byte <= 0x39 { index += 1 }
        return index - start
    }

    /// Takes a string, whose escapes are valid.
    ///
    /// - Returns: Where its inside is, and in there the escapes that are one half of a pair without the
    ///   other, which are no characters.
    package mutating func string() throws(Fault) -> (inside: Range<Int>, halves: [Int]) {
        let start = index
        guard skip(UInt8(ascii: "\"")) else { throw fault("expected a string, found \(shownNext)") }
        var halves: [Int] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return (start + 1..<index - 1, halves)
            case UInt8(ascii: "\\"): if try !isCharacter() { halves.append(index - 6) }
            case .newline, .carriageReturn: throw Fault(offset: start, text: Self.unterminated)
            case 0..<0x20:
                throw fault(
                    "control characters must be escaped: \\u00\(byte < 16 ? "0" : "")"
                        + String(byte, radix: 16))
            default: index += 1
            }
        }
        throw Fault(offset: start, text: Self.unterminated)
    }

    private static let unterminated = "unterminated string; add the closing quote"

    /// Takes an escape, or the two of a pair; false where it is half of one.
    private mutating func isCharacter() throws(Fault) -> Bool {
        let start = index
        index += 1
        guard let letter = next else { throw fault("unterminated string at the end of the file") }
        guard "\"\\/bfnrtu".utf8.contains(letter) else {
            throw Fault(
                offset: start,
                text: "invalid escape sequence: \\ followed by \(shownNext); write a backslash as \\\\")
        }
        index += 1
        guard letter == UInt8(ascii: "u") else { return true }
        guard let unit = unit() else {
            throw Fault(offset: start, text: "expected four hexadecimal digits after \\u")
        }
        if !(0xD800...0xDFFF).contains(unit) { return true }
        let end = index
        if unit < 0xDC00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")), let low = self.unit(),
            (0xDC00...0xDFFF).contains(low)
        {
            return true
        }
        index = end
        return false
    }

    /// The number that four hexadecimal digits are.
    private mutating func unit() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        index += 4
        return unit
    }

    // MARK: The inside of strings

    /// Replaces `text` by the bytes, with the escapes of JSON resolved.
    package static func unescape(_ raw: UnsafeRawBufferPointer, into text: inout [UInt8]) {
        text.removeAll(keepingCapacity: true)
        text.reserveCapacity(raw.count)
        /// The first half of a pair that is one character.
        var half: UInt32?
        var index = 0
        func add(_ scalar: UInt32) {
            UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}").map { text += $0 }
        }
        while index < raw.count {
            var end = index
            while end < raw.count, raw[end] != .backslash { end += 1 }
            if end + 1 >= raw.count { end = raw.count }
            if end > index {
                if half != nil { add(0xFFFD) }
                half = nil
                text += raw[index..<end]
            }
            guard end < raw.count else { break }
            let escape = raw[end + 1]
            index = end + 2
            let unit: UInt32
            switch escape {
            case UInt8(ascii: "n"): unit = 10
            case UInt8(ascii: "t"): unit = 9
            case UInt8(ascii: "r"): unit = 13
            case UInt8(ascii: "b"): unit = 8
            case UInt8(ascii: "f"): unit = 12
            case UInt8(ascii: "u"):
                let digits = String(decoding: raw[index..<min(index + 4, raw.count)], as: UTF8.self)
                unit = UInt32(digits, radix: 16) ?? 0xFFFD
                index = min(index + 4, raw.count)
            default:
                // The byte itself, which may be the first of several.
                if half != nil { add(0xFFFD) }
                half = nil
                text.append(escape)
                continue
            }
            if let high = half {
                half = nil
                if unit >> 10 == 0x37 {
                    add(0x10000 + (high & 0x3FF) << 10 + (unit & 0x3FF))
                    continue
                }
                add(0xFFFD)
            }
            if unit >> 10 == 0x36 { half = unit } else { add(unit) }
        }
        if half != nil { add(0xFFFD) }
    }
}
