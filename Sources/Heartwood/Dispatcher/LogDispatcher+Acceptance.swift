public import CHeartwood
import Dispatch
public import Synchronization

extension LogDispatcher {
    /// Takes a call that is out of the ordinary: with a tag, in a hook, in a task, with outer fields, on
    /// another clock.
    @inline(never)
    func acceptSpecial(_ call: inout Call, _ thread: ThreadState, _ asynchronous: Bool?) {
        if !usesTicks {
            call.time = UInt64(bitPattern: clock.now().nanoseconds)
            call.flags.insert(.wallTime)
        }
        if let tag = call.tag {
            call.flags.insert(.tag)
            if !tag._withUnsafeGuaranteedRef(room.claim(for:)) { return dropAtRing(&call) }
        }
        if thread.isInHook {
            acceptFromHook(&call, thread)
        } else {
            withTaskName(of: &call) { call in
                withOuterFields(of: &call) { intake.pointee.finish(&$0, asynchronous) }
            }
        }
    }

    /// Counts a message that has a value which is nested too deep.
    @inline(never)
    func noteCutValue(_ thread: ThreadState) {
        thread.hasCutValue = false
        diagnostics.report(
            .note,
            "a value is nested more than \(LogValue.maximumDepth) levels deep; what is deeper was left out",
            key: "depth")
    }

    /// Takes a call that has its time, its thread and its names already.
    func acceptFinished(_ call: inout Call, _ asynchronous: Bool?) {
        call.flags.insert(.wallTime)
        if let tag = call.tag {
            call.flags.insert(.tag)
            if !tag._withUnsafeGuaranteedRef(room.claim(for:)) { return dropAtRing(&call) }
        }
        let thread = ThreadState.current
        if thread.hasCutValue { noteCutValue(thread) }
        if thread.isInHook { return acceptFromHook(&call, thread) }
        withOuterFields(of: &call) { intake.pointee.finish(&$0, asynchronous) }
    }

    /// A logger or formatter logs: it must not wait for anything.
    @inline(never)
    func acceptFromHook(_ call: inout Call, _ thread: ThreadState) {
        if thread.handlesReentrantMessage {
            call.tag?.release()
            room.noteDropped()
            return diagnostics.report(
                .messagesDropped,
                "dropped a message that a logger logged while handling "
                    + "another logger's message: this would loop forever"
            )
        }
        call.flags.insert(.reentrant)
        withOuterFields(of: &call) { intake.pointee.write(&$0, wakes: true) }
    }

    private func withTaskName(of call: inout Call, _ body: (inout Call) -> Void) {
        guard var name = LogThread.currentTaskName, !name.isEmpty else { return body(&call) }
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
        guard let (position, used) = room.reserve(for: &call) else { return dropAtRing(&call) }
        ring.memory.write(call, call.size, at: position)
        if let large = call.large { place.keep(large, position) }
        ring.publish(position, size: call.size, kind: .message)
        intake.pointee.wakeDrain(fill: used, size: call.size)
    }

    private func dropAtRing(_ call: inout Call) {
        call.tag?.release()
        call.large?.release()
        room.noteDropped()
        consumer.noteMissing()
        consumer.wakeUnlessRunning()
        diagnostics.report(.messagesDropped, "the record ring was full")
    }

    // MARK: - Synchronous calls

    /// Waits until every logger that wants the level has handled everything logged so far.
    ///
    /// A logger for which a call has waited without success is not waited for again until it has come a step
    /// further (promise 4).
    @inline(never)
    func waitForLoggers(_ level: UInt32, _ asynchronous: Bool?) {
        workIfAlone()
        if !waitsForAll(level, asynchronous) { return waitForRoom() }
        if !hw_forked_child_load(), consumer.handleAlone() { return }
        let end = ring.tail
        drainNow(byCaller: true)
        let (loggers, timeout) = settings.withLock { ($0.loggers, $0.synchronousTimeout) }
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
        // Each is asked once, because its levels may change meanwhile.
        var wanting: [AbstractLogger] = []
        for logger in loggers {
            let wants = logger.levels.rawValue & level != 0
            if wants, !logger.node.inbox.isStuck {
                wanting.append(logger)
                continue
            }
            logger.node.inbox.scheduleIfNeeded()
            if wants {
                diagnostics.report(
                    .timedOut, "a synchronous call did not wait for \(logger.name), which is stuck")
            }
        }
        // The drain comes for those behind a slow one.
        if wanting.count > 1 { consumer.leaveLoggers() }
        for logger in LoggerNode.wait(for: wanting, upTo: end, of: ring.number, until: deadline) {
            logger.node.inbox.noteStuck()
            diagnostics.report(
                .timedOut, "a synchronous call timed out waiting for \(logger.name) after \(timeout)")
        }
    }
}

/// Checks whether any logger wants a message of this level and category.
///
/// Use it to skip work that only a message needs, when that work does not fit into the message's literal. The
/// check costs one load and one branch.
///
/// - Parameters:
///   - level: The level of the message.
///   - category: The part of the program. nil, the default, is ``LogCategory/default``.
///   - dispatcher: The dispatcher that would get the message. nil, the default, is ``LogDispatcher/shared``.
///   - file: The source file of the call, for levels by source file. Leave out.
/// - Returns: `true` if at least one logger wants such a message.
@inlinable @inline(__always)
public func isLogEnabled(
    _ level: LogLevel, category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil,
    file: StaticString = #fileID
) -> Bool {
    let isOpen =
        if let dispatcher {
            dispatcher.wants(level, category ?? .default)
        } else if let category {
            category.state.sharedGate.load(ordering: .relaxed) & level.rawValue != 0
        } else {
            hw_shared_gate_load() & level.rawValue != 0
        }
    // Levels by source file are looked at only for what has passed, and only where there are any.
    if !isOpen || !hw_source_levels_load() { return isOpen }
    return LogSourceLevels.wants(level, category, file)
}

/// Checks whether any logger wants a message of this level and category, logged in a given file.
///
/// - Parameters:
///   - level: The level of the message.
///   - category: The part of the program. nil, the default, is ``LogCategory/default``.
///   - dispatcher: The dispatcher that would get the message. nil, the default, is ``LogDispatcher/shared``.
///   - file: The source file, as `Module/File.swift`. Only levels by source file use it.
/// - Returns: `true` if at least one logger wants such a message.
public func isLogEnabled(
    _ level: LogLevel, category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil, file: String
) -> Bool {
    guard (dispatcher ?? .shared).wants(level, category ?? .default) else { return false }
    // Levels by source file are looked at only for what has passed, and only where there are any.
    return !hw_source_levels_load() || LogSourceLevels.wants(level, category ?? .default, named: file)
}
