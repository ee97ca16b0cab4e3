/// The levels that a logger wants, and the number of that setting: of two that were made at the same time the one with
/// the higher number holds, in whatever order they come.
struct LogLevelChoice: Sendable {
    var levels = LogLevelMask.all
    var number = 0
}
