/// Decides when a database logger saves and when it deletes; pure, so that a table can test it.
///
/// Moments are those of a clock that only moves forward (`LogClock.uptime`).
///
/// 1. What is unsaved is saved when there are `saveThreshold` messages of it, or when the oldest of it
///    is `saveInterval` old.
/// 2. Old messages are deleted with the first save, then every `deleteInterval`, and with each save if so
///    asked.
/// 3. After a save that failed nothing is tried until a pause has passed, which doubles from one second to
///    thirty; then it is tried whatever the limits say. Deleting that failed waits for the next interval.
struct SaveSchedule {
    /// What is to be done now.
    enum Action: Equatable { case nothing, save, delete, saveAndDelete }

    var settings = DatabaseSettings()
    private(set) var unsaved = 0
    private var oldest = Duration.zero
    private var startedAt: Duration
    private var lastDelete: Duration?
    private var retry = RetryPlan(GrowingPause(first: .seconds(1), longest: .seconds(30)))

    init(at now: Duration) { startedAt = now }

    /// Takes note of a message that is not saved yet; `now` is asked for the first one only.
    @inline(__always)
    mutating func noteBuffered(at now: @autoclosure () -> Duration) {
        if unsaved == 0 { oldest = now() }
        unsaved += 1
    }

    /// What is due at a moment.
    func action(at now: Duration) -> Action {
        if isSaveDue(at: now) { return savesWithDelete(at: now) ? .saveAndDelete : .save }
        return isDeleteDue(at: now) ? .delete : .nothing
    }

    /// Whether a save that is made at a moment, due or not, deletes as well.
    func savesWithDelete(at now: Duration) -> Bool {
        guard settings.maximumAge.limit != nil else { return false }
        if settings.deletesOnEverySave { return true }
        return settings.deleteInterval.limit != nil && (lastDelete == nil || isDeleteDue(at: now))
    }

    /// When something will be due if nothing happens before; nil, never.
    var due: Duration? {
        var moments: [Duration] = []
        if unsaved > 0 {
            if retry.isFailing {
                moments.append(retry.due)
            } else if let interval = settings.saveInterval.limit {
                moments.append(oldest + interval)
            }
        }
        if let nextDelete { moments.append(nextDelete) }
        return moments.min()
    }

    /// Nothing is unsaved any more: it was saved or forgotten.
    mutating func noteSaved() {
        unsaved = 0
        retry.succeed()
    }

    /// Nothing was saved.
    mutating func noteSaveFailed(at now: Duration) { retry.fail(at: now) }

    /// Deleting was tried, with whatever result.
    mutating func noteDeleted(at now: Duration) { lastDelete = now }

    /// Whether saving has failed and not succeeded since.
    var isFailing: Bool { retry.isFailing }

    private func isSaveDue(at now: Duration) -> Bool {
        guard unsaved > 0 else { return false }
        if retry.isFailing { return retry.mayTry(at: now) }
        if let threshold = settings.saveThreshold.limit, unsaved >= threshold { return true }
        return settings.saveInterval.limit.map { now - oldest >= $0 } ?? false
    }

    /// Whether this message is the one with which a save is due.
    var isFull: Bool { unsaved == settings.saveThreshold }

    /// When old messages are deleted next; nil for never.
    private var nextDelete: Duration? {
        guard settings.maximumAge.limit != nil else { return nil }
        return settings.deleteInterval.limit.map { (lastDelete ?? startedAt) + $0 }
    }

    private func isDeleteDue(at now: Duration) -> Bool { nextDelete.map { now >= $0 } ?? false }
}

/// The settings of an ``AbstractDatabaseLogger``, which has each as a property of the same name.
///
/// Where a limit is optional, nil and zero both mean no limit.
public struct DatabaseSettings: Sendable, Equatable {
    /// The number of messages that are saved at once; nil: their number alone never makes the logger save.
    ///
    /// Default: 500
    public var saveThreshold: Int? = 500

    /// How long a message waits for others before it is saved; nil: time alone never makes the logger save.
    ///
    /// Default: 1m
    public var saveInterval: Duration? = .seconds(60)

    /// The age after which messages are deleted, by the wall clock; nil: none is ever deleted.
    ///
    /// Default: 7d
    public var maximumAge: Duration? = .seconds(7 * 86_400)

    /// How often old messages are deleted; nil: never by time.
    ///
    /// ``deletesOnEverySave`` and ``AbstractDatabaseLogger/deleteNow()`` still hold.
    ///
    /// Default: 5m
    public var deleteInterval: Duration? = .seconds(300)

    /// Whether every save also deletes old messages.
    ///
    /// Default: false
    public var deletesOnEverySave = false

    /// The memory limit of unsaved messages, measured as in the record ring.
    ///
    /// When it is reached and saving fails, further messages are dropped, counted as failed and announced. A
    /// quarter of it is saved at once, whatever ``saveThreshold`` says.
    ///
    /// Default: 16 MiB
    public var unsavedLimit: ByteCount? = .mebibytes(16)

    package init() {}
}
