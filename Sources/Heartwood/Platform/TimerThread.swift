import CHeartwood
import Synchronization

#if !canImport(Darwin)
/// The thread that calls what is due, for all timers of the process.
///
/// libdispatch's timers need a thread of its manager and one for each call, which a process at its limit of
/// threads does not get. Here there is one thread, from the first timer on, so what it calls must not wait.
///
/// Invariants:
/// 1. The thread waits no longer than until the first timer is due: a timer that becomes the first wakes it.
/// 2. Nothing is called, and no closure ends, while `state` is locked.
package final class TimerThread: Sendable {
    private struct Entry {
        let due: Duration
        let number: UInt64
        let work: @Sendable () -> Void
    }

    private struct State {
        /// In the order in which they are due.
        var entries: [Entry] = []
        var number: UInt64 = 0
        var isStarted = false
        /// When the system had no thread to give; nil where it was not asked, or had one.
        var refusal: Duration?
    }

    package static let shared = TimerThread()

    // MARK: Constants (any thread)
    private let wakeUp = Semaphore()

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    private static let retryPause = Duration.seconds(1)

    /// Has `work` called once, which must not wait; returns the number by which it is cancelled.
    ///
    /// In the child of a fork nothing is called.
    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> UInt64 {
        if hw_forked_child_load() { return 0 }
        let due = now + max(.zero, delay)
        let (number, isFirst) = state.withLock { state in
            state.number += 1
            var place = state.entries.count
            while place > 0, state.entries[place - 1].due > due { place -= 1 }
            state.entries.insert(Entry(due: due, number: state.number, work: work), at: place)
            return (state.number, place == 0)
        }
        if isFirst { wakeUp.signal() }
        _ = start()
        return number
    }

    /// Makes sure that it is not called from now on; a call that has started continues.
    package func cancel(_ number: UInt64) {
        if hw_forked_child_load() { return }
        let entry = state.withLock { state in
            state.entries.firstIndex { $0.number == number }.map { state.entries.remove(at: $0) }
        }
        withExtendedLifetime(entry) {}  // ends outside of the lock
    }

    /// Creates the thread unless it exists; returns false if that fails.
    ///
    /// Tries at most once a second.
    package func start() -> Bool {
        if hw_forked_child_load() { return false }
        let now = now
        return state.withLock { state in
            if state.isStarted { return true }
            if let refusal = state.refusal, now < refusal + TimerThread.retryPause { return false }
            state.isStarted = DetachedThread.start { self.run() }
            state.refusal = state.isStarted ? nil : now
            return state.isStarted
        }
    }

    /// Calls what is due, on a caller's thread: where there is no other one.
    package func callDue() {
        if hw_forked_child_load() || start() { return }
        let now = now
        while let work = takeFirst(dueAt: now).work { work() }
    }

    private var now: Duration { .nanoseconds(hw_uptime()) }

    /// Takes the first timer if it is due, and leaves the next ones: they may be canceled meanwhile.
    private func takeFirst(dueAt now: Duration) -> (work: (@Sendable () -> Void)?, pause: Duration) {
        state.withLock { state in
            guard let first = state.entries.first else { return (nil, .seconds(1_000_000_000)) }
            if first.due > now { return (nil, first.due - now) }
            return (state.entries.removeFirst().work, .zero)
        }
    }

    private func run() {
        while true {
            let (work, pause) = takeFirst(dueAt: now)
            if let work { work() } else { _ = wakeUp.wait(upTo: pause) }
        }
    }
}
#endif
