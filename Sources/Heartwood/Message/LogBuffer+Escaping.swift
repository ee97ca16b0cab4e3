import CHeartwood

extension LogBuffer {
    /// How line breaks and control characters are written, which could forge a line or move a terminal's
    /// cursor.
    public enum Escaping: Sendable {
        /// Writes them as `\\n`, `\\u{1b}` and so on, and doubles backslashes, so that the text can be read
        /// back.
        case escape
        /// Keeps line breaks, and indents the lines after the first.
        ///
        /// Other control characters are written as with ``escape``; backslashes are not doubled.
        case indent
        /// Changes nothing.
        ///
        /// Use it for texts that are trusted, or escaped elsewhere.
        case none
    }

    /// Appends a text, escaped so that it stays on its line.
    public mutating func appendEscaped(_ text: String) {
        text.withBytes { appendEscaped($0) }
    }

    /// Appends the text of a message, with line breaks and control characters made safe.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - privacy: How private values are written.
    ///   - escaping: How line breaks and control characters are written.
    ///   - indent: The number of spaces before continued lines, where `escaping` indents them; 4 unless
    ///     given.
    @inline(__always)
    public mutating func appendText(
        of message: LogMessage, privacy: LogPrivacyPolicy, escaping: Escaping, indent: Int = 4
    ) {
        if appendPlainText(of: message, escaping: UInt8(ascii: "\\")) == nil {
            appendAnyText(of: message, privacy, escaping, indent: indent)
        }
    }

    @inline(never)
    private mutating func appendAnyText(
        of message: LogMessage, _ privacy: LogPrivacyPolicy, _ escaping: Escaping, indent: Int
    ) {
        let start = count
        appendText(of: message, privacy: privacy)
        makeSafe(from: start, escaping, indent: indent)
    }

    /// Makes the text from `start` on safe.
    mutating func makeSafe(from start: Int, _ escaping: Escaping, indent: Int = 4) {
        switch escaping {
        case .none: return
        case .escape:
            let bytes = UnsafeRawBufferPointer(start: base + start, count: count - start)
            if LogBuffer.needsEscaping(bytes) { replaceEnd(from: start) { $1.appendEscaped($0) } }
        case .indent:
            let bytes = UnsafeRawBufferPointer(start: base + start, count: count - start)
            if LogBuffer.needsEscaping(bytes) {
                replaceEnd(from: start) { $1.appendEscaped($0, backslash: false, newlineIndent: indent) }
            }
        }
    }

    /// Whether there may be something to escape: a control character, a backslash, the first bytes of a
    /// hidden character; or no UTF-8 at all.
    @inline(__always)
    static func needsEscaping(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress, !hw_is_plain(base, bytes.count, 0x5C) else { return false }
        var isASCII = true
        for (offset, byte) in bytes.enumerated() {
            if isSuspect(bytes, offset) { return true }
            isASCII = isASCII && byte < 0x80
        }
        return !isASCII && !bytes.isUTF8
    }

    @inline(__always)
    private static func isSuspect(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        let byte = bytes[index]
        return byte < 0x20 || byte == .backslash || byte == 0x7F
            || (byte >= 0xC2 && mayBeHidden(bytes, index))
    }

    /// Whether a sequence of bytes begins as hidden characters do.
    @inline(__always)
    private static func mayBeHidden(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        switch bytes[index] {
        case 0xC2: return next < 0xA0 || next == 0xAD
        case 0xCD: return next == 0x8F
        case 0xD8: return next == 0x9C
        case 0xE1: return next == 0x85 || next == 0x9E || next == 0xA0
        case 0xE2: return next == 0x80 || next == 0x81
        case 0xE3: return next == 0x85
        case 0xEF: return next == 0xBB || next == 0xBE || next == 0xBF
        case 0xF0: return next == 0x9B || next == 0x9D
        case 0xF3: return next == 0xA0
        default: return false
        }
    }

    /// Adds UTF-8 with everything escaped that could move a cursor, forge a line or hide text.
    mutating func appendEscaped(
        _ bytes: UnsafeRawBufferPointer, backslash: Bool = true, newlineIndent: Int? = nil
    ) {
        var index = 0
        let count = bytes.count
        while index < count {
            let byte = bytes[index]
            switch byte {
            case .backslash where backslash: append("\\\\" as StaticString)
            case .newline:
                if let newlineIndent {
                    append(byte)
                    append(repeating: .space, count: newlineIndent)
                } else {
                    append("\\n" as StaticString)
                }
            case .carriageReturn: append("\\r" as StaticString)
            case .tab: append("\\t" as StaticString)
            case 0..<0x20, 0x7F: append(escaped: UInt32(byte))
            case 0x80...:
                if let (code, length) = LogBuffer.hiddenCharacter(bytes, at: index) {
                    append(escaped: code)
                    index += length - 1
                } else {
                    index += appendSequence(bytes, at: index) - 1
                }
            default: append(byte)
            }
            index += 1
        }
    }

    /// Adds the character that begins at `index`, or `\\x{ff}` for a byte that begins none; returns its
    /// length.
    private mutating func appendSequence(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
        let length = bytes.sequenceLength(at: index)
        if length == 0 {
            append("\\x{" as StaticString)
            append(Hexadecimal.digits[Int(bytes[index] >> 4)])
            append(Hexadecimal.digits[Int(bytes[index] & 15)])
            append(UInt8(ascii: "}"))
            return 1
        }
        append(UnsafeRawBufferPointer(rebasing: bytes[index..<index + length]))
        return length
    }

    /// The character that begins at `index`, and its length, if it is hidden.
    static func hiddenCharacter(
        _ bytes: UnsafeRawBufferPointer, at index: Int
    ) -> (code: UInt32, length: Int)? {
        guard mayBeHidden(bytes, index) else { return nil }
        let length = bytes.sequenceLength(at: index)
        if length < 2 { return nil }
        var code = UInt32(bytes[index]) & (0x7F >> UInt32(length))
        for offset in 1..<length { code = code << 6 | UInt32(bytes[index + offset] & 0x3F) }
        return isHidden(code) ? (code, length) : nil
    }

    /// Controls, line and paragraph separators, and what has no width or shows as a blank: bidirectional
    /// controls, fillers, annotations and tags; but not the joiners and the variation selectors, which
    /// scripts and emoji need.
    private static func isHidden(_ code: UInt32) -> Bool {
        switch code {
        case 0x80...0x9F, 0xAD, 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E: true
        case 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164: true
        case 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE007F: true
        default: false
        }
    }

    private mutating func append(escaped code: UInt32) {
        append("\\u{" as StaticString)
        append(String(code, radix: 16))
        append(UInt8(ascii: "}"))
    }
}
