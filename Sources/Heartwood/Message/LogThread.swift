import CHeartwood

/// The thread, the dispatch queue and the task that code runs on.
package struct LogThread: Hashable, Sendable {
    /// The kernel's number of the thread.
    package let id: UInt64
    /// The name of the thread, if it has one.
    package let name: String?
    /// The label of the dispatch queue, if the code runs on one.
    package let queueLabel: String?
    /// The name of the task, if it has one; on Apple's systems from version 26 on.
    package let taskName: String?

    /// The thread, queue and task of the caller.
    package static var current: LogThread {
        let thread = ThreadState.current
        thread.forgetName()
        let name = thread.name(at: hw_ticks())
        return LogThread(
            id: thread.id, name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self),
            queueLabel: hw_queue_label(hw_thread_current()).text.map { String(cString: $0) },
            taskName: currentTaskName)
    }

    /// The name of the running task, if it has one.
    static var currentTaskName: String? {
        if hw_in_task(), #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) {
            return Task<Never, Never>.name
        }
        return nil
    }
}
