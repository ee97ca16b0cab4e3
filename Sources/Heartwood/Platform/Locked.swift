import CHeartwood
import Synchronization

/// A value behind a `Mutex`, in a box, so that an open class can hold one.
///
/// The annotations tell the thread sanitizer of the order that `Mutex` makes: on Linux it does not see the
/// futex and reports races that are none. Outside such a build they are calls of empty functions.
package final class Locked<Value>: @unchecked Sendable {  // all access goes through the mutex
    private struct Cell: ~Copyable {
        /// First, so that it has the cell's address.
        let mutex = Mutex(())
        var value: Value

        init(_ value: consuming Value) {
            self.value = value
        }
    }

    /// Behind a pointer: the mutex makes access exclusive, and need not be checked a second time.
    private let cell: UnsafeMutablePointer<Cell>

    package init(_ value: sending Value) {
        cell = .allocate(capacity: 1)
        cell.initialize(to: Cell(value))
    }

    deinit {
        cell.deinitialize(count: 1)
        cell.deallocate()
    }

    /// Calls `body` with the value while no other thread has it.
    ///
    /// Never run user code in `body`.
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        cell.pointee.mutex._unsafeLock()
        hw_tsan_acquire(cell)
        defer {
            hw_tsan_release(cell)
            cell.pointee.mutex._unsafeUnlock()
        }
        return try body(&cell.pointee.value)
    }

    /// As `withLock`, but gives up at once, with nil, when another thread has the value.
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard cell.pointee.mutex._unsafeTryLock() else { return nil }
        hw_tsan_acquire(cell)
        defer {
            hw_tsan_release(cell)
            cell.pointee.mutex._unsafeUnlock()
        }
        return try body(&cell.pointee.value)
    }

    // MARK: Around a fork, and nowhere else

    /// Takes the lock for longer than a call.
    func lockForFork() { cell.pointee.mutex._unsafeLock() }

    /// Opens the lock again, in the parent.
    func unlockInParent() { cell.pointee.mutex._unsafeUnlock() }

    /// Puts a new lock in the place of the copied one, which belongs to a thread of the parent.
    func renewInChild() {
        UnsafeMutableRawPointer(cell).assumingMemoryBound(to: Mutex<Void>.self).initialize(to: Mutex(()))
    }
}
