public import Heartwood

/// A logger that logs from inside its hooks, to the dispatcher that it belongs to.
open class SelfLoggingLogger: RecordingLogger, @unchecked Sendable {  // a lock guards its reference
    private struct Target {
        weak var dispatcher: LogDispatcher?
    }
    private let target: Locked<Target>

    /// Makes a logger that logs "heard: …" about each message, to `dispatcher`.
    public init(name: String? = nil, to dispatcher: LogDispatcher) {
        target = Locked(Target(dispatcher: dispatcher))
        super.init(name: name)
    }

    /// Where it logs to.
    public final var dispatcher: LogDispatcher? { target.withLock { $0.dispatcher } }

    /// Records, and logs that it did: at the message's own level, which may be one that is logged synchronously.
    open override func log(_ message: LogMessage) {
        record(message)
        if let dispatcher { Heartwood.log("heard: \(message.text)", level: message.level, to: dispatcher) }
    }
}
