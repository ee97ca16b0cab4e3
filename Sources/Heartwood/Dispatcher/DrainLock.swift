import CHeartwood
import Synchronization

/// The lock around the drain: whoever holds it is the ring's only consumer.
///
/// No hook runs under it.
///
/// What the ring's consumer owns checks at each entrance that the calling thread holds the lock. The check costs nothing
/// in release builds.
final class DrainLock: @unchecked Sendable {  // `Atomic` and `Locked`; the address is only compared
    // MARK: Atomics (any thread)
    /// The thread that holds the lock, as `hw_thread_current` says; 0 for none, and always in release builds.
    private let holder = Atomic<UInt>(0)

    // MARK: Guarded by 'drain'
    private let drain: Locked<Drain>

    init(_ drain: sending Drain) { self.drain = Locked(drain) }

    /// Calls `body` with the drain while no other thread has it.
    @inline(__always)
    func withLock<Result, Failure: Error>(
        _ body: (inout Drain) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try drain.withLock { (drain) throws(Failure) in
            assert(setHolder(UInt(bitPattern: hw_thread_current())))
            defer { assert(setHolder(0)) }
            return try body(&drain)
        }
    }

    private func setHolder(_ thread: UInt) -> Bool {
        holder.store(thread, ordering: .relaxed)
        return true
    }

    /// Ends the program, in debug builds, if the calling thread does not hold the lock.
    @inline(__always)
    func check(_ entrance: StaticString = #function) {
        assert(
            holder.load(ordering: .relaxed) == UInt(bitPattern: hw_thread_current()),
            "\(entrance) was called by a thread that does not hold the drain's lock")
    }

    func handleFork(_ fork: ForkStep) { fork.apply(to: drain) }
}
