/// When to look whether a journal's file is still there, and what was seen.
struct JournalLook {
    /// Whether the file was removed or cut while it was in use.
    var isGone = false
    private var next = Duration.zero

    /// A message is unprotected for so long at most after the file was removed.
    private static let interval = Duration.milliseconds(100)

    /// Whether it is time to look, at `now` of a clock that never goes back.
    mutating func isDue(at now: Duration) -> Bool {
        if isGone || now < next { return false }
        next = now + JournalLook.interval
        return true
    }
}
