import CHeartwood

/// Where code runs, as messages tell it: the thread, the dispatch queue and the task.
///
/// For a bridge that makes messages by hand, and delivers them later or elsewhere:
///
/// ```swift
/// let thread = LogThread.current
/// let message = LogMessage(
///     LogText(text), level: .info, threadID: thread.id, threadName: thread.name,
///     queueLabel: thread.queueLabel, taskName: thread.taskName)
/// ```
public struct LogThread: Hashable, Sendable {
    /// The kernel's number of the thread.
    public let id: UInt64
    /// The thread's name, where it has one; a change may be seen up to two seconds late.
    public let name: String?
    /// The label of the dispatch queue, where the code runs on one.
    public let queueLabel: String?
    /// The name of the task, where it has one.
    public let taskName: String?

    /// Where the caller runs.
    public static var current: LogThread {
        let thread = ThreadState.current
        let name = thread.name(at: hw_ticks())
        return LogThread(
            id: thread.id, name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self),
            queueLabel: hw_queue_label().map { String(cString: $0) },
            taskName: hw_in_task() ? Task<Never, Never>.name : nil)
    }
}
