/// A logger that writes on the threads of callers, to something that may stop taking what is written.
///
/// It never waits there: it keeps what is not taken at once, says so to its node (`leaveOutputToQueue`), and the node
/// has the logger's queue write it, where waiting delays no caller.
protocol OutputHolder: AbstractLogger {
    /// Writes what the logger holds, waiting for the reader as long as it takes; called on its queue.
    func finishOutput()

    /// Forgets what the logger holds: in the child of a fork it is the parent's.
    func discardOutput()
}
