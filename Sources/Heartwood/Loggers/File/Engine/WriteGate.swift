import CHeartwood

/// Decides how many records go into the open file now: the one place that answers "may I write?".
///
/// Pure: the engine does what the answer says, and asks again.
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
    /// Records become encrypted frames.
    var isFramed = false

    /// The open file and the others, as they are at the moment.
    struct Situation {
        /// The bytes of the open file.
        var size: Int
        /// Whether the open file has more than a header.
        var hasRecords: Bool
        /// The bytes of all files.
        var total: Int
        /// The part of a record is at the end of the open file, and could not be cut off.
        var isTorn = false
    }

    /// What was tried already for the record at hand.
    struct Attempt {
        /// The file could not be rolled.
        var cannotRoll = false
        /// Older files were removed as far as possible.
        var hasMadeRoom = false
    }

    enum Answer: Equatable {
        /// Complete the record whose part is at the end of the file before anything else, whatever the limits
        /// say.
        case complete
        /// Write so many records, of so many bytes on the disk.
        case write(records: Int, bytes: Int)
        /// Finish the file first.
        case roll
        /// Remove older files first, for so many bytes.
        case makeRoom(bytes: Int)
        /// No file can ever hold the first record.
        case never(Int32)
        /// There is no room now.
        case wait(Int32)
    }

    /// The answer for records that end at `ends`, the first of which begins at `start`.
    func answer(
        _ ends: ArraySlice<Int>, from start: Int, _ situation: Situation, _ attempt: Attempt
    ) -> Answer {
        if situation.isTorn { return .complete }
        var rest = isFramed ? frame(of: ends, from: start) : ends
        rest = rest.prefix(max(1, mostRecords))
        guard let end = rest.last, let first = rest.first else { return .wait(EINVAL) }
        let overhead = isFramed ? EncryptedFrame.overhead(of: end - start) : 0
        let origin = start - overhead
        var count = rolling.fitting(
            rest, from: origin, size: situation.size, isFresh: !situation.hasRecords)
        if count == 0 {
            if !attempt.cannotRoll { return .roll }
            count = rest.count
        }
        let fitting = rest.prefix(count)
        let needed = (fitting.last ?? origin) - origin
        guard quota > 0, situation.total + needed > quota else {
            return .write(records: count, bytes: needed)
        }
        if first - origin + headerSize > quota { return .never(EDQUOT) }
        if !attempt.hasMadeRoom { return .makeRoom(bytes: needed) }
        let room = quota - situation.total
        let within = fitting.prefix { $0 - origin <= room }
        if let last = within.last { return .write(records: within.count, bytes: last - origin) }
        // Only this file is left to take the room: finish it, so that it can be removed.
        return situation.hasRecords && !attempt.cannotRoll ? .roll : .wait(EDQUOT)
    }

    /// The records that go into one frame: as many as fit, at least one.
    private func frame(of ends: ArraySlice<Int>, from start: Int) -> ArraySlice<Int> {
        ends.prefix(max(1, ends.prefix { $0 - start <= EncryptedFrame.pieceSize }.count))
    }
}
