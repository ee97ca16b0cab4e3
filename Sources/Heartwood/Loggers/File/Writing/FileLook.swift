/// Decides when the open file is looked at: whether it is still there, under its name, with the size that is
/// known.
///
/// Pure: the time is given.
///
/// 1. A write that comes ``interval`` or more after the last look is preceded by another one.
/// 2. After a failure, and before anything other than a plain write, the file is looked at whatever the time.
/// 3. For a while after a program has asked which files there are, since it may be about to remove them, no
///    look is enough.
struct FileLook {
    /// How long a look is enough for; zero for one write.
    let interval: Duration
    /// When the file was last looked at, in steady time; nil where that is not enough any more.
    private var last: Duration?
    /// Until when each write is preceded by a look.
    private var closeUntil: Duration?
    /// Whether the write at hand relies on an earlier look.
    private(set) var isSkipped = false

    init(interval: Duration) { self.interval = interval }

    /// Whether the file must be looked at before a write at this moment.
    func isDue(at uptime: Duration) -> Bool {
        guard interval > .zero, let last else { return true }
        if let closeUntil, uptime < closeUntil { return true }
        return uptime < last || uptime - last >= interval
    }

    /// When the last look is not enough any more, whatever happens; nil where it is not.
    var end: Duration? { last.map { $0 + interval } }

    /// The file was looked at, or opened, at this moment.
    mutating func note(at uptime: Duration) {
        last = uptime
        isSkipped = false
    }

    /// The write at hand relies on an earlier look.
    mutating func skip() { isSkipped = true }

    /// Has the file looked at before each write until a moment.
    mutating func beClose(until uptime: Duration) { closeUntil = max(closeUntil ?? uptime, uptime) }

    /// Has the file looked at before the next write.
    mutating func expire() {
        last = nil
        isSkipped = false
    }
}
