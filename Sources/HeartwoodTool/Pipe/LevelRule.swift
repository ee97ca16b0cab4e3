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

    /// The level of a line that was scanned.
    @inline(__always)
    func callAsFunction(_ line: UnsafeRawBufferPointer, _ scan: LineScan) -> LogLevel {
        if hasPatterns {
            for pattern in patterns where pattern.matches(line) { return pattern.level }
        }
        return scan.mayHaveLevel ? recognizer.level(of: line) ?? standard : standard
    }
}
