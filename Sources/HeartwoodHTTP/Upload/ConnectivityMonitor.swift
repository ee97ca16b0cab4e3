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

/// The connectivity monitor that the system offers.
public enum PlatformConnectivity {
    /// Makes the system's monitor: netlink on Linux, `NWPathMonitor` on Apple's systems.
    public static func make() -> any ConnectivityMonitor { systemConnectivityMonitor() }
}
