import CHeartwood
import Dispatch
import Synchronization

extension LogDispatcher {
    /// Takes a call that is out of the ordinary: with a tag, in a hook, in a task, with outer fields, on another clock.
    @inline(never)
    func acceptSpecial(_ call: inout Call, _ thread: ThreadState, _ asynchronous: Bool?) {
        if !usesTicks {
            call.time = UInt64(bitPattern: clock.now().nanoseconds)
            call.flags.insert(.wallTime)
        }
        if let tag = call.tag {
            call.flags.insert(.tag)
            if !tag._withUnsafeGuaranteedRef(claimRoom(for:)) { return dropAtRing(&call) }
        }
        if thread.isInHook {
            acceptFromHook(&call, thread)
        } else {
            withTaskName(of: &call) { call in
                withOuterFields(of: &call) { intake.pointee.finish(&$0, asynchronous) }
            }
        }
    }

    /// Takes a call that has its time, its thread and its names already.
    func acceptFinished(_ call: inout Call, _ asynchronous: Bool?) {
        call.flags.insert(.wallTime)
        if let tag = call.tag {
            call.flags.insert(.tag)
            if !tag._withUnsafeGuaranteedRef(claimRoom(for:)) { return dropAtRing(&call) }
        }
        let thread = ThreadState.current
        if thread.isInHook { return acceptFromHook(&call, thread) }
        withOuterFields(of: &call) { intake.pointee.finish(&$0, asynchronous) }
    }

    /// A logger or formatter logs: it must not wait for anything.
    @inline(never)
    func acceptFromHook(_ call: inout Call, _ thread: ThreadState) {
        if thread.handlesReentrantMessage {
            call.tag?.release()
            droppedAtRing.add(1, ordering: .relaxed)
            return diagnostics.report(
                .messagesDropped,
                "dropped a message that a logger logged while handling another logger's message: this would loop forever"
            )
        }
        call.flags.insert(.reentrant)
        withOuterFields(of: &call) { intake.pointee.write(&$0, wakes: true) }
    }

