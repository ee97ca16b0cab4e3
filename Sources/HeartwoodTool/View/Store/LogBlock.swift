import Heartwood
import HeartwoodReading

/// Some successive lines of a log, from one file or several, and what is known of them.
///
/// The number of lines, which of them begin records, and which piece each line is from are fixed when the
/// block is made. So a line keeps its index in the block, whatever happens to the files.
struct LogBlock: Sendable {
    /// Some text of a file.
    struct Piece: Equatable, Sendable {
        let part: Int
        /// Where it begins in the file's text.
        let offset: Int
        /// How many bytes it has.
        let count: Int
        /// A hash of the bytes, to notice that the file has other bytes there now.
        let hash: Int

        init(part: Int, offset: Int, _ bytes: UnsafeRawBufferPointer) {
            (self.part, self.offset, count) = (part, offset, bytes.count)
            hash = Piece.hash(of: bytes)
        }

        init(_ text: BlockText.Source) {
            self = (text.bytes ?? []).withUnsafeBytes { Piece(part: text.part, offset: text.offset, $0) }
        }

        static func hash(of bytes: UnsafeRawBufferPointer) -> Int {
            var hasher = Hasher()
            hasher.combine(bytes: bytes)
            return hasher.finalize()
        }
    }

    /// Where the text is.
    let pieces: [Piece]
    /// Which lines come from which piece.
    let order: LineOrder
    /// What the lines say.
    var facts: BlockFacts
    /// What applies to lines at the beginning that continue a record of an earlier block.
    var carry = LineCarry()
}

/// Which text each line of a block is from, as runs of lines of one text after another.
struct LineOrder: Equatable, Sendable {
    /// The text and the number of lines of each run, as integers of variable length.
    private var packed: [UInt8] = []

    init() {}

    /// The lines of one text.
    init(lines: Int) { append(text: 0, lines: lines) }

    mutating func append(text: Int, lines: Int) {
        for var number in [text, lines] {
            while number > 0x7F {
                packed.append(UInt8(number & 0x7F) | 0x80)
                number >>= 7
            }
            packed.append(UInt8(number))
        }
    }

    /// Adds the runs of other texts, which are numbered from `first` on.
    mutating func append(_ other: LineOrder, first: Int) {
        other.forEachRun { append(text: first + $0, lines: $1) }
    }

    func forEachRun(_ body: (_ text: Int, _ lines: Int) -> Void) {
        var (number, shift, text) = (0, 0, Int?.none)
        for byte in packed {
            number |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 != 0 { continue }
            if let known = text {
                body(known, number)
                text = nil
            } else {
                text = number
            }
            (number, shift) = (0, 0)
        }
    }
}

/// A set of lines of a block, by their indices.
struct LineSet: Sendable {
    private var words: [UInt64] = []
    private(set) var count = 0

    init() {}

    /// The first lines of a block.
    init(first count: Int) {
        words = Array(repeating: .max, count: count / 64)
        if count % 64 > 0 { words.append(1 << UInt64(count % 64) - 1) }
        self.count = count
    }

    mutating func insert(_ line: Int) {
        while words.count <= line / 64 { words.append(0) }
        if !contains(line) { count += 1 }
        words[line / 64] |= 1 << UInt64(line % 64)
    }

    mutating func remove(_ line: Int) {
        guard contains(line) else { return }
        words[line / 64] &= ~(1 << UInt64(line % 64))
        count -= 1
    }

    func contains(_ line: Int) -> Bool {
        line / 64 < words.count && words[line / 64] >> UInt64(line % 64) & 1 != 0
    }

    /// The first member at or after a line.
    func next(from line: Int) -> Int? {
        var index = line / 64
        guard index < words.count else { return nil }
        var word = words[index] & (.max << UInt64(line % 64))
        while word == 0 {
            index += 1
            guard index < words.count else { return nil }
            word = words[index]
        }
        return index * 64 + word.trailingZeroBitCount
    }

    /// The last member at or before a line.
    func last(upTo line: Int) -> Int? {
        guard line >= 0, !words.isEmpty else { return nil }
        var index = min(line / 64, words.count - 1)
        var word = words[index]
        if index == line / 64 { word &= .max >> UInt64(63 - line % 64) }
        while word == 0 {
            guard index > 0 else { return nil }
            index -= 1
            word = words[index]
        }
        return index * 64 + 63 - word.leadingZeroBitCount
    }

    /// The number of members before a line.
    func rank(of line: Int) -> Int {
        var rank = words.prefix(line / 64).reduce(0) { $0 + $1.nonzeroBitCount }
        if line / 64 < words.count, line % 64 > 0 {
            rank += (words[line / 64] << UInt64(64 - line % 64)).nonzeroBitCount
        }
        return rank
    }

    /// The member with so many members before it.
    func line(at rank: Int) -> Int? {
        var rest = rank
        for (index, word) in words.enumerated() {
            if rest < word.nonzeroBitCount {
                var word = word
                for _ in 0..<rest { word &= word - 1 }
                return index * 64 + word.trailingZeroBitCount
            }
            rest -= word.nonzeroBitCount
        }
        return nil
    }

    /// The members, in ascending order.
    var lines: some Sequence<Int> {
        sequence(state: 0) { from -> Int? in
            guard let line = next(from: from) else { return nil }
            from = line + 1
            return line
        }
    }
}

/// What the lines of a block say: how many there are, how many records of each level, and when.
///
/// ``RecordLines`` tells which lines are records.
struct BlockFacts: Sendable {
    /// How many lines there are.
    var lines = 0
    /// The lines with which records begin.
    var heads = LineSet()
    /// Records by level.
    var levels = TimeBins.Counts.zero
    /// Records by time and level; empty where none has a time.
    var bins = TimeBins()
    /// The earliest time of a line.
    var earliest: Int64?
    /// The latest time of a line.
    var latest: Int64?
    /// The first line that begins a record whatever is in front of the block; nil where none does.
    var sure: Int?
    /// What the last lines of the block say for the lines after it.
    var carry = LineCarry()

    /// How many lines at the beginning belong to a record of an earlier block.
    var leading: Int { heads.next(from: 0) ?? lines }
}

/// What the lines after a block take over from the lines in front of them.
struct LineCarry: Sendable {
    /// The level of the last record.
    var level: LogLevel?
    /// The time of the last record that has one.
    var moment: Int64?
    /// The first line of the last record.
    var head: [UInt8]?
    /// The first line of the last record that has a time, where that is another one.
    var timed: [UInt8]?
    /// What decides whether the next line begins a record.
    var records = RecordLines()
    /// The text of the last line: a line of another one begins a record.
    var part: Int?

    /// Takes over the time of what is in front, where no record has said one since.
    mutating func takeTime(of earlier: LineCarry) {
        guard moment == nil, earlier.moment != nil else { return }
        moment = earlier.moment
        timed = earlier.timed ?? (head == earlier.head ? nil : earlier.head)
    }
}
