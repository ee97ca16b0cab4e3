import CHeartwood
import Synchronization

/// The part of a dispatcher that every call touches: plain values in memory that does not move.
///
/// The dispatcher itself is reached through it only on the slow ways, and is kept alive by the caller
/// meanwhile.
struct Intake {
    /// The ring for messages that are text alone.
    ///
    /// It is first, as calls find it where the intake is. It takes none where the cycle counter does not
    /// stamp them.
    private let plain: hw_ring
    let ring: RingMemory
    private let dispatcher: Unmanaged<LogDispatcher>
    /// What the drain does: see `RingConsumer`.
    private let schedule: UnsafeMutablePointer<Atomic<UInt8>>
    private let synchronousLevels: UnsafeMutablePointer<Atomic<UInt32>>
    /// Whether calls wait that asked not to.
    private let waitsAlways: UnsafeMutablePointer<Atomic<Bool>>
    /// How many loggers hold callers back.
    private let held: UnsafeMutablePointer<Atomic<Int>>
    /// Whether records are stamped with the cycle counter.
    private let usesTicks: Bool

    init(_ dispatcher: LogDispatcher, usesTicks: Bool) {
        ring = dispatcher.ring.memory
        var plain = ring.shared
        if !usesTicks { plain.maximum_record = -1 }
        self.plain = plain
        self.dispatcher = .passUnretained(dispatcher)
        held = dispatcher.backpressure.count
        self.usesTicks = usesTicks
        schedule = dispatcher.consumer.schedule
        synchronousLevels = .allocate(capacity: 1)
        synchronousLevels.initialize(to: Atomic(LogLevelMask.error.rawValue))
        waitsAlways = .allocate(capacity: 1)
        waitsAlways.initialize(to: Atomic(false))
    }

    func deallocate() {
        synchronousLevels.deallocate()
        waitsAlways.deallocate()
    }

    /// Has calls of these levels wait for the loggers, unless they say otherwise, or all calls in any case.
    func setSynchronous(_ levels: LogLevelMask, always: Bool) {
        synchronousLevels.pointee.store(always ? .max : levels.rawValue, ordering: .relaxed)
        waitsAlways.pointee.store(always, ordering: .relaxed)
    }

    /// Takes a message that is text alone: copies it into the ring, and sees to it that it is drained.
    ///
    /// This is the hot path. It allocates nothing, takes no lock and makes no system call while the ring has
    /// room and the drain is awake. What is out of the ordinary takes the other way, `accept`.
    ///
    /// It is given where the intake is, and not the intake: a copy of all of it would be kept on the stack.
    @inline(__always)
    static func acceptPlain(
        _ intake: UnsafePointer<Intake>, _ text: UnsafeRawPointer, _ count: Int, _ level: UInt32,
        _ category: LogCategory?, _ context: Int, _ site: UInt32, _ asynchronous: Bool?
    ) {
        let categoryID = category.map { $0.state.id } ?? CategoryRegistry.defaultID
        let room = hw_ring_put(
            UnsafeRawPointer(intake).assumingMemoryBound(to: hw_ring.self), text, count,
            UInt64(site) | UInt64(categoryID) << 32, Int64(context), level)
        if room.used < 0 {
            return acceptOther(intake, text, count, level, category, context, site, asynchronous)
        }
        if intake.pointee.isSynchronous(level, asynchronous) {
            intake.pointee.dispatcher._withUnsafeGuaranteedRef { $0.waitForLoggers(level, asynchronous) }
        } else {
            intake.pointee.wakeDrain(fill: Int(room.used), size: Int(room.size))
            if intake.pointee.held.pointee.load(ordering: .relaxed) != 0 {
                intake.pointee.dispatcher._withUnsafeGuaranteedRef { $0.backpressure.wait() }
            }
        }
    }

    @inline(never)
    private static func acceptOther(
        _ intake: UnsafePointer<Intake>, _ text: UnsafeRawPointer, _ count: Int, _ level: UInt32,
        _ category: LogCategory?, _ context: Int, _ site: UInt32, _ asynchronous: Bool?
    ) {
        var call = Call(
            text: UnsafeRawBufferPointer(start: text, count: count), level: level, category: category,
            context: context, site: site)
        intake.pointee.accept(&call, asynchronous)
    }

    /// Takes any message.
    @inline(never)
    func accept(_ call: inout Call, _ asynchronous: Bool?) {
        let thread = ThreadState.current
        let ticks = hw_ticks()
        call.time = ticks
        call.setOrigin(thread, ticks: ticks)
        if thread.hasCutValue { dispatcher._withUnsafeGuaranteedRef { $0.noteCutValue(thread) } }
        if !usesTicks || call.tag != nil || thread.isInHook || hw_in_task() || hw_outer_fields_load() {
            return dispatcher._withUnsafeGuaranteedRef { $0.acceptSpecial(&call, thread, asynchronous) }
        }
        finish(&call, asynchronous)
    }

    /// Puts a complete call into the ring, and waits where it is to wait.
    @inline(__always)
    func finish(_ call: inout Call, _ asynchronous: Bool?) {
        let synchronous = isSynchronous(call.level, asynchronous)
        write(&call, wakes: !synchronous)
        if hw_forked_child_load() {
            dispatcher._withUnsafeGuaranteedRef { $0.deliverHere() }
        } else if synchronous {
            dispatcher._withUnsafeGuaranteedRef { $0.waitForLoggers(call.level, asynchronous) }
        } else if held.pointee.load(ordering: .relaxed) != 0 {
            dispatcher._withUnsafeGuaranteedRef { $0.backpressure.wait() }
        }
    }

    /// Whether a call of this level waits for the loggers.
    @inline(__always)
    private func isSynchronous(_ level: UInt32, _ asynchronous: Bool?) -> Bool {
        guard let asynchronous else { return synchronousLevels.pointee.load(ordering: .relaxed) & level != 0 }
        return !asynchronous || waitsAlways.pointee.load(ordering: .relaxed)
    }

    @inline(__always)
    func write(_ call: inout Call, wakes: Bool) {
        let size = call.size
        if size <= ring.maximumRecord, let (position, used) = ring.reserve(size) {
            ring.write(call, size, at: position)
            ring.publish(position, size: size, kind: .message)
            if wakes { wakeDrain(fill: used, size: size) }
        } else {
            dispatcher._withUnsafeGuaranteedRef { $0.writeSlowly(&call) }
        }
    }

    /// Makes sure that the drain comes soon; called after a record was published.
    @inline(__always)
    func wakeDrain(fill: Int, size: Int) {
        // Sequentially consistent, with the reservation before it: either the drain sees the reservation when
        // it looks once more before it sleeps, or this sees that it sleeps.
        let state = schedule.pointee.load(ordering: .sequentiallyConsistent)
        if state == RingConsumer.running { return }
        // In its pause it looks every millisecond; a burst that fills a quarter of the ring ends the pause.
        if state == RingConsumer.asleep || fill &>> ring.quarterShift != (fill &+ size) &>> ring.quarterShift
        {
            dispatcher._withUnsafeGuaranteedRef { $0.consumer.wake(isAsleep: state == RingConsumer.asleep) }
        }
    }
}
