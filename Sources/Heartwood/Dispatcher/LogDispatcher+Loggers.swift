import CHeartwood
import Dispatch
import Synchronization

extension LogDispatcher {
    /// Whether there is a logger to flush.
    var hasLoggers: Bool { settings.withLock { !$0.loggers.isEmpty } }

    /// The loggers, in the order in which they were added.
    public var loggers: [AbstractLogger] { members.filter { !$0.isUnlisted } }

    /// The loggers, and those that take no messages and are flushed with them.
    var members: [AbstractLogger] { settings.withLock { $0.loggers } }

    /// Adds a logger, which gets all messages that are logged from now on, by any thread.
    ///
    /// Adding a logger again only sets its levels; it never gets a message twice. A logger that belongs to
    /// another dispatcher is not added: remove it there first. ``diagnostics`` reports both.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - levels: Which levels it wants; what its `levels` say unless given.
    /// - Returns: `true` if the logger was added.
    @discardableResult
    public func add(_ logger: AbstractLogger, levels: LogLevelMask? = nil) -> Bool {
        let node = logger.node
        if let owner = node.attach(to: self) {
            if owner === self {
                if let levels { logger.levels = levels }
                let isMember = members.contains { $0 === logger }
                let why =
                    isMember
                    ? "was added twice; the second call is ignored"
                    : "is still being removed, and not added; wait until `remove` returns true"
                diagnostics.report(.misuse, "\(logger.name) \(why)")
            } else {
                diagnostics.report(
                    .misuse,
                    "\(logger.name) belongs to another dispatcher; remove it there first")
            }
            return false
        }
        if let levels { logger.choose(levels) }
        // What may still come when callers are held: the batch at hand, the ring, and the large messages
        // beside it.
        node.inbox.setAllowance(2 * ring.capacity + 2 * RecordBatch.usualCapacity)
        let choice = logger.levelChoice
        // A node does not keep its logger: that is kept here, and from `start` on by the membership.
        submit { [logger, ring] drain in
            logger.node.start(ring)
            drain.add(node, choice, at: ring.consumed)
        }
        // The journal must know of the logger before it has a message for it.
        if isJournaled { drainNow() }
        settings.withLock { settings in
            settings.loggers.append(logger)
            updateGate(settings)
        }
        provideThreads(for: [logger])
        // A synchronous call that did not know it yet may have left it a message.
        node.inbox.scheduleIfNeeded()
        // Another thread may have set the levels meanwhile, before the drain knew the logger.
        let latest = logger.levelChoice
        if latest.number != choice.number { levelsDidChange(of: node, to: latest) }
        return true
    }

    /// Removes a logger, and waits until it has handled all earlier messages.
    ///
    /// Does nothing if the logger is not in this dispatcher. Inside a hook, the call does not wait, and the
    /// logger is removed later.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - timeout: How long to wait at most.
    /// - Returns: `true` if the logger has finished in time.
    @discardableResult
    public func remove(_ logger: AbstractLogger, timeout: Duration = .seconds(10)) -> Bool {
        guard detach([logger]) else { return true }
        return finishRemoval(of: logger, timeout: timeout)
    }

    @discardableResult
    private func finishRemoval(of logger: AbstractLogger, timeout: Duration) -> Bool {
        drainNow()
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
        let finished = LoggerNode.wait(for: [logger], until: deadline).isEmpty
        if !finished, !ThreadState.current.isInHook {
            diagnostics.report(
                .timedOut, "\(logger.name) did not finish within \(timeout); it will be removed later")
        }
        return finished
    }

    /// Removes a logger whose owner was released: it flushes first, as at the end of the process, which may
    /// come at once.
    package func release(_ logger: AbstractLogger) {
        guard members.contains(where: { $0 === logger }) else { return }
        // It may be released by its own queue, which cannot wait; the end of the process does.
        ProcessExit.expect([logger])
        submit({ logger.node.noteRelease() }, to: logger.node)
        let isRemoved = detach([logger])
        submit({ ProcessExit.forget(logger) }, to: logger.node)
        if isRemoved { finishRemoval(of: logger, timeout: .seconds(10)) }
    }

    /// Removes a logger, and suspends until it has handled all earlier messages.
    public func remove(_ logger: AbstractLogger) async {
        guard detach([logger]) else { return }
        drainNow()
        await withCheckedContinuation { continuation in
            logger.node.inbox.push { continuation.resumeElsewhere(returning: ()) }
            // The dispatcher no longer lists it, so this call has to run it.
            if logger.node.inbox.lacksThread { logger.node.runHere() }
        }
    }

    /// Removes all loggers, and waits until they have handled all earlier messages.
    ///
    /// - Parameter timeout: How long to wait at most, for all of them together.
    /// - Returns: `true` if all loggers have finished in time.
    @discardableResult
    public func removeAll(timeout: Duration = .seconds(10)) -> Bool {
        let loggers = self.loggers
        guard detach(loggers) else { return true }
        drainNow()
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
        return LoggerNode.wait(for: loggers, until: deadline).isEmpty
    }

    /// Takes loggers out of the list at once, and out of the order of messages at this point of it; waits for
    /// none of them.
    @discardableResult
    func detach(_ loggers: [AbstractLogger]) -> Bool {
        let leaving = settings.withLock { settings in
            let leaving = settings.loggers.filter { logger in loggers.contains { $0 === logger } }
            settings.loggers.removeAll { logger in leaving.contains { $0 === logger } }
            updateGate(settings)
            return leaving
        }
        for logger in leaving {
            let node = logger.node
            submit { drain in
                drain.remove(node)
                node.leave()
            }
        }
        return !leaving.isEmpty
    }

    func levelsDidChange(of node: LoggerNode, to choice: LogLevelChoice) {
        submit { $0.setLevels(choice, of: node) }
        // The journal must know what the logger wants before it has such a message.
        if isJournaled { drainNow() }
        settings.withLock { updateGate($0) }
    }

    // MARK: - Controls

    /// Has `work` done by the node in order with the messages of this thread.
    func submit(_ work: @escaping @Sendable () -> Void, to node: LoggerNode) {
        submit { _ in node.inbox.push(work) }
    }

    /// Has something done between the messages that this thread logged before and after it.
    ///
    /// It is never dropped. When the ring is full, the caller empties it, which waits for no logger.
    func submit(_ action: @escaping @Sendable (inout Drain) -> Void) {
        let box = ControlBox(action)
        let deadline = DispatchTime.now() + .milliseconds(250)
        while true {
            if let used = ring.publish(box) { return intake.pointee.wakeDrain(fill: used, size: 16) }
            drainNow()
            // With a journal the ring may be full of what loggers have not written yet: this one, for
            // instance.
            if !isJournaled { continue }
            if ThreadState.current.isInHook || DispatchTime.now() >= deadline {
                journaling.release()
            } else {
                usleep(100)
            }
        }
    }
}
