/// How much may wait for a logger, and what happens when it is more.
struct BacklogLimits: Sendable {
    var limit = ByteCount.mebibytes(16)
    var policy = OverflowPolicy.standard
    /// The number of the setting: of two that were made at the same time the one with the higher number holds.
    var number = 0

    /// The limit in bytes, which leaves room for sums.
    var bytes: Int { limit == .zero ? Int.max / 4 : min(limit.bytes, Int.max / 4) }
}
