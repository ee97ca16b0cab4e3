public import Heartwood

/// A logger that cannot write: every message fails, or every n-th.
open class FailingLogger: RecordingLogger, @unchecked Sendable {  // `seen` is used in hooks only
    /// The number of messages of which one fails.
    private final let period: Int
    private var seen = 0

    /// Makes a logger that fails at every `period`-th message.
    public init(name: String? = nil, every period: Int = 1) {
        self.period = period
        super.init(name: name)
    }

    /// Fails, or records the message.
    open override func log(_ message: LogMessage) {
        seen += 1
        if seen % period == 0 {
            reportFailure("the disk is full")
        } else {
            record(message)
        }
    }
}
