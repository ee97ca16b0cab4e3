import Heartwood

/// A line that a page shows.
struct LogRow: Sendable {
    /// Its number.
    let number: Int
    /// The name of its file.
    let file: String
    /// Its text; nil where the file is gone.
    let text: [UInt8]?
    /// Where it is in the file's text.
    let offset: Int
    /// The level of the line that it goes with, where it says none itself.
    let level: LogLevel?
    /// The time of the line that it goes with, where it says none itself.
    let moment: Int64?
    /// Whether it says a time or a level itself.
    let isHead: Bool

    private static let reader = LineReader()

    /// The level that it says itself.
    var ownLevel: LogLevel? { isHead ? level : nil }

    /// Takes a line of a block.
    init(_ number: Int, _ block: LogBlock, _ file: String, _ bytes: [UInt8], _ range: Range<Int>) {
        self.number = number
        self.file = file
        text = Array(bytes[range])
        offset = block.offset + range.lowerBound
        let reader = LogRow.reader
        (level, moment, isHead) = bytes.withUnsafeBytes { bytes in
            let line = reader.head(of: .init(rebasing: bytes[range]))
            if line.isHead { return (line.level, line.moment, true) }
            let carry = BlockSurvey(reader).carry(of: range, in: bytes, after: block.carry)
            return (carry.level, carry.moment, false)
        }
    }

    /// A line that cannot be read any more.
    init(missing number: Int, _ file: String) {
        self.number = number
        self.file = file
        text = nil
        offset = 0
        level = nil
        moment = nil
        isHead = false
    }
}
