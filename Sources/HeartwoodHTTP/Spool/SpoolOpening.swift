import Heartwood

/// The opening of a spool: what cannot be read is tried again at once, since ids and counts depend on it.
struct SpoolOpening {
    /// Whether the spool is being opened.
    private(set) var isUnderWay = true
    /// A reason other than damage for which a file could not be read.
    private(set) var error: LogError?
    /// The first id that no file, however damaged, can have had.
    private(set) var leastNextID: UInt64 = 1

    mutating func fail(_ error: LogError) { self.error = error }

    /// Notes that a file may have ids before this one.
    mutating func useIDs(before id: UInt64) { leastNextID = max(leastNextID, id) }

    mutating func end() { isUnderWay = false }
}
