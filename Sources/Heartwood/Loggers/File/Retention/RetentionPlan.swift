/// Which log files to remove: a list of files in, those to remove out.
///
/// 1. The file that is written, by whatever process, is counted like any other, and never removed.
/// 2. Files are removed oldest first, until all limits hold. So no file is ever removed before an older one
///    that could be, however large it is.
/// 3. An age is believed only where the clocks can be, as ``ClockJumps`` says.
struct RetentionPlan: Sendable, Hashable {
    // Zero is no limit.
    /// The most files, those that are written included.
    var maximumCount = 0
    /// The most bytes of all files together.
    var quota = 0
    /// How long after it was last written a file is kept.
    var maximumAge = Duration.zero

    typealias File = FileInventory.Entry

    /// The files to remove of those that are given in the order in which they go.
    ///
    /// `count` and `total` are those of all files, with what is about to be created and written. `now` is nil
    /// where the wall clock cannot be trusted at the moment; then no file is too old. Without an age limit,
    /// ends with the first that may stay.
    func removals(from files: some Sequence<File>, count: Int, total: Int, now: LogTimestamp?) -> [File] {
        var (count, total) = (count, total)
        var removals: [File] = []
        for file in files {
            let isOver = isExceeded(count: count, total: total, now: nil)
            if !isOver, maximumAge <= .zero || now == nil { break }
            guard !file.isProtected, isOver || isTooOld(file, now) else { continue }
            removals.append(file)
            count -= 1
            total -= file.size
        }
        return removals
    }

    /// Whether so many files of so many bytes exceed a limit, or may because of their age.
    func isExceeded(count: Int, total: Int, now: LogTimestamp?) -> Bool {
        maximumCount > 0 && count > maximumCount || quota > 0 && total > quota
            || maximumAge > .zero && now != nil
    }

    private func isTooOld(_ file: File, _ now: LogTimestamp?) -> Bool {
        guard maximumAge > .zero, let now else { return false }
        return ClockJumps.isOlder(file.modified, than: maximumAge, at: now)
    }

    /// Settings that cannot all have their effect, in words for a person.
    func contradictions(maximumFileSize: Int) -> [String] {
        var found: [String] = []
        if quota > 0, maximumFileSize >= quota {
            found.append(
                "The disk quota of \(ByteCount(quota)) has no room for a second file of"
                    + " \(ByteCount(maximumFileSize)); files are rolled at half of the quota instead")
        } else if quota > 0, maximumCount > 0, maximumFileSize > quota / maximumCount {
            found.append(
                "The disk quota of \(ByteCount(quota)) is reached before \(maximumCount) files of"
                    + " \(ByteCount(maximumFileSize)) are kept")
        }
        if maximumCount == 1 {
            found.append("With a maximum of one file, every roll removes all earlier messages")
        }
        return found
    }

    /// The size at which files are rolled so that the quota can be kept; zero for no limit.
    func effectiveFileSize(_ maximumFileSize: Int) -> Int {
        guard quota > 0, maximumFileSize == 0 || maximumFileSize >= quota else { return maximumFileSize }
        return max(1, quota / 2)
    }
}
