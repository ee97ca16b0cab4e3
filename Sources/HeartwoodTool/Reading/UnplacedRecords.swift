import Heartwood
import HeartwoodReading

/// Counts records that have no moment, and keeps the first time of a file that is doubtful.
struct UnplacedRecords {
    /// The first time of a file that is doubtful.
    struct Example {
        let doubt: TimeDoubt
        let text: String

        init(_ doubt: TimeDoubt, _ line: String) {
            self.doubt = doubt
            let text = AnsiText.plain(line)
            self.text = LogBuffer.escaped(text.prefix(50) + (text.count > 50 ? "…" : ""))
        }

        init(_ doubt: TimeDoubt, _ line: UnsafeRawBufferPointer) {
            self.init(doubt, String(decoding: line.prefix(1000), as: UTF8.self))
        }
    }

    /// How many records a filter has left out because their time is not known, and how many it has not.
    private var left = 0
    private var kept = 0
    /// Whether some are from the current file.
    private var isOfFile = false
    /// The first doubtful time of the current file.
    private var first: Example?

    /// What is said of the current file; nil if no time in it is doubtful, or no such record was asked about.
    var example: Example? { isOfFile || first?.doubt == .year ? first : nil }

    /// How many records were counted.
    var count: Int { left + kept }

    /// Begins a file.
    mutating func begin() { (isOfFile, first) = (false, nil) }

    /// Notes a doubtful time of the current file.
    mutating func note(_ doubt: TimeDoubt, _ line: UnsafeRawBufferPointer) {
        if first == nil { first = Example(doubt, line) }
    }

    /// Counts a record that is selected but for its time.
    mutating func count(isLeftOut: Bool) {
        isOfFile = true
        if isLeftOut { left += 1 } else { kept += 1 }
    }

    /// What is said at the end of the filters with these names; nil where all records were placed.
    func summary(_ filters: String) -> String? {
        func were(_ count: Int) -> String { count == 1 ? "was" : "were" }
        guard count > 0 else { return nil }
        let start = "\(Readable.count(count, "record")) \(count == 1 ? "has" : "have") no known time"
        if left == 0 { return "\(start) and \(were(kept)) not left out by \(filters)" }
        if kept == 0 { return "\(start) and \(were(left)) left out by \(filters)" }
        return "\(start): \(Readable.count(left)) \(were(left)) left out by \(filters), "
            + "\(Readable.count(kept)) \(were(kept)) not"
    }
}

/// Finds the first time that is later than its file because its year is a guess.
///
/// Such a year is guessed otherwise when the file was written.
struct GuessedYear {
    private let modified: LogTimestamp?
    /// A day after the file was written, or without end.
    private var latest = LogTimestamp(nanoseconds: .max)

    /// Takes when the file was last written; nil where that is not known.
    init(modified: LogTimestamp? = nil) {
        self.modified = modified
        if let modified { latest = modified + .seconds(86_400) }
    }

    /// Whether a line has that time; only the first one that is later is read again.
    mutating func isWrong(_ moment: LogTimestamp, _ line: UnsafeRawBufferPointer) -> Bool {
        guard moment > latest, let modified else { return false }
        latest = LogTimestamp(nanoseconds: .max)
        return AnsiText.withPlain(line) { LineRecognizer(now: modified).moment(of: $0) } != moment
    }
}
