import Heartwood
import HeartwoodReading

/// Records that have no moment, or a doubtful one, and what a person is told of them: why, once for each
/// file, and how many, at the end.
struct UnplacedRecords {
    /// The first time of a file that is doubtful.
    struct Example {
        let doubt: TimeDoubt
        private let text: String

        init(_ doubt: TimeDoubt, _ line: String) {
            self.doubt = doubt
            let text = AnsiText.plain(line)
            var shown = LogBuffer()
            shown.appendEscaped(String(text.prefix(50)) + (text.count > 50 ? "…" : ""))
            self.text = shown.text
        }

        init(_ doubt: TimeDoubt, _ line: UnsafeRawBufferPointer) {
            self.init(doubt, String(decoding: line.prefix(1000), as: UTF8.self))
        }

        /// What is said of the file; `isSorted` tells whether its place among others depends on its times.
        func description(of path: String, isSorted: Bool = false) -> String {
            let what =
                switch doubt {
                case .zone: "the zone of some times is unknown or has several meanings (such as IST or CST)"
                case .day: "the day of some times is unknown"
                case .year: "some times have no year, and the one assumed is later than the file"
                }
            let remedy =
                if isSorted {
                    "it is read in the order of the names; to read files in another order, name them"
                } else if doubt == .year {
                    "heartwood cat --fields time shows what is assumed"
                } else {
                    "heartwood grep finds such lines by their text"
                }
            return "\(LogReading.name(of: path)): \(what), as in “\(text)”; \(remedy)"
        }
    }

    /// How many records a filter has left out because their time is not known, and how many it has not.
    private var left = 0
    private var kept = 0
    /// Whether some are of the file at hand.
    private var isOfFile = false
    /// The first doubtful time of the file at hand.
    private var first: Example?

    /// What is said of the file at hand; nil where it is all well, or no such record was asked about.
    var example: Example? { isOfFile || first?.doubt == .year ? first : nil }

    /// Begins a file.
    mutating func begin() { (isOfFile, first) = (false, nil) }

    /// Notes a doubtful time of the file at hand.
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
        let count = left + kept
        guard count > 0 else { return nil }
        let start = "\(Readable.count(count, "record")) \(count == 1 ? "has" : "have") no known time"
        if left == 0 { return "\(start) and \(were(kept)) not left out by \(filters)" }
        if kept == 0 { return "\(start) and \(were(left)) left out by \(filters)" }
        return "\(start): \(Readable.count(left)) \(were(left)) left out by \(filters), "
            + "\(Readable.count(kept)) \(were(kept)) not"
    }
}
