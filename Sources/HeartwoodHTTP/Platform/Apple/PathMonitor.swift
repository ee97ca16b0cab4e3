// Not tested yet: written from the documentation, on a machine that has no Apple system.
#if canImport(Network)
import Dispatch
import Network

/// Watches the network with `NWPathMonitor`.
final class PathMonitor: ConnectivityMonitor {
    private let monitor = NWPathMonitor()

    func start(_ changed: @escaping @Sendable (Bool) -> Void) {
        monitor.pathUpdateHandler = { changed($0.status == .satisfied) }
        monitor.start(queue: DispatchQueue(label: "heartwood.http.connectivity"))
    }

    func stop() { monitor.cancel() }
}
#endif
