import Dispatch
public import Heartwood

/// A logger that handles a message only when the test allows one more.
open class SlowLogger: RecordingLogger, @unchecked Sendable {  // adds constants only
    private let permits = DispatchSemaphore(value: 0)
    private let handled = DispatchSemaphore(value: 0)

    /// Allows this many more messages, and waits until the logger has handled them.
    ///
    /// - Returns: whether it did, within a minute.
    @discardableResult
    public final func handle(_ count: Int) -> Bool {
        for _ in 0..<count { permits.signal() }
        for _ in 0..<count where handled.wait(timeout: .now() + 60) != .success { return false }
        return true
    }

    /// Allows this many more messages, without waiting.
    package final func allow(_ count: Int) {
        for _ in 0..<count { permits.signal() }
    }

    /// Waits for permission, and records the message.
    open override func log(_ message: LogMessage) {
        permits.wait()
        record(message)
        handled.signal()
    }
}
