import Heartwood

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
