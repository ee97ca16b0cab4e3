import Dispatch

/// The timers of a file logger: one for the first application of its limits, and one for whatever its engine has due first.
///
/// Owned by the logger's queue.
final class FileTimer {
    private let clock: any LogClock
    private let queue: DispatchQueue
    private var start: (any LogTimer)?
    private var next: (any LogTimer)?
    private var due = Duration.zero

    init(_ clock: any LogClock, _ queue: DispatchQueue) {
        self.clock = clock
        self.queue = queue
    }

    /// Has `work` called once after `delay`, unless ``cancelStart()`` comes first.
    func scheduleStart(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        start = clock.schedule(after: delay, on: queue, work)
    }

    func cancelStart() {
        start?.cancel()
        start = nil
    }

    /// Whether a timer is needed that fires after `delay`, which is nil for never: an earlier one is enough.
    func isNeeded(after delay: Duration?) -> Bool {
        guard let delay else {
            cancel()
            return false
        }
        return next == nil || due > clock.uptime() + delay
    }

    /// Has `work` called after `delay`, which is nil for never; an earlier timer stays.
    func arm(after delay: Duration?, _ work: @escaping @Sendable () -> Void) {
        guard isNeeded(after: delay), let delay else { return }
        let due = clock.uptime() + delay
        next?.cancel()
        self.due = due
        next = clock.schedule(after: delay, on: queue, work)
    }

    /// Notes that the timer has fired.
    func didFire() { next = nil }

    func cancel() {
        next?.cancel()
        next = nil
    }
}
