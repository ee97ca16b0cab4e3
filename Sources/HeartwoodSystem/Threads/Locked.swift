import CHeartwood
import Synchronization

/// A value guarded by a `Mutex`, in a box, so that an open class can hold one.
///
/// The annotations tell the thread sanitizer of the order that `Mutex` makes: on Linux it does not see the
/// futex and reports false races. Outside such a build they are calls of empty functions.
package final class Locked<Value>: @unchecked Sendable {  // all access goes through the mutex
    // Through pointers: the mutex makes access exclusive, and need not be checked a second time. In memory of
    // their own each: the thread sanitizer takes an access to a value for one to the address that it begins
    // at.
    private let mutex: UnsafeMutablePointer<Mutex<Void>>
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: Mutex(()))
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Waits until no other thread has the value, and keeps the others out; returns where it is.
    package func lock() -> UnsafeMutablePointer<Value> {
        // A thread that forks waits until no other one is in here: see `ProcessFork`.
        hw_lock_enter()
        mutex.pointee._unsafeLock()
        hw_tsan_acquire(mutex)
        return value
    }

    /// Lets the next thread in.
    package func unlock() {
        hw_tsan_release(mutex)
        mutex.pointee._unsafeUnlock()
        hw_lock_leave()
    }

    // MARK: Around a fork, and nowhere else

    /// Calls `body` unless the lock is taken: in the child it may be by a thread that is not there any more,
    /// and the value may be half changed then.
    package func withLockInChild(_ body: (inout Value) -> Void) {
        guard mutex.pointee._unsafeTryLock() else { return }
        defer { mutex.pointee._unsafeUnlock() }
        body(&value.pointee)
    }

    /// Takes the lock for longer than a call.
    package func lockForFork() { mutex.pointee._unsafeLock() }

    /// Opens the lock again, in the parent.
    package func unlockInParent() { mutex.pointee._unsafeUnlock() }

    /// Puts a new lock in the place of the copied one, which belongs to a thread of the parent.
    package func renewInChild() {
        mutex.initialize(to: Mutex(()))
    }
}

/// A reference that does not keep its object alive.
package struct Weak<Object: AnyObject> {
    package weak var object: Object?

    package init(_ object: Object? = nil) { self.object = object }
}

extension Weak: Sendable where Object: Sendable {}
