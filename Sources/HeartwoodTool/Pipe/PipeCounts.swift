/// What was read so far.
struct PipeCounts {
    var inputs = 0
    var lines = 0
    var bytes = 0
    /// Messages that were handed over: lines, and pieces of long ones.
    var records = 0
    /// Lines that were longer than a piece.
    var cutLines = 0
    /// Lines that `--level` leaves out.
    var belowLevel = 0
    /// Records that are made of several lines, and how many lines these have.
    var joinedRecords = 0
    var joinedLines = 0
    /// Lines that are not UTF-8.
    var notUTF8 = 0
    /// Lines by level.
    var levels = [Int](repeating: 0, count: 7)
}
