import Heartwood

/// Some successive lines of a log, from one file or several, and what is known of them.
struct LogBlock: Sendable {
    /// Some text of a file.
    struct Piece: Sendable {
        let part: Int
        /// Where it begins in the file's text.
        let offset: Int
        /// How many bytes it has.
        var count: Int
        /// Successive pieces of the same group are merged by time; groups follow one another.
        var group = 0
    }

    /// Where the text is.
    var pieces: [Piece]
    /// What the lines say.
    var facts: BlockFacts
    /// What applies to lines at the beginning that say nothing of themselves.
    var carry: LineCarry
}

/// What the lines of a block say: how many there are, how many records of each level, and when.
///
/// A record is a line that says a time or a level, together with the lines after it that do not, as those of
/// a stack trace.
struct BlockFacts: Sendable {
    /// How many lines there are.
    var lines = 0
    /// How many records begin here.
    var records = 0
    /// Records by level.
    var levels = TimeBins.Counts.zero
    /// Records by time and level; empty where none has a time.
    var bins = TimeBins()
    /// The earliest time of a line.
    var earliest: Int64?
    /// The latest time of a line.
    var latest: Int64?
    /// How many lines at the beginning belong to a record of an earlier block; without such a record, they
    /// are records themselves.
    var leading = 0
    /// What the last lines of the block say for the lines after it.
    var carry = LineCarry()

    /// Counts the lines at the beginning with what the blocks in front of this one say.
    mutating func resolve(_ earlier: LineCarry) {
        guard leading > 0, earlier.head != nil else { return }
        levels[7] &-= UInt32(leading)
        records -= leading
    }
}

/// What a line without time and level takes over from the lines in front of it.
struct LineCarry: Sendable {
    /// The level of the line that it goes with.
    var level: LogLevel?
    /// The time of the line that it goes with.
    var moment: Int64?
    /// The last line that has a time or a level.
    var head: [UInt8]?
    /// The last line that has a time, where that is another one.
    var timed: [UInt8]?

    /// What the carry is after a block, given the one in front of it.
    func after(_ earlier: LineCarry) -> LineCarry { head == nil ? earlier : self }
}
