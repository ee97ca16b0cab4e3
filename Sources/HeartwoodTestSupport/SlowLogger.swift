import Dispatch
public import Heartwood

/// A logger that is as slow as a test wants: it handles a message when the test allows one more.
open class SlowLogger: RecordingLogger, @unchecked Sendable {  // adds constants only
    private let permits = DispatchSemaphore(value: 0)
    private let handled = DispatchSemaphore(value: 0)

    /// Has it handle so many more messages, and waits until it has.
    ///
    /// - Returns: whether it did, within a minute.
    @discardableResult
    public final func handle(_ count: Int) -> Bool {
        for _ in 0..<count { permits.signal() }
        for _ in 0..<count where handled.wait(timeout: .now() + 60) != .success { return false }
        return true
    }

    /// Lets it handle so many more messages, without waiting.
    public final func allow(_ count: Int) {
        for _ in 0..<count { permits.signal() }
    }

    /// Waits for its permit, then records.
    open override func log(_ message: LogMessage) {
        permits.wait()
        record(message)
        handled.signal()
    }
}
