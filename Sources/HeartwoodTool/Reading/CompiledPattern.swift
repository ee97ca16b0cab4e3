import CPCRE2

/// A regular expression of PCRE2, compiled to machine code where the system allows that.
///
/// It works on bytes: text is UTF-8, and a byte that is not matches nothing, but does not end the search. `^` and `$` are the
/// ends of lines, and `.` is no newline.
///
/// Not thread-safe: owned by whoever searches.
final class CompiledPattern {
    private let code: OpaquePointer
    private let data: OpaquePointer
    private let context: OpaquePointer?
    private let stack: OpaquePointer?
    /// Lines on which the search was given up, because the pattern needs too many steps for them.
    private(set) var failures = 0

    /// Compiles a pattern.
    ///
    /// - Parameters:
    ///   - pattern: A regular expression, or a text.
    ///   - isLiteral: The pattern is a text.
    ///   - ignoresCase: Ignores case.
    /// - Throws: ``UsageError`` where the pattern is not a regular expression.
    init(_ pattern: String, isLiteral: Bool = false, ignoresCase: Bool = false) throws {
        var options = UInt32(PCRE2_MULTILINE)
        options |= UInt32(PCRE2_UTF) | UInt32(PCRE2_UCP) | UInt32(PCRE2_MATCH_INVALID_UTF)
        if isLiteral {
            options = UInt32(PCRE2_LITERAL) | UInt32(PCRE2_UTF) | UInt32(PCRE2_MATCH_INVALID_UTF)
        } else {
            options |= UInt32(PCRE2_ALT_CIRCUMFLEX) | UInt32(PCRE2_NEVER_BACKSLASH_C)
        }
        if ignoresCase { options |= UInt32(PCRE2_CASELESS) }
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
            throw UsageError(
                "“\(pattern)” is not a valid regular expression: \(words), at character \(place + 1); "
                    + "add --fixed to search for it as plain text")
        }
        guard let data = pcre2_match_data_create_from_pattern_8(code, nil) else {
            pcre2_code_free_8(code)
            throw UsageError("not enough memory for the pattern")
        }
        self.code = code
        self.data = data
        // Without it, where memory may not be executable, the same is interpreted.
        let isCompiled = pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE)) == 0
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
