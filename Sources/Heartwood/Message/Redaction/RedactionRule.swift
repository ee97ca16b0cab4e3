import CHeartwood

/// A rule that finds secrets in a text.
public struct RedactionRule: Sendable {
    /// The replacement, which is written in angle brackets.
    public let name: String
    /// The first secret at or after an index.
    let find: @Sendable (UnsafeRawBufferPointer, Int) -> Range<Int>?

    /// Card numbers, written as `<card>`.
    ///
    /// They are 13 to 19 digits with a known prefix and a correct check digit (Luhn), without separators or
    /// in groups with spaces or hyphens.
    ///
    /// About one in ten other numbers with such a prefix has a correct check digit by chance, and is replaced
    /// too.
    public static let cardNumbers = RedactionRule(name: "card") { CardNumbers.next(in: $0, from: $1) }

    /// Email addresses, written as `<email>`.
    public static let emailAddresses = RedactionRule(name: "email") { EmailAddresses.next(in: $0, from: $1) }

    /// Bearer tokens, written as `<token>`: at least 8 characters with a digit, or 20 characters, after the
    /// word `Bearer` in any case.
    public static let bearerTokens = RedactionRule(name: "token") { BearerTokens.next(in: $0, from: $1) }

    /// Tokens with a known prefix, such as `sk_live_`, followed by letters, digits and `-._~+/=`.
    public static func tokens(startingWith prefix: String, name: String = "token") -> RedactionRule {
        let prefix = Array(prefix.utf8)
        return RedactionRule(name: cleaned(name)) { bytes, start in
            guard let found = bytes.firstRange(of: prefix, from: start) else { return nil }
            return found.lowerBound..<BearerTokens.end(in: bytes, from: found.upperBound)
        }
    }

    /// Matches of a regular expression in Swift's syntax.
    ///
    /// A rule costs a few microseconds per text, and much more for some expressions.
    ///
    /// - Throws: ``LogError`` of code `setting` for a wrong expression.
    public static func matching(_ expression: String, name: String) throws -> RedactionRule {
        let expression = try TextExpression(expression)
        return RedactionRule(name: cleaned(name)) { expression.firstRange(in: $0, from: $1) }
    }

    /// Matches of a custom function, which returns the first range of UTF-8 at or after an index, or nil.
    ///
    /// The function is called on the queues of loggers, by several at the same time.
    public static func custom(
        name: String, _ find: @escaping @Sendable (UnsafeRawBufferPointer, Int) -> Range<Int>?
    ) -> RedactionRule {
        RedactionRule(name: cleaned(name), find: find)
    }

    /// ASCII letters, digits and hyphens: a name is written into JSON and the like as it is.
    private static func cleaned(_ name: String) -> String {
        let kept = name.utf8.filter {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || $0 == 0x2D
        }
        return kept.isEmpty ? "secret" : String(decoding: kept, as: UTF8.self)
    }
}

/// Finds numbers of payment cards.
private enum CardNumbers {
    static func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var index = start
        while index < bytes.count {
            if !bytes[index].isDigit {
                index += 1
                continue
            }
            let (groups, end) = groups(in: bytes, from: index)
            if let found = card(in: bytes, groups) { return found }
            index = end
        }
        return nil
    }

    /// The groups of digits that belong together, with one blank or hyphen between them at most.
    private static func groups(
        in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> (groups: [Range<Int>], end: Int) {
        var end = start
        while end < bytes.count, bytes[end].isDigit { end += 1 }
        // A short number without a neighbor, which is nearly every one, needs no list.
        if end - start < 13, !isSeparated(bytes, end) { return ([], end) }
        var groups = [start..<end]
        while isSeparated(bytes, end) {
            let begin = end + 1
            end = begin
            while end < bytes.count, bytes[end].isDigit { end += 1 }
            groups.append(begin..<end)
        }
        return (groups, end)
    }

    private static func isSeparated(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        index + 1 < bytes.count && (bytes[index] == 0x20 || bytes[index] == 0x2D) && bytes[index + 1].isDigit
    }

    private static func card(in bytes: UnsafeRawBufferPointer, _ groups: [Range<Int>]) -> Range<Int>? {
        for (number, first) in groups.enumerated() {
            if first.lowerBound > 0, bytes[first.lowerBound - 1].isWord || bytes[first.lowerBound - 1] == 0x2E
            {
                continue
            }
            var digits = 0
            for last in groups[number...] {
                digits += last.count
                if digits > 19 { break }
                let range = first.lowerBound..<last.upperBound
                if digits >= 13, isEnd(bytes, range.upperBound), isCard(bytes, range) { return range }
            }
        }
        return nil
    }

    private static func isEnd(_ bytes: UnsafeRawBufferPointer, _ end: Int) -> Bool {
        if end == bytes.count { return true }
        if bytes[end] == 0x2E { return end + 1 == bytes.count || !bytes[end + 1].isDigit }
        return !bytes[end].isWord
    }

    /// Whether the number begins as those of the big networks do, and its check digit is right.
    private static func isCard(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        let (first, second) = (bytes[range.lowerBound], bytes[range.lowerBound + 1])
        let isKnown = (0x33...0x36).contains(first) || (first == 0x32 && (0x32...0x37).contains(second))
        if !isKnown { return false }
        var sum = 0
        var doubles = false
        for index in range.reversed() where bytes[index].isDigit {
            let digit = Int(bytes[index] - 0x30) * (doubles ? 2 : 1)
            sum += digit > 9 ? digit - 9 : digit
            doubles.toggle()
        }
        return sum % 10 == 0
    }
}

