import CHeartwood

extension LogDispatcher {
    /// The locks that a call needs, in the order in which they nest.
    func around(_ fork: ForkStep) {
        fork.apply(to: settings)
        fork.apply(to: drain)
    }

    /// Forgets what is the parent's, and delivers from now on without queues; `usable` loggers were at rest.
    func becomeChild(usable: [LoggerNode]) {
        drain.withLock { $0.forgetMessages(in: ring) }
        backpressure.releaseAll()
        for logger in loggers {
            logger.node.becomeChild(isUsable: usable.contains { $0 === logger.node })
        }
    }

    /// In the child of a fork, where nobody else does it: delivers everything that has been logged.
    func deliverInChild() {
        drainNow(byCaller: true)
        for logger in loggers { logger.node.runInChild() }
    }
}
