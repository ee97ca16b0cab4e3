import CHeartwood

/// The process that something belongs to: the child of a fork leaves what its parent opened, locked or holds
/// to the parent.
///
/// The number of the process is kept, so that no check is a system call.
package struct ProcessOwner: Sendable, Equatable {
    private var process: Int32

    /// The process that is running.
    package init() { process = hw_process() }

    /// The process that makes these calls, which can be a simulated one.
    package init(_ calls: SystemCalls) { process = calls.process }

    /// A process by its number.
    package init(process: Int32) { self.process = process }

    /// Whether it is the process that is running.
    package var isHere: Bool { process == hw_process() }

    /// Whether it is the process that makes these calls.
    package func isHere(_ calls: SystemCalls) -> Bool { process == calls.process }

    /// Changes to the process that is running; returns whether it was another one, whose child this is.
    package mutating func leaveParent() -> Bool { change(to: hw_process()) }

    /// Changes to the process that makes these calls; returns whether it was another one, whose child this
    /// is.
    package mutating func leaveParent(_ calls: SystemCalls) -> Bool { change(to: calls.process) }

    private mutating func change(to current: Int32) -> Bool {
        defer { process = current }
        return process != current
    }
}
