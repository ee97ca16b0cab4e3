import CHeartwood
import Synchronization

/// The part of a dispatcher that every call touches: plain values in memory that does not move.
///
/// The dispatcher itself is reached through it only on the slow ways, and is kept alive by the caller meanwhile.
struct Intake {
    let ring: RingMemory
    private let dispatcher: Unmanaged<LogDispatcher>
    /// What the drain does: see `DrainSchedule`.
    private let schedule: UnsafeMutablePointer<Atomic<UInt8>>
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
        schedule = dispatcher.consumer.schedule
        synchronousLevels = .allocate(capacity: 1)
        synchronousLevels.initialize(to: Atomic(LogLevelMask.error.rawValue))
    }

    func deallocate() {
        synchronousLevels.deallocate()
    }

    /// Takes a message that is text alone: copies it into the ring, and sees to it that it is drained.
    ///
    /// This is the hot path. It allocates nothing, takes no lock and makes no system call while the ring has room and
    /// the drain is awake. Calls in hooks, in tasks and with fields from outside take the other way, `accept`.
    ///
    /// It is given where the intake is, and not the intake: a copy of all of it would be kept on the stack.
    @inline(__always)
    static func acceptPlain(
        _ intake: UnsafePointer<Intake>, _ text: UnsafeRawBufferPointer, _ level: UInt32,
        _ category: LogCategory?, _ context: Int, _ site: UInt32, _ asynchronous: Bool?
    ) {
        let thread = ThreadState.current
        let ticks = hw_ticks()
        let name = thread.name(at: ticks)
        let label = hw_queue_label()
        let labelSize = label.map { min(strlen($0), 255) } ?? 0
        let size = RecordView.padded(RecordView.header &+ name.count &+ labelSize &+ text.count)
        guard intake.pointee.usesTicks, !thread.isInHook, !thread.hasCutValue, !hw_in_task(),
            !hw_outer_fields_load(),
            intake.pointee.ring.isPlain, size <= intake.pointee.ring.maximumRecord,
            let (position, used) = intake.pointee.ring.reserve(size)
        else {
            var call = Call(text: text, level: level, category: category, context: context, site: site)
            return intake.pointee.accept(&call, asynchronous)
        }
        // Not of a copy of the ring: it would be made on the stack for each call.
        let record = intake.pointee.ring.address(of: position)
        RecordView(record).setPlain(
            time: ticks, thread: thread.id, context: Int64(context), site: site,
            category: category.map { $0.state.id } ?? CategoryRegistry.defaultID, textSize: text.count,
            level: level.trailingZeroBitCount, nameSize: name.count, queueSize: labelSize)
        var cursor = record + RecordView.header
        if name.count > 0 {
            cursor.copyMemory(from: name.baseAddress.unsafelyUnwrapped, byteCount: name.count)
            cursor += name.count
        }
        if labelSize > 0 {
            cursor.copyMemory(from: label.unsafelyUnwrapped, byteCount: labelSize)
            cursor += labelSize
        }
        if text.count > 0 {
            cursor.copyMemory(from: text.baseAddress.unsafelyUnwrapped, byteCount: text.count)
        }
        intake.pointee.ring.publish(position, size: size, kind: .message)
        let synchronous =
            asynchronous.map { !$0 }
            ?? (intake.pointee.synchronousLevels.pointee.load(ordering: .relaxed) & level != 0)
        if synchronous {
            intake.pointee.dispatcher._withUnsafeGuaranteedRef { $0.waitForLoggers(level) }
        } else {
            intake.pointee.wakeDrain(fill: used, size: size)
            if intake.pointee.held.pointee.load(ordering: .relaxed) != 0 {
                intake.pointee.dispatcher._withUnsafeGuaranteedRef { $0.backpressure.wait() }
            }
        }
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
        let synchronous =
            asynchronous.map { !$0 } ?? (synchronousLevels.pointee.load(ordering: .relaxed) & call.level != 0)
        write(&call, wakes: !synchronous)
        if hw_forked_child_load() {
            dispatcher._withUnsafeGuaranteedRef { $0.deliverInChild() }
        } else if synchronous {
            dispatcher._withUnsafeGuaranteedRef { $0.waitForLoggers(call.level) }
        } else if held.pointee.load(ordering: .relaxed) != 0 {
            dispatcher._withUnsafeGuaranteedRef { $0.backpressure.wait() }
        }
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
        // Sequentially consistent, with the reservation before it: either the drain sees the reservation when it looks
        // once more before it sleeps, or this sees that it sleeps.
        let state = schedule.pointee.load(ordering: .sequentiallyConsistent)
        if state == DrainSchedule.running { return }
        // In its pause it looks every millisecond; a burst that fills a quarter of the ring ends the pause.
        if state == DrainSchedule.asleep || fill &>> ring.quarterShift != (fill &+ size) &>> ring.quarterShift
        {
            dispatcher._withUnsafeGuaranteedRef { $0.consumer.wake(isAsleep: state == DrainSchedule.asleep) }
        }
    }
}