/// Finds e-mail addresses.
private enum EmailAddresses {
    static func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var index = start
        while index < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + index, 0x40, bytes.count - index)
        {
            let at = UnsafeRawPointer(found) - base
            if let range = address(around: at, in: bytes, from: start) { return range }
            index = at + 1
        }
        return nil
    }

    private static func address(
        around at: Int, in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> Range<Int>? {
        var begin = at
        while begin > start, isLocal(bytes[begin - 1]) { begin -= 1 }
        while begin < at, bytes[begin] == 0x2E { begin += 1 }
        if begin == at { return nil }
        // The domain ends after its last label that is a word.
        var end = at + 1
        var labelStart = end
        var goodEnd: Int?
        while end <= bytes.count {
            let isLabel = end < bytes.count && (bytes[end].isWord && bytes[end] != 0x5F || bytes[end] == 0x2D)
            if isLabel {
                end += 1
                continue
            }
            if end == labelStart { break }
            if labelStart > at + 1, end - labelStart >= 2, !bytes[end - 1].isDigit { goodEnd = end }
            guard end < bytes.count, bytes[end] == 0x2E else { break }
            end += 1
            labelStart = end
        }
        return goodEnd.map { begin..<$0 }
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        byte.isWord || byte == 0x2E || byte == 0x2D || byte == 0x2B || byte == 0x25
    }
}

/// Finds what follows the word Bearer.
private enum BearerTokens {
    private static let words = [Array("earer".utf8), Array("EARER".utf8)]

    static func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        words.compactMap { next($0, in: bytes, from: start) }.min { $0.lowerBound < $1.lowerBound }
    }

    private static func next(
        _ word: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> Range<Int>? {
        var index = start
        while let found = bytes.firstRange(of: word, from: index) {
            index = found.upperBound
            guard found.lowerBound > 0, bytes[found.lowerBound - 1] | 0x20 == 0x62 else { continue }
            var begin = index
            while begin < bytes.count, bytes[begin] == 0x20 || bytes[begin] == 0x09 || bytes[begin] == 0x3A {
                begin += 1
            }
            if begin == index { continue }
            let end = end(in: bytes, from: begin)
            let hasDigit = bytes[begin..<end].contains { $0.isDigit }
            if end - begin >= (hasDigit ? 8 : 20) { return begin..<end }
        }
        return nil
    }

    /// The end of the token that begins at an index.
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var end = start
        while end < bytes.count, isToken(bytes[end]) { end += 1 }
        return end
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x2D, 0x2E, 0x5F, 0x7E, 0x2B, 0x2F, 0x3D: true
        default: false
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// A letter or digit of ASCII, an underscore, or a part of any other character.
    fileprivate var isWord: Bool {
        isDigit || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self == 0x5F
            || self >= 0x80
    }
}

extension UnsafeRawBufferPointer {
    /// The first place of some bytes, at or after an index.
    func firstRange(of other: [UInt8], from start: Int) -> Range<Int>? {
        guard let base = baseAddress, let first = other.first else { return nil }
        var index = start
        while index + other.count <= count, let found = memchr(base + index, Int32(first), count - index) {
            index = UnsafeRawPointer(found) - base
            if index + other.count > count { return nil }
            if memcmp(base + index, other, other.count) == 0 { return index..<index + other.count }
            index += 1
        }
        return nil
    }
}
