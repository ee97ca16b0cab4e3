/// A logger with files or connections that can be opened again while it runs.
///
/// `SIGHUP` has it do so, where a `LogConfigurationWatch` is told to take notice of the signal.
public protocol ReopeningLogger: AbstractLogger {
    /// Closes what is open; the next message opens it again.
    ///
    /// Any thread; takes effect in order with the messages, loses none of them, and never waits.
    func reopen()
}
