/// A scheduled call of a ``LogClock``.
public protocol LogTimer: Sendable, AnyObject {
    /// Makes sure that the call is not started any more; one that runs already continues.
    func cancel()
}
