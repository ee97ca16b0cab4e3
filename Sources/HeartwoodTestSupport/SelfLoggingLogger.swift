package import Heartwood

/// A logger that logs to its own dispatcher inside its hooks.
package class SelfLoggingLogger: RecordingLogger, @unchecked Sendable {  // a lock guards its reference
    private let target: Locked<Weak<LogDispatcher>>

    /// Makes a logger that logs "heard: …" about each message, to `dispatcher`.
    package init(name: String? = nil, to dispatcher: LogDispatcher) {
        target = Locked(Weak(dispatcher))
        super.init(name: name)
    }

    /// The dispatcher that it logs to.
    package final var dispatcher: LogDispatcher? { target.withLock { $0.object } }

    /// Records the message, and logs that at the level of the message, which may be logged synchronously.
    package override func log(_ message: LogMessage) {
        record(message)
        if let dispatcher { Heartwood.log("heard: \(message.text)", level: message.level, to: dispatcher) }
    }
}
