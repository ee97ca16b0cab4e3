import CHeartwood
import Synchronization

/// The part of a dispatcher that every call touches: plain values in memory that does not move.
///
/// The dispatcher itself is reached through it only on the slow ways, and is kept alive by the caller meanwhile.
struct Intake {
    let ring: RingMemory
    private let dispatcher: Unmanaged<LogDispatcher>
    /// What the drain does: see `DrainSchedule`.
    let schedule: UnsafeMutablePointer<Atomic<UInt8>>
    let synchronousLevels: UnsafeMutablePointer<Atomic<UInt32>>
    /// How many loggers hold callers back.
    private let held: UnsafeMutablePointer<Atomic<Int>>
    /// Whether records are stamped with the cycle counter.
    private let usesTicks: Bool

    init(_ dispatcher: LogDispatcher, usesTicks: Bool) {
        ring = dispatcher.ring.memory
        self.dispatcher = .passUnretained(dispatcher)
        held = dispatcher.backpressure.count
        self.usesTicks = usesTicks
        schedule = .allocate(capacity: 1)
        schedule.initialize(to: Atomic(DrainSchedule.asleep))
        synchronousLevels = .allocate(capacity: 1)
        synchronousLevels.initialize(to: Atomic(LogLevelMask.error.rawValue))
    }

    func deallocate() {
        schedule.deallocate()
        synchronousLevels.deallocate()
    }

    /// Takes a message from a call: copies it into the ring, and sees to it that it is drained.
    ///
    /// This is the hot path. It allocates nothing, takes no lock and makes no system call while the ring has room and
    /// the drain is awake, unless the message has a tag, fields of its own, or the task a name.
    @inline(__always)
    func accept(_ call: inout Call, _ asynchronous: Bool?) {
        let thread = ThreadState.current
        let ticks = hw_ticks()
        call.time = ticks
        call.setOrigin(thread, ticks: ticks)
        if !usesTicks || call.tag != nil || thread.isInHook || hw_in_task() || hw_outer_fields_load() {
            return dispatcher._withUnsafeGuaranteedRef { $0.acceptSpecial(&call, thread, asynchronous) }
        }
        finish(&call, asynchronous)
    }

    /// Puts a complete call into the ring, and waits where it is to wait.
    @inline(__always)
    func finish(_ call: inout Call, _ asynchronous: Bool?) {
        let synchronous =
            asynchronous.map { !$0 } ?? (synchronousLevels.pointee.load(ordering: .relaxed) & call.level != 0)
        write(&call, wakes: !synchronous)
        if synchronous {
            dispatcher._withUnsafeGuaranteedRef { $0.waitForLoggers(call.level) }
        } else if held.pointee.load(ordering: .relaxed) != 0 {
            dispatcher._withUnsafeGuaranteedRef { $0.backpressure.wait() }
        }
    }

    @inline(__always)
    func write(_ call: inout Call, wakes: Bool) {
        let size = call.size
        if size <= ring.maximumRecord, let (position, used) = ring.reserve(size) {
            call.write(to: ring.address(of: position))
            ring.publish(position, size: size, kind: .message)
            if wakes { wakeDrain(fill: used, size: size) }
        } else {
            dispatcher._withUnsafeGuaranteedRef { $0.writeSlowly(&call) }
        }
    }

    /// Makes sure that the drain comes soon; called after a record was published.
    @inline(__always)
    func wakeDrain(fill: Int, size: Int) {
        // Sequentially consistent, with the reservation before it: either the drain sees the reservation when it looks
        // once more before it sleeps, or this sees that it sleeps.
        let state = schedule.pointee.load(ordering: .sequentiallyConsistent)
        if state == DrainSchedule.running { return }
        // In its pause it looks every millisecond; a burst that fills a quarter of the ring ends the pause.
        let quarter = ring.maximumRecord
        if state == DrainSchedule.asleep || fill / quarter != (fill + size) / quarter {
            dispatcher._withUnsafeGuaranteedRef { $0.wakeDrain(isAsleep: state == DrainSchedule.asleep) }
        }
    }
}
