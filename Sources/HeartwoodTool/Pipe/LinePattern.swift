import CHeartwood

/// A POSIX extended regular expression, as `grep -E` knows it, that matches bytes anywhere in a line.
final class LinePattern: @unchecked Sendable {  // compiled once, then only read
    private var expression = regex_t()

    /// Compiles a pattern; one that begins with `(?i)` ignores case.
    ///
    /// - Parameters:
    ///   - text: The pattern.
    ///   - option: The option it belongs to, for messages.
    /// - Throws: ``UsageError`` for a pattern that is empty or not valid.
    init(_ text: String, of option: String) throws {
        var pattern = text
        var flags = REG_EXTENDED
        if pattern.hasPrefix("(?i)") {
            pattern.removeFirst(4)
            flags |= REG_ICASE
        }
        if pattern.isEmpty { throw UsageError("\(option): the pattern is empty") }
        let result = regcomp(&expression, pattern, flags)
        if result != 0 {
            var reason = [CChar](repeating: 0, count: 200)
            regerror(result, &expression, &reason, reason.count)
            let words = String(
                decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw UsageError("\(option): “\(pattern)” is not a valid regular expression: \(words)")
        }
    }

    deinit { regfree(&expression) }

    /// Whether the pattern is somewhere in the line.
    func matches(_ line: UnsafeRawBufferPointer) -> Bool {
        var range = regmatch_t(rm_so: 0, rm_eo: regoff_t(line.count))
        guard let start = line.baseAddress else { return regexec(&expression, "", 0, nil, 0) == 0 }
        return regexec(&expression, start.assumingMemoryBound(to: CChar.self), 1, &range, REG_STARTEND) == 0
    }
}
