import Heartwood
import HeartwoodReading

/// Which level a line has, by the user's patterns, by what it says, or by default.
struct LevelRule {
    private let patterns: [LevelPattern]
    private let standard: LogLevel
    private let recognizer = LineRecognizer()
    /// Whether levels are looked for in lines.
    let detects: Bool

    init(_ options: PipeOptions) {
        patterns = options.patterns
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
        patterns.isEmpty ? nil : patterns.first { $0.pattern.firstMatch(in: line) != nil }?.level
    }
}

/// A rule of the user's: lines in which a pattern is found get this level.
struct LevelPattern {
    let level: LogLevel
    let pattern: CompiledPattern

    /// Reads `LEVEL=PATTERN`.
    ///
    /// - Throws: ``UsageError`` if the level or the pattern is not valid.
    init(parsing text: String) throws {
        guard let sign = text.firstIndex(of: "=") else {
            throw UsageError(
                "--level-pattern expects LEVEL=PATTERN, such as 'error=timed out' (got “\(text)”)")
        }
        level = try Arguments.level(String(text[..<sign]), for: "--level-pattern")
        pattern = try CompiledPattern(String(text[text.index(after: sign)...]), of: "--level-pattern")
    }
}
