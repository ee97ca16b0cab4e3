import Heartwood

/// Some successive lines of a file, and what is known of them.
struct LogBlock: Sendable {
    /// The file.
    let part: Int
    /// Where the block begins in the file's text.
    let offset: Int
    /// How many bytes of text it has.
    var count: Int
    /// What its lines say.
    var facts: BlockFacts
    /// What applies to lines at its beginning that say nothing of themselves.
    var carry: LineCarry
}

/// What the lines of a block say: how many there are of each level, and when.
struct BlockFacts: Sendable {
    /// How many lines there are.
    var lines = 0
    /// Lines by level.
    var levels = TimeBins.Counts.zero
    /// Lines by time and level; empty where no line has a time.
    var bins = TimeBins()
    /// The earliest time of a line.
    var earliest: Int64?
    /// The latest time of a line.
    var latest: Int64?
    /// How many lines at the beginning go with a line of an earlier block.
    var leading = 0
    /// What the last lines of the block say for the lines after it.
    var carry = LineCarry()

    /// Counts the lines at the beginning with what the blocks in front of this one say.
    mutating func resolve(_ earlier: LineCarry) {
        guard leading > 0 else { return }
        let place = TimeBins.place(of: earlier.level)
        levels[7] &-= UInt32(leading)
        levels[place] &+= UInt32(leading)
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
