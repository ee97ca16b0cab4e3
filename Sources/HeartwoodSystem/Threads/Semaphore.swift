import CHeartwood

package import Dispatch

/// A counting semaphore whose time limits hold whatever is done to the wall clock.
///
/// On Linux `DispatchSemaphore` waits until a time of the wall clock: one that is set back by an hour makes
/// each wait an hour longer, one that is set forward ends it at once. Any thread may signal and wait.
package final class Semaphore: @unchecked Sendable {  // atomics, through a pointer that does not move
    #if canImport(Darwin)
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Lets one that waits go on, or the next that will.
    package func signal() { semaphore.signal() }

    /// Waits for a signal; false where none came in time.
    package func wait(upTo limit: Duration) -> Bool {
        semaphore.wait(timeout: .now() + .nanoseconds(Int(clamping: limit.nanoseconds))) == .success
    }
    #else
    private let semaphore: UnsafeMutablePointer<hw_semaphore>

    package init() {
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: hw_semaphore())
    }

    deinit { semaphore.deallocate() }

    /// Lets one that waits go on, or the next that will.
    package func signal() { hw_semaphore_signal(semaphore) }

    /// Waits for a signal; false where none came in time.
    package func wait(upTo limit: Duration) -> Bool { hw_semaphore_wait(semaphore, limit.nanoseconds) }
    #endif

    /// Waits for a signal; false where none came before the deadline.
    package func wait(until deadline: DispatchTime) -> Bool {
        let (now, end) = (DispatchTime.now().uptimeNanoseconds, deadline.uptimeNanoseconds)
        return wait(upTo: .nanoseconds(end > now ? Int64(clamping: end - now) : 0))
    }
}
