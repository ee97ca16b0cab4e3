import Heartwood
import HeartwoodReading

/// Counts records by level, category, time and message, in bounded memory.
struct LogTally {
    private(set) var lines = 0
    private(set) var records = 0
    private(set) var first: LogTimestamp?
    private(set) var last: LogTimestamp?
    /// By the place of the level in the order of severity; the last place is for records without a level.
    private(set) var levels = [Int](repeating: 0, count: 8)
    private(set) var categories: [String: Int] = [:]
    /// By the number of the minute since 1970.
    private(set) var minutes: [Int64: Int] = [:]
    /// By the text with its numbers folded.
    private(set) var messages: [String: Int] = [:]
    /// Records whose category or message found no room in the tables.
    private(set) var others = 0

    /// Records without a moment, and the first doubtful time of each file.
    private(set) var unplaced = 0
    private(set) var examples: [(path: String, example: UnplacedRecords.Example)] = []

    /// How many different categories, minutes and messages are told apart.
    static let limit = 100_000

    private let parser = LineRecognizer()
    private var boundaries = RecordLines()
    private var path = ""
    private var year = GuessedYear()

    /// Counts a line; one that continues a record counts only as a line.
    ///
    /// `isNext` tells whether the line comes right after the last one in its file, which has this path.
    mutating func add(_ line: UnsafeRawBufferPointer, isNext: Bool = true, path: String = "") {
        lines += 1
        if !isNext { boundaries = RecordLines() }
        if path != self.path { (self.path, year) = (path, GuessedYear(modified: LogReading.modified(path))) }
        AnsiText.withPlain(line) { line in
            var read: LineRecord?
            let begins = boundaries.begins(line) {
                let record = parser.record(of: line, fields: .none)
                read = record
                return record.head
            }
            guard begins, let read else { return }
            add(read)
            if let moment = read.moment {
                if year.isWrong(moment, line) { add(.year, line) }
            } else if let doubt = TimeDoubt(read.head, of: line) {
                add(doubt, line)
            }
        }
    }

    private mutating func add(_ doubt: TimeDoubt, _ line: UnsafeRawBufferPointer) {
        if examples.last?.path != path { examples.append((path, .init(doubt, line))) }
    }

    private mutating func add(_ record: LineRecord) {
        records += 1
        levels[record.level.map { min($0.index, 6) } ?? 7] += 1
        if let moment = record.moment {
            first = min(first ?? moment, moment)
            last = max(last ?? moment, moment)
            LogTally.count(moment.nanoseconds.dividedDown(by: 60_000_000_000), in: &minutes, &others)
        } else {
            unplaced += 1
        }
        LogTally.count(record.category ?? "-", in: &categories, &others)
        LogTally.count(LogTally.folded(record.message), in: &messages, &others)
    }

    private static func count<Key: Hashable>(_ key: Key, in table: inout [Key: Int], _ others: inout Int) {
        if table.count >= limit, table[key] == nil {
            others += 1
        } else {
            table[key, default: 0] += 1
        }
    }

    /// The text with `#` for each number, so that messages which differ in nothing else are one.
    static func folded(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: min(bytes.count, 300)) { result in
                var count = 0
                var isInNumber = false
                for byte in bytes.prefix(300) {
                    // Not `UInt8.isDigit`, with which the loop takes a third longer.
                    let isDigit = byte &- 0x30 < 10
                    if !isDigit || !isInNumber {
                        result[count] = isDigit ? UInt8(ascii: "#") : byte
                        count += 1
                    }
                    isInNumber = isDigit
                }
                return count
            }
        }
    }

    /// The most frequent entries of a table, those of the same number in the order of their names.
    static func top(_ table: [String: Int], _ count: Int) -> [(name: String, count: Int)] {
        let sorted = table.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
        return sorted.prefix(count).map { ($0.key, $0.value) }
    }

    /// How many records there are in each period of so many minutes, in order; periods without a record are
    /// left out.
    func periods(of minutesEach: Int64) -> [(start: LogTimestamp, count: Int)] {
        var sums: [Int64: Int] = [:]
        for (minute, count) in minutes { sums[minute.dividedDown(by: minutesEach), default: 0] += count }
        return sums.sorted { $0.key < $1.key }.map { period, count in
            // The first period that a moment can be in begins before the first moment.
            let (start, isBefore) = (period * minutesEach).multipliedReportingOverflow(by: 60_000_000_000)
            return (LogTimestamp(nanoseconds: isBefore ? .min : start), count)
        }
    }
}
