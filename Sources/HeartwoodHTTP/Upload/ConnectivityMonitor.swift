/// Tells whether there is a network, and when that changes.
///
/// ```swift
/// final class Always: ConnectivityMonitor {
///     func start(_ changed: @escaping @Sendable (Bool) -> Void) { changed(true) }
///     func stop() {}
/// }
/// ```
public protocol ConnectivityMonitor: AnyObject, Sendable {
    /// Begins to watch; calls `changed` soon with the present state, and again when routes or addresses change, on any
    /// thread.
    func start(_ changed: @escaping @Sendable (Bool) -> Void)

    /// Ends watching; `changed` is not called any more after it has returned, but for a call under way.
    func stop()
}
