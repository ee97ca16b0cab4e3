import CHeartwood

extension LogDispatcher {
    /// The locks that a call needs, in the order in which they nest.
    func handleFork(_ fork: ForkStep) {
        fork.apply(to: journalState)
        fork.apply(to: settings)
        fork.apply(to: drain)
        fork.apply(to: journalMapping)
    }

    /// Forgets what is the parent's, and delivers from now on without queues; `usable` loggers were at rest.
    func handleForkInChild(usable: [LoggerNode]) {
        if isJournaled {
            // The ring is the parent's; what was in it has been handed out before the fork.
            let beginning = ring.nextBeginning
            drain.withLock { drain in
                drain.leaveJournal()
                _ = ring.exchange(for: nil, beginning: beginning)
            }
            journalMapping.withLock { $0 = nil }
        } else {
            drain.withLock { $0.forgetMessages(in: ring) }
        }
        backpressure.releaseAll()
        for logger in members {
            logger.node.handleForkInChild(isUsable: usable.contains { $0 === logger.node })
        }
    }

    /// Whether the ring is in a file.
    var isJournaled: Bool { journalMapping.withLock { $0 != nil } }

    /// In the child of a fork, where no other thread does it: delivers everything that has been logged.
    func deliverInChild() {
        drainNow(byCaller: true)
        for logger in members { logger.node.runInChild() }
    }
}
