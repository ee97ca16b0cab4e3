import HeartwoodSystem
import CPCRE2

/// A regular expression of PCRE2, compiled to machine code where the system allows that.
///
/// It works on bytes: text is UTF-8, and a byte that is not matches nothing, but does not end the search. `^`
/// and `$` are the ends of lines, and `.` is no newline; in the patterns of `heartwood pipe`, `^` and `$` are
/// the beginning and the end of the record, and `.` also matches a newline.
///
/// Not thread-safe: owned by whoever searches.
final class CompiledPattern {
    private let code: OpaquePointer
    private let data: OpaquePointer
    private let context: OpaquePointer?
    private let stack: OpaquePointer?
    private let option: String?
    /// Lines on which the search was given up, because the pattern needs too many steps for them.
    private var failures = 0

    /// Compiles a pattern.
    ///
    /// - Parameters:
    ///   - pattern: A regular expression, or a text.
    ///   - isLiteral: The pattern is a text.
    ///   - ignoresCase: Ignores case.
    ///   - option: The option of `heartwood pipe` that has the pattern; nil for a search.
    /// - Throws: ``UsageError`` where the pattern is not a regular expression, or an option's is empty.
    init(
        _ pattern: String, isLiteral: Bool = false, ignoresCase: Bool = false, of option: String? = nil
    ) throws {
        if let option, pattern.isEmpty { throw UsageError("\(option): the pattern is empty") }
        var options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF
        if isLiteral {
            options |= PCRE2_LITERAL
        } else {
            options |= PCRE2_UCP | PCRE2_ALT_CIRCUMFLEX | PCRE2_NEVER_BACKSLASH_C
            options |= option == nil ? PCRE2_MULTILINE : PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY
        }
        if ignoresCase { options |= PCRE2_CASELESS }
        let settings = pcre2_compile_context_create_8(nil)
        pcre2_set_newline_8(settings, UInt32(PCRE2_NEWLINE_LF))
        defer { pcre2_compile_context_free_8(settings) }
        var error: Int32 = 0
        var place = 0
        let bytes = Array(pattern.utf8)
        guard let code = pcre2_compile_8(bytes, bytes.count, options, &error, &place, settings) else {
            var reason = [UInt8](repeating: 0, count: 256)
            pcre2_get_error_message_8(error, &reason, reason.count)
            let words = String(decoding: reason.prefix { $0 != 0 }, as: UTF8.self)
            let character = String(decoding: bytes.prefix(place), as: UTF8.self).count + 1
            throw UsageError(
                (option.map { "\($0): " } ?? "")
                    + "“\(pattern)” is not a valid regular expression: \(words), at character \(character)"
                    + (option == nil ? "; add --fixed to search for it as plain text" : ""))
        }
        guard let data = pcre2_match_data_create_from_pattern_8(code, nil) else {
            pcre2_code_free_8(code)
            throw UsageError("not enough memory for the pattern")
        }
        self.option = option
        self.code = code
        self.data = data
        // Without it, where memory may not be executable, the same is interpreted.
        let isCompiled = pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE) == 0
        context = pcre2_match_context_create_8(nil)
        stack = isCompiled ? pcre2_jit_stack_create_8(32 * 1024, 16 << 20, nil) : nil
        if let stack { pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack)) }
    }

    deinit {
        pcre2_match_data_free_8(data)
        pcre2_match_context_free_8(context)
        if let stack { pcre2_jit_stack_free_8(stack) }
        pcre2_code_free_8(code)
    }

    /// What a person should know of lines on which the search was given up; nil where all is well.
    var complaint: String? {
        if failures == 0 { return nil }
        return (option.map { "\($0): " } ?? "") + "the pattern is too complex for "
            + Readable.count(failures, "line")
    }

    /// The first match in `text` that begins at or after `start`.
    func firstMatch(in text: UnsafeRawBufferPointer, from start: Int = 0) -> Range<Int>? {
        let empty: StaticString = ""
        let subject = text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? empty.utf8Start
        let count = pcre2_match_8(code, subject, text.count, start, 0, data, context)
        if count < 0 {
            if count != PCRE2_ERROR_NOMATCH { failures += 1 }
            return nil
        }
        guard let offsets = pcre2_get_ovector_pointer_8(data) else { return nil }
        return offsets[0]..<max(offsets[0], offsets[1])
    }
}

/// What can be said of a regular expression before it is compiled, so that most text need not be matched
/// against it.
struct PatternShape: Equatable {
    /// A text that every match contains; nil where none is known.
    private(set) var requiredText: [UInt8]?
    /// Whether the pattern is that text and nothing else.
    private(set) var isText = false
    /// Whether no match can contain a newline, so that a block may be searched as a whole instead of line by
    /// line.
    ///
    /// Where this is false, one line at a time is matched, and what the pattern says of newlines is never
    /// seen.
    private(set) var isSafeForBlocks = true

    /// Looks at a pattern; whatever is not understood makes it unsafe, never wrong.
    init(_ pattern: String, isLiteral: Bool, ignoresCase: Bool) {
        let bytes = Array(pattern.utf8)
        if isLiteral {
            isSafeForBlocks = !bytes.contains(.newline)
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
            case .newline: give()
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
            if byte == UInt8(ascii: "("), index + 1 < bytes.count, "?*".utf8.contains(bytes[index + 1]) {
                // Of what begins with a question mark only the group that is not captured is known.
                guard bytes[(index + 1)...].starts(with: "?:".utf8) else { return give() }
                index += 2
            }
            depth += byte == UInt8(ascii: "(") ? 1 : -1
            special()
        }

        /// What is in front may be missing: the last character is not required.
        private mutating func readRepetition(_ byte: UInt8) {
            if byte == UInt8(ascii: "{") {
                let inside = bytes[(index + 1)...].prefix { $0 != UInt8(ascii: "}") }
                let isCount = !inside.isEmpty && inside.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ",") }
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
            case _ where next.isDigit || next.isLetter || next >= 0x80: give()
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