    private func withTaskName(of call: inout Call, _ body: (inout Call) -> Void) {
        guard hw_in_task(), var name = Task<Never, Never>.name, !name.isEmpty else { return body(&call) }
        name.withUTF8 { name in
            call.taskName = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(name).prefix(255))
            body(&call)
        }
    }

    /// Adds the fields of the task, the category and this dispatcher, in this order.
    func withOuterFields(of call: inout Call, _ body: (inout Call) -> Void) {
        if !hw_outer_fields_load() { return body(&call) }
        var bytes = LogContext.current?.bytes ?? []
        bytes += (call.category?.takeUnretainedValue() ?? LogCategory.default.state).metadata.withLock {
            $0.bytes
        }
        bytes += settings.withLock { $0.metadata.bytes }
        bytes.withUnsafeBytes { bytes in
            call.outerFields = bytes
            body(&call)
        }
    }

    // MARK: - Into the ring

    /// The ring is full, or too small for the message.
    @inline(never)
    func writeSlowly(_ call: inout Call) {
        let isLarge = call.size > ring.maximumRecord
        guard !isLarge || makeLarge(&call), let (position, used) = makeRoom(call.size, call.level) else {
            return dropAtRing(&call)
        }
        call.write(to: ring.address(of: position))
        if let large = call.large { keepInJournal(large, position) }
        ring.publish(position, size: call.size, kind: .message)
        intake.pointee.wakeDrain(fill: used, size: call.size)
    }

    private func dropAtRing(_ call: inout Call) {
        call.tag?.release()
        call.large?.release()
        droppedAtRing.add(1, ordering: .relaxed)
        ringGaps.note { ring.tail }
        intake.pointee.wakeDrain(fill: 0, size: ring.capacity)
        diagnostics.report(.messagesDropped, "the record ring was full")
    }

    /// Counts a heavy tag as the ring's until it leaves it; false where there is no room for it in time.
    private func claimRoom(for tag: TagBox) -> Bool {
        if tag.weight <= TagBox.lightWeight { return true }
        if !claimInTime(tag.weight) { return false }
        tag.count { [weak self] left in _ = self?.largeBytes.subtract(left, ordering: .relaxed) }
        return true
    }

    /// Puts text and fields into memory of their own, of which there may be as much as the ring is large, or one
    /// message; false where there is no room in time.
    private func makeLarge(_ call: inout Call) -> Bool {
        let count = call.text.count + call.fields.count + call.outerFields.count
        // A message may be larger than the ring where it is the only one; its own tag does not count against it.
        let own = call.tag?._withUnsafeGuaranteedRef { $0.isCounted ? $0.weight : 0 } ?? 0
        if !claimInTime(count, beside: own) { return false }
        let large = LargeBody(count: count) { [weak self] left in
            self?.largeBytes.subtract(left, ordering: .relaxed)
        }
        if var cursor = large.bytes.baseAddress { call.appendBody(to: &cursor) }
        call.large = Unmanaged.passRetained(large)
        call.flags.insert(.large)
        return true
    }

    /// Claims so many bytes beside the ring, waiting for them as the ring's policy says.
    private func claimInTime(_ count: Int, beside own: Int = 0) -> Bool {
        if claimLarge(count, own) { return true }
        var patience = RingPatience(waitLimit(), head: ring.head, at: SystemClock().uptime())
        while !claimLarge(count, own) {
            drainNow()
            if claimLarge(count, own) { break }
            if patience.rest(head: ring.head, at: SystemClock().uptime()) == nil { return false }
            usleep(500)
        }
        return true
    }

    private func claimLarge(_ count: Int, _ own: Int) -> Bool {
        var held = largeBytes.load(ordering: .relaxed)
        while held <= own || held + count <= ring.capacity {
            let (taken, now) = largeBytes.compareExchange(
                expected: held, desired: held + count, ordering: .relaxed)
            if taken { return true }
            held = now
        }
        return false
    }

    private func waitLimit() -> Duration {
        if ThreadState.current.isInHook { return .zero }
        if case .block(let limit) = overflowPolicy { return limit }
        return .zero
    }

    /// The ring is full: does what the policy says; nil where the message is to be dropped.
    @inline(never)
    private func makeRoom(_ size: Int, _ level: UInt32) -> (position: UInt64, used: Int)? {
        // While the memory of the ring is replaced there is no room; that is not what policies are for.
        while isExchanging.load(ordering: .acquiring) { sched_yield() }
        // A look often helps: the drain is at it right now.
        for _ in 0..<100 { if let room = ring.reserve(size) { return room } }
        let inHook = ThreadState.current.isInHook
        switch overflowPolicy {
        case .block(let limit):
            if inHook { return reserveByLettingGo(size) }
            return waitForRoom(size, limit)
        case .dropNewest:
            return reserveByLettingGo(size)
        case .dropBelow(let lowest):
            if LogLevelMask(atLeast: lowest).rawValue & level == 0 { return nil }
            return reserveByDraining(size)
        case .dropOldest:
            return reserveByDraining(size)
        }
    }

    /// Waits until the ring has room, as long as it empties: `limit` is the time in which nothing leaves it.
    private func waitForRoom(_ size: Int, _ limit: Duration) -> (position: UInt64, used: Int)? {
        var patience = RingPatience(limit, head: ring.head, at: SystemClock().uptime())
        while true {
            guard let rest = patience.rest(head: ring.head, at: SystemClock().uptime()) else {
                // The global queue may not have had a processor: this thread has one.
                _ = consume(upTo: ring.tail, byCaller: false)
                return ring.reserve(size) ?? reserveByLettingGo(size)
            }
            intake.pointee.wakeDrain(fill: 0, size: ring.capacity)
            ring.waitForRoom(of: size, limit: rest)
            if let room = ring.reserve(size) { return room }
        }
    }

    /// Makes room by moving the oldest records on to the loggers' queues, whose own policies decide about them.
    private func reserveByDraining(_ size: Int) -> (position: UInt64, used: Int)? {
        for _ in 0..<1000 {
            drainNow()
            if let room = ring.reserve(size) { return room }
            if let room = reserveByLettingGo(size) { return room }
        }
        return nil
    }

    // MARK: - Synchronous calls

    /// Waits until every logger that wants the level has handled everything logged so far.
    @inline(never)
    func waitForLoggers(_ level: UInt32) {
        drainNow(byCaller: true)
        let (loggers, timeout) = settings.withLock { ($0.loggers, $0.synchronousTimeout) }
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
        var wanting: [AbstractLogger] = []
        for logger in loggers {
            if logger.levels.rawValue & level != 0 {
                wanting.append(logger)
            } else {
                logger.node.scheduleIfNeeded()
            }
        }
        for logger in LoggerNode.wait(for: wanting, until: deadline) {
            diagnostics.report(
                .timedOut, "a synchronous call timed out waiting for \(logger.name) after \(timeout)")
        }
    }
}
