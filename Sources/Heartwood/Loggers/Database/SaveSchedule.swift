/// Decides when a database logger saves and when it deletes; pure, so that a table can test it.
///
/// Moments are those of a clock that only moves forward (`LogClock.uptime`).
///
/// 1. What is unsaved is saved when there are `threshold` messages of it, or when the oldest of it is
///    `interval` old.
/// 2. Old messages are deleted with the first save, then every `deleteInterval`, and with each save if so
///    asked.
/// 3. After a save that failed nothing is tried until a pause has passed, which doubles from one second to
///    thirty; then it is tried whatever the limits say. Deleting that failed waits for the next interval.
struct SaveSchedule {
    /// What the logger's properties say; zero and less switch a limit off.
    struct Settings: Equatable, Sendable {
        var threshold = 500
        var interval = Duration.seconds(60)
        var maximumAge = Duration.seconds(7 * 86_400)
        var deleteInterval = Duration.seconds(300)
        var deletesOnEverySave = false
    }

    /// What is to be done now.
    enum Action: Equatable { case nothing, save, delete, saveAndDelete }

    var settings = Settings()
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
        guard settings.maximumAge > .zero else { return false }
        if settings.deletesOnEverySave { return true }
        return settings.deleteInterval > .zero && (lastDelete == nil || isDeleteDue(at: now))
    }

    /// When something will be due if nothing happens before; nil, never.
    var due: Duration? {
        var moments: [Duration] = []
        if unsaved > 0 {
            if retry.isFailing {
                moments.append(retry.due)
            } else if settings.interval > .zero {
                moments.append(oldest + settings.interval)
            }
        }
        if settings.maximumAge > .zero, settings.deleteInterval > .zero { moments.append(nextDelete) }
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
        if settings.threshold > 0, unsaved >= settings.threshold { return true }
        return settings.interval > .zero && now - oldest >= settings.interval
    }

    private var nextDelete: Duration { (lastDelete ?? startedAt) + settings.deleteInterval }

    private func isDeleteDue(at now: Duration) -> Bool {
        settings.maximumAge > .zero && settings.deleteInterval > .zero && now >= nextDelete
    }
}
