import CHeartwood
import Heartwood

/// A rule of the user's: lines that match get this level.
///
/// The pattern is a POSIX extended regular expression, as `grep -E` knows it, and matches bytes anywhere in a line.
final class LevelPattern {
    let level: LogLevel
    private var expression = regex_t()

    /// Reads `LEVEL=PATTERN`; a pattern that begins with `(?i)` does not care for case.
    ///
    /// - Throws: ``UsageError`` if the level or the pattern is not valid.
    init(parsing text: String) throws {
        guard let sign = text.firstIndex(of: "=") else {
            throw UsageError(
                "--level-pattern expects LEVEL=PATTERN, such as 'error=timed out' (got “\(text)”)")
        }
        level = try Arguments.level(String(text[..<sign]), for: "--level-pattern")
        var pattern = String(text[text.index(after: sign)...])
        var flags = REG_EXTENDED
        if pattern.hasPrefix("(?i)") {
            pattern.removeFirst(4)
            flags |= REG_ICASE
        }
        if pattern.isEmpty { throw UsageError("--level-pattern \(text): missing pattern; use LEVEL=PATTERN") }
        let result = regcomp(&expression, pattern, flags)
        if result != 0 {
            var reason = [CChar](repeating: 0, count: 200)
            regerror(result, &expression, &reason, reason.count)
            let words = String(
                decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw UsageError("--level-pattern: “\(pattern)” is not a valid regular expression: \(words)")
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
