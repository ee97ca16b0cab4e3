public import Heartwood

/// A logger that blocks at its first message until a test releases it, and then records its messages.
open class StuckLogger: RecordingLogger, @unchecked Sendable {  // adds constants only
    /// The gate at which the logger blocks.
    package final let gate = Gate()

    /// Releases the logger for good.
    public final func release() { gate.open() }

    /// Waits until the logger blocks at a message.
    @discardableResult
    public final func waitUntilStuck() -> Bool { gate.waitForArrival() }

    /// Waits at the gate, and records the message.
    open override func log(_ message: LogMessage) {
        gate.pass()
        record(message)
    }
}
