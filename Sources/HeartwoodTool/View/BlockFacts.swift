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
