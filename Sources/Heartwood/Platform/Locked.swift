import CHeartwood
import Synchronization

/// A value behind a `Mutex`, in a box, so that an open class can hold one.
///
/// The annotations tell the thread sanitizer of the order that `Mutex` makes: on Linux it does not see the
/// futex and reports races that are none. Outside such a build they are calls of empty functions.
package final class Locked<Value>: @unchecked Sendable {  // all access goes through the mutex
    private let mutex: Mutex<Void>
    /// Behind a pointer: the mutex makes access exclusive, and need not be checked a second time.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        self.mutex = Mutex(())
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Calls `body` with the value while no other thread has it.
    ///
    /// Never run user code in `body`.
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        mutex._unsafeLock()
        let address = Unmanaged.passUnretained(self).toOpaque()
        hw_tsan_acquire(address)
        defer {
            hw_tsan_release(address)
            mutex._unsafeUnlock()
        }
        return try body(&value.pointee)
    }

    /// As `withLock`, but gives up at once, with nil, when another thread has the value.
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard mutex._unsafeTryLock() else { return nil }
        let address = Unmanaged.passUnretained(self).toOpaque()
        hw_tsan_acquire(address)
        defer {
            hw_tsan_release(address)
            mutex._unsafeUnlock()
        }
        return try body(&value.pointee)
    }
}
