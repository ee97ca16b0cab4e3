/// Ids that were sent while neither the files nor the cursor had them, because the disk took nothing.
///
/// After a restart nothing is known of them, and the spool uses them again for other records. So what has such an id
/// goes by another identity, which ends with the process: no server ever sees one key, or one name, for two things.
struct LooseIDs {
    /// The identity in place of the spool's.
    let identity = Digest.random(16)
    private var ranges: [ClosedRange<UInt64>] = []

    /// Whether the id is one of them.
    func contains(_ id: UInt64) -> Bool { ranges.contains { $0.contains(id) } }

    /// Adds the ids of a range; it is all of them from then on until ``removeAll(through:)``.
    mutating func insert(_ range: ClosedRange<UInt64>) {
        if ranges.contains(where: { $0.contains(range.lowerBound) && $0.contains(range.upperBound) }) {
            return
        }
        if let last = ranges.last, last.contains(range.lowerBound - 1) || last.contains(range.lowerBound) {
            ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        } else {
            ranges.append(range)
        }
    }

    /// Forgets those up to `id`, which are done.
    mutating func removeAll(through id: UInt64) { ranges.removeAll { $0.upperBound <= id } }
}
