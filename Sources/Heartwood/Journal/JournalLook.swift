/// What is wrong with a journal's file that is in use.
enum JournalLoss: Sendable {
    /// The file has another name or none, so that no other process finds it; what is in it is there.
    case removed
    /// A part of the file is gone.
    case cut
    /// The system could not store a page: what was in the file is there.
    case unstored
    /// A record was lost in a file that has its size.
    case overwritten

    /// What happened, after "the journal".
    var description: String {
        switch self {
        case .removed: "was removed or renamed while in use"
        case .cut: "was truncated while in use"
        case .unstored:
            "could not be written, because the disk is full and the file system copies on write, or because the disk fails"
        case .overwritten: "was overwritten while in use"
        }
    }
}

/// When to look whether a journal's file is still there, and what was seen.
struct JournalLook {
    /// What was found wrong.
    var loss: JournalLoss?
    /// How long a record may be reserved and not published, while the drain looks at it.
    let patience: Duration
    private var next = Duration.zero
    private var unpublished: (position: UInt64, waited: Duration, last: Duration)?

    /// A message is unprotected for so long at most after the file was removed.
    static let interval = Duration.milliseconds(100)

    init(patience: Duration = .seconds(10)) { self.patience = patience }

    /// Whether it is time to look, at `now` of a clock that never goes back.
    mutating func isDue(at now: Duration) -> Bool {
        if loss != nil || now < next { return false }
        next = now + JournalLook.interval
        return true
    }

    /// Takes note that the record at a position is not published; says whether that has been so for too long.
    ///
    /// Only time in which others run counts: a process that was stopped has not let its calls finish.
    mutating func isStuck(at position: UInt64, _ now: Duration) -> Bool {
        guard let known = unpublished, known.position == position else {
            unpublished = (position, .zero, now)
            return false
        }
        let waited = known.waited + min(now - known.last, .milliseconds(10))
        unpublished = (position, waited, now)
        return waited >= patience
    }
}
