// Not tested yet: written from the documentation, on a machine that has no Apple system.
#if canImport(Network)
import Dispatch
import Heartwood
import Network

/// Watches the network with `NWPathMonitor`.
final class PathMonitor: ConnectivityMonitor {
    /// One for each start: a monitor that was stopped never starts again.
    private let monitor = Locked<NWPathMonitor?>(nil)

    func start(_ changed: @escaping @Sendable (Bool) -> Void) {
        stop()
        let next = NWPathMonitor()
        // A connection that must be opened first, as of a VPN on demand, is opened by the request.
        next.pathUpdateHandler = { changed($0.status != .unsatisfied) }
        next.start(queue: DispatchQueue.serial("heartwood.http.connectivity"))
        monitor.withLock { $0 = next }
    }

    func stop() {
        monitor.withLock { monitor in
            monitor?.cancel()
            monitor = nil
        }
    }
}
#endif
