/// What can be said of a regular expression before it is compiled, so that most text need not be matched against it.
struct PatternShape: Equatable {
    /// A text that every match contains; nil where none is known.
    private(set) var requiredText: [UInt8]?
    /// Whether the pattern is that text and nothing else.
    private(set) var isText = false
    /// Whether no match can contain a newline, so that a block may be searched as a whole instead of line by line.
    ///
    /// Where this is false, one line at a time is matched, and what the pattern says of newlines is never seen.
    private(set) var isSafeForBlocks = true

    /// Looks at a pattern; whatever is not understood makes it unsafe, never wrong.
    init(_ pattern: String, isLiteral: Bool, ignoresCase: Bool) {
        let bytes = Array(pattern.utf8)
        if isLiteral {
            isSafeForBlocks = !bytes.contains(0x0A)
            if !ignoresCase, isSafeForBlocks {
                requiredText = bytes
                isText = true
            }
            return
        }
        var reader = Reader(bytes: bytes)
        reader.readAll()
        isSafeForBlocks = reader.isSafe
        guard !ignoresCase, reader.isUnderstood, !reader.hasAlternatives else { return }
        isText = reader.isText && !bytes.isEmpty
        requiredText = isText ? reader.longest : (reader.longest.count > 1 ? reader.longest : nil)
        if bytes.isEmpty {
            requiredText = []
            isText = true
        }
    }

    /// Goes through the pattern once.
    private struct Reader {
        let bytes: [UInt8]
        var longest: [UInt8] = []
        var isText = true
        var isSafe = true
        /// Everything in it is known to this reader.
        var isUnderstood = true
        var hasAlternatives = false
        private var current: [UInt8] = []
        private var index = 0
        private var depth = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        mutating func readAll() {
            while index < bytes.count, isUnderstood { readOne() }
            endRun()
            if !isUnderstood { isSafe = false }
        }

        private mutating func endRun() {
            if current.count > longest.count { longest = current }
            current.removeAll()
        }

        private mutating func readOne() {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\\"): readEscape()
            case UInt8(ascii: "["): readClass()
            case UInt8(ascii: "("), UInt8(ascii: ")"): readParenthesis(byte)
            case UInt8(ascii: "|"):
                hasAlternatives = hasAlternatives || depth == 0
                special()
            case UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"): special()
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "{"): readRepetition(byte)
            case UInt8(ascii: "+"):
                isText = false
                endRun()
                index += 1
            case 0x0A: give()
            default: literal(byte)
            }
        }

        private mutating func give() { isUnderstood = false }

        private mutating func special() {
            isText = false
            endRun()
            index += 1
        }

        /// Nothing inside of a group counts as required: the group may be optional.
        private mutating func literal(_ byte: UInt8) {
            if depth == 0 { current.append(byte) }
            index += 1
        }

        private mutating func readParenthesis(_ byte: UInt8) {
            if byte == UInt8(ascii: "("), index + 1 < bytes.count, [0x3F, 0x2A].contains(bytes[index + 1]) {
                // Of what begins with a question mark only the group that is not captured is known.
                guard index + 2 < bytes.count, bytes[index + 1] == 0x3F, bytes[index + 2] == 0x3A else {
                    return give()
                }
                index += 2
            }
            depth += byte == UInt8(ascii: "(") ? 1 : -1
            special()
        }

        /// What is in front may be missing: the last character is not required.
        private mutating func readRepetition(_ byte: UInt8) {
            if byte == UInt8(ascii: "{") {
                let inside = bytes[(index + 1)...].prefix { $0 != UInt8(ascii: "}") }
                let isCount = !inside.isEmpty && inside.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2C }
                guard isCount else { return give() }
                index += inside.count + 1
            }
            while let last = current.popLast(), last & 0xC0 == 0x80 {}
            special()
        }

        private mutating func readEscape() {
            guard index + 1 < bytes.count else { return give() }
            let next = bytes[index + 1]
            switch next {
            case UInt8(ascii: "d"), UInt8(ascii: "w"), UInt8(ascii: "b"), UInt8(ascii: "S"):
                index += 1
                special()
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: give()
            default:
                isText = isText && depth == 0
                index += 1
                literal(next)
            }
        }

        /// `[a-z_]`; one that is negated, or has names or escapes in it, might match a newline.
        private mutating func readClass() {
            var end = index + 1
            guard end < bytes.count, bytes[end] != UInt8(ascii: "^"), bytes[end] != UInt8(ascii: "]") else {
                return give()
            }
            while end < bytes.count, bytes[end] != UInt8(ascii: "]") {
                let byte = bytes[end]
                if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "[") || byte < 0x20 { return give() }
                end += 1
            }
            guard end < bytes.count else { return give() }
            index = end
            special()
        }
    }
}
