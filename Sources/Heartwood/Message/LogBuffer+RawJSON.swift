extension LogBuffer {
    /// Adds a text that is JSON already, without its white space and its secrets; one that is not JSON
    /// after all, or is nested deeper than `LogValue.maximumDepth`, as a string.
    ///
    /// `depth` is how many lists and objects it is inside of.
    mutating func append(rawJSON text: String, isNumber: Bool = false, depth: Int = 0) {
        let text = redaction?.redacted(json: text) ?? text
        if !append(validJSON: text, isNumber: isNumber, depth: depth) { append(json: text) }
    }

    /// Adds a text that must be JSON, without its white space; false, with nothing added, when it is not.
    package mutating func append(validJSON text: String, isNumber: Bool = false, depth: Int = 0) -> Bool {
        let start = count
        var text = text
        let isValid = text.withUTF8 { bytes in
            var reader = RawJSONReader(bytes: UnsafeRawBufferPointer(bytes))
            return isNumber ? reader.copyNumberAlone(to: &self) : reader.copyAll(to: &self, depth: depth)
        }
        if !isValid { truncate(to: start) }
        return isValid
    }

    /// Adds a decimal number; any other text as a string.
    mutating func append(rawNumber text: String) { append(rawJSON: text, isNumber: true) }
}

/// Checks JSON (RFC 8259) while it copies it, so that nothing gets into a line that breaks it.
///
/// Refused is also what readers understand differently: an object with a key twice. Half of a surrogate
/// pair becomes U+FFFD.
private struct RawJSONReader {
    let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func copyAll(to output: inout LogBuffer, depth: Int) -> Bool {
        guard copyValue(to: &output, depth: depth) else { return false }
        skipSpace()
        return next == nil
    }

    mutating func copyNumberAlone(to output: inout LogBuffer) -> Bool {
        copyNumber(to: &output) && next == nil
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: Character, to output: inout LogBuffer) -> Bool {
        skipSpace()
        guard next == byte.asciiValue else { return false }
        output.append(bytes[index])
        index += 1
        return true
    }

    private mutating func copyValue(to output: inout LogBuffer, depth: Int) -> Bool {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return copyList("{", "}", to: &output, depth: depth)
        case UInt8(ascii: "["): return copyList("[", "]", to: &output, depth: depth)
        case UInt8(ascii: "\""): return copyString(to: &output)
        case UInt8(ascii: "t"): return copyWord("true", to: &output)
        case UInt8(ascii: "f"): return copyWord("false", to: &output)
        case UInt8(ascii: "n"): return copyWord("null", to: &output)
        default: return copyNumber(to: &output)
        }
    }

    private mutating func copyList(
        _ open: Character, _ close: Character, to output: inout LogBuffer, depth: Int
    ) -> Bool {
        guard depth < LogValue.maximumDepth, take(open, to: &output) else { return false }
        if take(close, to: &output) { return true }
        var keys: Set<[UInt8]> = []
        repeat {
            if open == "{" {
                skipSpace()
                let start = index
                guard copyString(to: &output), keys.insert(decoded(start + 1..<index - 1)).inserted,
                    take(":", to: &output)
                else { return false }
            }
            guard copyValue(to: &output, depth: depth + 1) else { return false }
        } while take(",", to: &output)
        return take(close, to: &output)
    }

    private mutating func copyWord(_ word: StaticString, to output: inout LogBuffer) -> Bool {
        let matches = word.withUTF8Buffer { word in
            bytes.count - index >= word.count && zip(bytes[index...], word).allSatisfy { $0 == $1 }
        }
        if matches {
            output.append(word)
            index += word.utf8CodeUnitCount
        }
        return matches
    }

    private mutating func copyDigits(to output: inout LogBuffer) -> Int {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) {
            output.append(byte)
            index += 1
        }
        return index - start
    }

    private mutating func copyOne(of choice: [UInt8], to output: inout LogBuffer) -> Bool {
        guard let byte = next, choice.contains(byte) else { return false }
        output.append(byte)
        index += 1
        return true
    }

    private mutating func copyNumber(to output: inout LogBuffer) -> Bool {
        _ = copyOne(of: [0x2D], to: &output)
        let startsWithZero = next == 0x30
        let digits = copyDigits(to: &output)
        if digits == 0 || (startsWithZero && digits > 1) { return false }
        if copyOne(of: [0x2E], to: &output), copyDigits(to: &output) == 0 { return false }
        if copyOne(of: [0x45, 0x65], to: &output) {
            _ = copyOne(of: [0x2B, 0x2D], to: &output)
            if copyDigits(to: &output) == 0 { return false }
        }
        return true
    }

    private mutating func copyString(to output: inout LogBuffer) -> Bool {
        guard take("\"", to: &output) else { return false }
        // What was not copied yet begins here.
        var start = index
        while let byte = next, byte != UInt8(ascii: "\"") {
            if byte < 0x20 { return false }
            index += 1
            if byte != UInt8(ascii: "\\") { continue }
            guard let escape = next, "\"\\/bfnrtu".utf8.contains(escape) else { return false }
            index += 1
            if escape != UInt8(ascii: "u") { continue }
            let place = index - 2
            guard let code = takeUnit() else { return false }
            if !(0xD800...0xDFFF).contains(code) { continue }
            if code < 0xDC00, takeLowSurrogate() { continue }
            output.appendInsideOfJSON(UnsafeRawBufferPointer(rebasing: bytes[start..<place]), isEscaped: true)
            output.append("\\ufffd" as StaticString)
            start = index
        }
        if next == nil { return false }
        output.appendInsideOfJSON(UnsafeRawBufferPointer(rebasing: bytes[start..<index]), isEscaped: true)
        return take("\"", to: &output)
    }

    /// The number that four hexadecimal digits are.
    private mutating func takeUnit() -> UInt32? {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80
            else {
                return nil
            }
            code = code << 4 | UInt32(digit)
            index += 1
        }
        return code
    }

    /// Takes the second half of a pair of surrogates, if it is there.
    private mutating func takeLowSurrogate() -> Bool {
        let start = index
        if next == UInt8(ascii: "\\") {
            index += 1
            if next == UInt8(ascii: "u") {
                index += 1
                if let code = takeUnit(), (0xDC00...0xDFFF).contains(code) { return true }
            }
        }
        index = start
        return false
    }

    /// A key without its escapes, so that two spellings of one are found.
    private func decoded(_ range: Range<Int>) -> [UInt8] {
        var key: [UInt8] = []
        JSONText.unescape(UnsafeRawBufferPointer(rebasing: bytes[range]), into: &key)
        return key
    }
}

/// The inside of strings of JSON.
package enum JSONText {
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
            while end < raw.count, raw[end] != 0x5C { end += 1 }
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
