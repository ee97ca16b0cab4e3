import Heartwood

/// A rule of the user's: lines that match get this level.
///
/// The pattern is a POSIX extended regular expression, as `grep -E` knows it, and matches bytes anywhere in a line.
final class LevelPattern {
    let level: LogLevel
    private let pattern: LinePattern

    /// Reads `LEVEL=PATTERN`; a pattern that begins with `(?i)` does not care for case.
    ///
    /// - Throws: ``UsageError`` if the level or the pattern is not valid.
    init(parsing text: String) throws {
        guard let sign = text.firstIndex(of: "=") else {
            throw UsageError(
                "--level-pattern expects LEVEL=PATTERN, such as 'error=timed out' (got “\(text)”)")
        }
        level = try Arguments.level(String(text[..<sign]), for: "--level-pattern")
        let pattern = String(text[text.index(after: sign)...])
        if pattern.isEmpty { throw UsageError("--level-pattern \(text): missing pattern; use LEVEL=PATTERN") }
        self.pattern = try LinePattern(pattern, of: "--level-pattern")
    }

    /// Whether the pattern is somewhere in the line.
    func matches(_ line: UnsafeRawBufferPointer) -> Bool { pattern.matches(line) }
}
