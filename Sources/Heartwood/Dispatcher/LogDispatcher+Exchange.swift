import Dispatch
import Synchronization

extension LogDispatcher {
    /// Removes loggers and adds others at one point of the order of messages: what is logged before goes to the first,
    /// what is logged after it to the others, and nothing to both or to none.
    ///
    /// Does not wait for those that leave: see `waitForRemoved`. One that belongs to another dispatcher is not added,
    /// which is reported.
    package func exchange(_ old: [AbstractLogger], for new: [AbstractLogger]) {
        if old.isEmpty, new.isEmpty { return }
        var arriving: [(logger: AbstractLogger, choice: LogLevelChoice)] = []
        for logger in new {
            if logger.node.attach(to: self) != nil {
                diagnostics.report(.misuse, "\(logger.name) was already added to a dispatcher")
                continue
            }
            logger.node.inbox.setAllowance(2 * ring.capacity + 2 * RecordBatch.usualCapacity)
            arriving.append((logger, logger.levelChoice))
        }
        let leaving = settings.withLock { settings in
            let leaving = settings.loggers.filter { logger in old.contains { $0 === logger } }
            settings.loggers.removeAll { logger in leaving.contains { $0 === logger } }
            // Callers ask for what either wants, from before the exchange until after it.
            settings.loggers += arriving.map(\.logger)
            // With a journal, not before it knows the new ones.
            let asked = isJournaled ? leaving : leaving + settings.loggers
            let gate = asked.reduce(self.gate.load(ordering: .relaxed)) { $0 | $1.levels.rawValue }
            openGate(gate & settings.levels.rawValue)
            return leaving
        }
        submit { [arriving, ring] drain in
            for logger in leaving {
                drain.remove(logger.node)
                logger.node.leave()
            }
            for (logger, choice) in arriving {
                logger.node.start(ring)
                drain.add(logger.node, choice, at: ring.consumed)
            }
        }
        drainNow()
        settings.withLock { updateGate($0) }
        for (logger, choice) in arriving {
            let latest = logger.levelChoice
            if latest.number != choice.number { levelsDidChange(of: logger.node, to: latest) }
        }
    }

    /// Waits until loggers that were removed have written everything, ten seconds at most; inside of a hook not at all.
    package func waitForRemoved(_ loggers: [AbstractLogger]) {
        if loggers.isEmpty || ThreadState.current.isInHook { return }
        let late = LoggerNode.wait(for: loggers, until: .now() + 10)
        for logger in late {
            diagnostics.report(
                .timedOut, "\(logger.name) did not finish in time; it will be removed later", key: logger.name
            )
        }
    }
}
