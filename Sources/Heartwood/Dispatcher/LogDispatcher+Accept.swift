import CHeartwood
import Dispatch
import Synchronization

extension LogDispatcher {
    /// Takes a message from a call: copies it into the ring, and sees to it that it is drained.
    ///
    /// This is the hot path. It allocates nothing, takes no lock and makes no system call while the ring has room, the
    /// drain is awake, and the message has no tag.
    @usableFromInline
    func accept(
        _ text: consuming LogText, _ level: LogLevel, _ category: LogCategory, context: Int, tag: (any Sendable)?,
        metadata: LogMetadata?, asynchronous: Bool?, site: UInt32
    ) {
        let thread = ThreadState.current
        var buffer = text.buffer
        var textSize = text.count
        let literalEnd = textSize
        if let metadata, !metadata.isEmpty { textSize = append(metadata, to: &buffer, at: textSize) }
        let time = usesTicks ? hw_ticks() : UInt64(bitPattern: clock.now().nanoseconds)
        if usesTicks { thread.refreshName(at: time) } else { thread.refreshName(at: hw_ticks()) }

        var call = CallRecord(thread: thread, level: level, category: category, context: context, site: site)
        call.time = time
        call.textSize = literalEnd
        call.fieldsSize = textSize - literalEnd
        call.body = UnsafeRawBufferPointer(start: buffer.base, count: textSize)
        if !usesTicks { call.flags.insert(.wallTime) }
        if hasMetadata.load(ordering: .relaxed) || category.state.hasMetadata.load(ordering: .relaxed)
            || LogContext.isUsed.load(ordering: .relaxed)
        {
            call.extraFields = outerFields(category)
        }
        if thread.runningNode != nil {
            if thread.handlesReentrantMessage { return dropRecursive() }
            call.flags.insert(.reentrant)
        }
        if let tag { call.tag = Unmanaged.passRetained(TagBox(tag)) }

        let synchronous = isSynchronous(level, asked: asynchronous)
        let inHook = thread.runningNode != nil
        let written = write(&call, level, wakes: !synchronous || inHook)
        ThreadState.recycle(&buffer)
        if !written {
            call.tag?.release()
            droppedAtRing.add(1, ordering: .relaxed)
        }
        if inHook { return }
        if synchronous {
            waitForLoggers(level)
        } else if backpressure.isHeld {
            backpressure.wait()
        }
    }

    /// Encodes the call's own fields behind the text, in the same buffer.
    private func append(_ metadata: LogMetadata, to buffer: inout TextBuffer, at offset: Int) -> Int {
        var pieces = LogText.StringInterpolation(continuing: buffer, at: offset)
        pieces.put(metadata)
        buffer = pieces.buffer
        return pieces.cursor - pieces.buffer.base
    }

    /// The fields of the task, the category and this dispatcher.
    private func outerFields(_ category: LogCategory) -> [UInt8] {
        var bytes: [UInt8] = []
        if LogContext.isUsed.load(ordering: .relaxed), let context = LogContext.current { bytes = context.bytes }
        if category.state.hasMetadata.load(ordering: .relaxed) {
            bytes += category.state.metadata.withLock { $0.bytes }
        }
        if hasMetadata.load(ordering: .relaxed) { bytes += settings.withLock { $0.metadata.bytes } }
        return bytes
    }

    private func dropRecursive() {
        droppedAtRing.add(1, ordering: .relaxed)
        diagnostics.report(
            .messagesDropped, "a logger logged while it handled a message logged by a logger: that would never end")
    }

    // MARK: - Into the ring

    @inline(__always)
    private func write(_ call: inout CallRecord, _ level: LogLevel, wakes: Bool) -> Bool {
        let size = call.size
        if size > ring.maximumRecord { return writeLarge(&call, level) }
        guard let (position, used) = ring.reserve(size) ?? makeRoom(size, level) else { return false }
        call.write(to: ring.address(of: position))
        ring.publish(position, size: size, kind: .message)
        if wakes { wakeDrain(fill: used, size: size) }
        return true
    }

    /// A message too large for the ring: its text goes into memory of its own, of which there may be as much as the
    /// ring is large, or one message.
    @inline(never)
    private func writeLarge(_ call: inout CallRecord, _ level: LogLevel) -> Bool {
        let count = call.body.count + call.extraFields.count
        let deadline = DispatchTime.now() + waitLimit(level)
        while true {
            let held = largeBytes.load(ordering: .relaxed)
            if held == 0 || held + count <= ring.capacity {
                let (taken, _) = largeBytes.compareExchange(
                    expected: held, desired: held + count, ordering: .relaxed)
                if taken { break }
                continue
            }
            drainNow()
            if DispatchTime.now() >= deadline { return false }
            usleep(500)
        }
        let large = LargeBody(count: count) { [weak self] freed in
            self?.largeBytes.subtract(freed, ordering: .relaxed)
        }
        call.copyBody(to: large.bytes)
        call.becomeLarge(Unmanaged.passRetained(large))
        guard let (position, used) = ring.reserve(call.size) ?? makeRoom(call.size, level) else {
            call.large?.release()
            return false
        }
        call.write(to: ring.address(of: position))
        ring.publish(position, size: call.size, kind: .message)
        wakeDrain(fill: used, size: call.size)
        return true
    }

    private func waitLimit(_ level: LogLevel) -> DispatchTimeInterval {
        if ThreadState.current.runningNode != nil { return .nanoseconds(0) }
        if case .block(let limit) = overflowPolicy { return .nanoseconds(Int(clamping: limit.nanoseconds)) }
        return .nanoseconds(0)
    }

    /// The ring is full: does what the policy says; nil where the message is to be dropped.
    @inline(never)
    private func makeRoom(_ size: Int, _ level: LogLevel) -> (position: UInt64, used: Int)? {
        // A look often helps: the drain is at it right now.
        for _ in 0..<100 { if let room = ring.reserve(size) { return room } }
        let inHook = ThreadState.current.runningNode != nil
        switch overflowPolicy {
        case .block(let limit):
            if inHook { return nil }
            let deadline = SystemClock().uptime() + limit
            while true {
                let rest = deadline - SystemClock().uptime()
                if rest <= .zero { return ring.reserve(size) }
                wakeDrain(fill: 0, size: ring.capacity)
                ring.waitForRoom(of: size, limit: rest)
                if let room = ring.reserve(size) { return room }
            }
        case .dropNewest:
            return nil
        case .dropBelow(let lowest):
            if LogLevelMask(atLeast: lowest).rawValue & level.rawValue == 0 { return nil }
            return reserveByDraining(size)
        case .dropOldest:
            return reserveByDraining(size)
        }
    }

    /// Makes room by moving the oldest records on to the loggers' queues, whose own policies decide about them.
    private func reserveByDraining(_ size: Int) -> (position: UInt64, used: Int)? {
        for _ in 0..<1000 {
            drainNow()
            if let room = ring.reserve(size) { return room }
        }
        return nil
    }

    // MARK: - Synchronous calls

    /// Waits until every logger that wants the level has handled everything logged so far.
    @inline(never)
    private func waitForLoggers(_ level: LogLevel) {
        drainNow(byCaller: true)
        let (nodes, timeout) = settings.withLock { ($0.nodes, $0.synchronousTimeout) }
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
        for node in nodes {
            if !node.logger.levels.contains(level) {
                node.scheduleIfNeeded()
            } else if !node.wait(until: deadline) {
                diagnostics.report(
                    .timedOut, "a synchronous call gave up waiting for \(node.logger.name) after \(timeout)")
            }
        }
    }
}
