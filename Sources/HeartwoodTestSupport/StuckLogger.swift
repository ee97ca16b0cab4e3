public import Heartwood

/// A logger that blocks at its first message until it is released, and records what it gets then.
open class StuckLogger: RecordingLogger, @unchecked Sendable {  // adds constants only
    /// Where it is stuck.
    public final let gate = Gate()

    /// Lets it go on, for good.
    public final func release() { gate.open() }

    /// Waits until it is stuck at a message.
    @discardableResult
    public final func waitUntilStuck() -> Bool { gate.waitForArrival() }

    /// Stops at the gate, then records.
    open override func log(_ message: LogMessage) {
        gate.pass()
        record(message)
    }
}
