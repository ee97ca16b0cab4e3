/// What of an engine's counters the statistics of its logger have.
///
/// Owned by the logger's hooks.
struct FileFigures {
    private var seen = FileCounters()

    /// Takes new counters; returns by how much they have grown.
    mutating func advance(to now: FileCounters) -> (bytes: Int, dropped: Int) {
        defer { seen = now }
        return (now.bytes - seen.bytes, now.dropped - seen.dropped)
    }
}
