import CHeartwood

extension LogDispatcher {
    /// The locks that a call needs, in the order in which they nest.
    func handleFork(_ fork: ForkStep) {
        journaling.handleFork(fork)
        fork.apply(to: settings)
        room.handleFork(fork)
        consumer.drain.handleFork(fork)
        ring.handleFork(fork)
        place.handleFork(fork)
    }

    /// Forgets what is the parent's, and delivers from now on without queues; `usable` loggers were at rest.
    func handleForkInChild(usable: [LoggerNode]) {
        if isJournaled {
            // The ring is the parent's; what was in it has been handed out before the fork.
            place.leaveInChild()
        } else {
            consumer.drain.withLock { $0.forgetMessages(in: ring) }
        }
        backpressure.releaseAll()
        for logger in members {
            logger.node.handleForkInChild(isUsable: usable.contains { $0 === logger.node })
        }
    }

    /// In the child of a fork, where no other thread does it: delivers everything that has been logged.
    func deliverInChild() {
        drainNow(byCaller: true)
        for logger in members { logger.node.runInChild() }
    }
}
