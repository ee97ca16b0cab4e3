import CHeartwood
import Heartwood
import HeartwoodReading

/// Which level a line has, by the user's patterns, by what it says, or by default.
struct LevelRule {
    private let patterns: [LevelPattern]
    private let hasPatterns: Bool
    private let standard: LogLevel
    private let recognizer = LineRecognizer()
    /// Whether levels are looked for in lines.
    let detects: Bool

    init(_ options: PipeOptions) {
        patterns = options.patterns
        hasPatterns = !options.patterns.isEmpty
        standard = options.defaultLevel
        detects = options.detectsLevels
    }

    /// Scans a line, or the lines of a record, after which ``LineScan/slack`` bytes more can be read.
    ///
    /// What the record knows is not looked for again.
    @inline(__always)
    func scan(_ line: UnsafeRawBufferPointer, _ record: RecordJoiner.Record?) -> LineScan {
        record?.scan ?? LineScan(line, findsLevels: record?.head == nil && detects)
    }

    /// The level of a line that was scanned, and of which `known` was read before.
    @inline(__always)
    func callAsFunction(
        _ line: UnsafeRawBufferPointer, _ scan: LineScan, _ known: LineRecognizer.Head? = nil
    ) -> LogLevel {
        if let level = ofPatterns(line) { return level }
        if let known { return detects ? known.level ?? standard : standard }
        return scan.mayHaveLevel ? recognizer.level(of: line) ?? standard : standard
    }

    /// The level and the time of a line of which `known` was read before.
    @inline(__always)
    func head(
        _ line: UnsafeRawBufferPointer, _ scan: LineScan, _ known: LineRecognizer.Head?
    ) -> (level: LogLevel, moment: LogTimestamp?) {
        let head = known ?? recognizer.head(of: line, levels: detects && scan.mayHaveLevel)
        let own = detects ? head.level : nil
        return (ofPatterns(line) ?? own ?? standard, head.moment)
    }

    @inline(__always)
    private func ofPatterns(_ line: UnsafeRawBufferPointer) -> LogLevel? {
        guard hasPatterns else { return nil }
        return patterns.first { $0.matches(line) }?.level
    }
}

/// A rule of the user's: lines that match get this level.
///
/// The pattern is a POSIX extended regular expression, as `grep -E` knows it, and matches bytes anywhere in a
/// line.
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
