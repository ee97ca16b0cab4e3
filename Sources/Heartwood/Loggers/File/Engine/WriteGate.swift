import CHeartwood

/// Decides how many records go into the open file now: the one place that answers "may I write?".
///
/// Pure: the engine takes the step, and asks again.
///
/// 1. A file does not grow beyond the limit of its size, unless it holds one record only, or no other file
///    can be created.
/// 2. All files together do not grow beyond the quota.
/// 3. Nothing is removed or rolled for a record that no file can ever hold.
struct WriteGate {
    /// The most bytes of the file.
    var rolling: RollingPolicy
    /// The most bytes of all files; zero for no limit.
    var quota: Int
    /// The bytes of the header that each new file begins with.
    var headerSize: Int
    /// The most records of one write.
    var mostRecords = Int.max

    /// What was tried already for the record at hand.
    struct Attempt {
        /// The file could not be rolled.
        var cannotRoll = false
        /// Older files were removed as far as possible.
        var hasMadeRoom = false
    }

    /// What is to be done for records that end at `ends`, the first of which begins at `start`, with the open
    /// file and `total` bytes of all files.
    func step(
        for ends: ArraySlice<Int>, from start: Int, into file: FilePlan.File, total: Int, _ attempt: Attempt
    ) -> FilePlan.Step {
        if file.isTorn { return .complete }
        var rest = file.isFramed ? frame(of: ends, from: start) : ends
        rest = rest.prefix(max(1, mostRecords))
        guard let end = rest.last, let first = rest.first else { return .wait(because: EINVAL) }
        let overhead = file.isFramed ? EncryptedFrame.overhead(of: end - start) : 0
        let origin = start - overhead
        var count = rolling.fitting(
            rest, from: origin, size: file.size, isFresh: !file.hasRecords)
        if count == 0 {
            if !attempt.cannotRoll { return .roll }
            count = rest.count
        }
        let fitting = rest.prefix(count)
        let needed = (fitting.last ?? origin) - origin
        guard quota > 0, total + needed > quota else {
            return .write(records: count, bytes: needed)
        }
        if first - origin + headerSize > quota { return .never(EDQUOT) }
        if !attempt.hasMadeRoom { return .makeRoom(bytes: needed) }
        let room = quota - total
        let within = fitting.prefix { $0 - origin <= room }
        if let last = within.last { return .write(records: within.count, bytes: last - origin) }
        // Only this file is left to take the room: finish it, so that it can be removed.
        return file.hasRecords && !attempt.cannotRoll ? .roll : .wait(because: EDQUOT)
    }

    /// The records that go into one frame: as many as fit, at least one.
    private func frame(of ends: ArraySlice<Int>, from start: Int) -> ArraySlice<Int> {
        ends.prefix(max(1, ends.prefix { $0 - start <= EncryptedFrame.pieceSize }.count))
    }
}
