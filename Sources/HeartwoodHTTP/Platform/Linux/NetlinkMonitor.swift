#if os(Linux)
import CHeartwood
import Dispatch
import Glibc
import Heartwood

/// Watches links, addresses and routes through a netlink socket.
///
/// There is a network when an interface other than loopback is up and has an address. Only when that changes
/// is it told: on machines with containers, or where addresses are renewed, the kernel has news many times a
/// minute. Where the kernel gives no such socket, there always is one, and no change is ever reported.
final class NetlinkMonitor: ConnectivityMonitor {
    private struct State {
        var source: (any DispatchSourceRead)?
        var changed: (@Sendable (Bool) -> Void)?
        /// What was told last.
        var told: Bool?
    }

    // MARK: Guarded by 'state'
    private let state = Locked(State())
    private let queue = DispatchQueue.serial("heartwood.http.connectivity")

    deinit { stop() }

    func start(_ changed: @escaping @Sendable (Bool) -> Void) {
        guard let socket = Self.socket() else { return changed(true) }
        let descriptor = socket.number
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        // Closed with the handlers, which are released after it.
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        source.setEventHandler { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 8192)
            // The messages themselves are not read: that something changed is enough to look.
            while recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
            self?.report()
        }
        state.withLock { state in
            state.source?.cancel()
            state.source = source
            state.changed = changed
            state.told = nil
        }
        source.activate()
        queue.async { [weak self] in self?.report() }
    }

    func stop() {
        let source = state.withLock { state in
            defer { state = State() }
            return state.source
        }
        source?.cancel()
    }

    private func report() {
        let isThere = Self.hasNetwork()
        let changed = state.withLock { state -> (@Sendable (Bool) -> Void)? in
            if state.told == isThere { return nil }
            state.told = isThere
            return state.changed
        }
        changed?(isThere)
    }

    private static func socket() -> Descriptor? {
        let descriptor = Glibc.socket(
            16 /* AF_NETLINK */, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // struct sockaddr_nl: family, padding, port (the kernel chooses), groups: link, IPv4 and IPv6 address
        // and route
        let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
        let address: [UInt32] = [16, 0, groups]
        let bound = address.withUnsafeBytes { bytes in
            bind(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if bound == 0 { return try? Descriptor(descriptor, SystemCalls()) }
        close(descriptor)
        return nil
    }

    private static func hasNetwork() -> Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return true }
        defer { freeifaddrs(first) }
        var next = first
        while let interface = next?.pointee {
            next = interface.ifa_next
            let flags = Int32(bitPattern: interface.ifa_flags)
            let family = interface.ifa_addr.map { Int32($0.pointee.sa_family) }
            let isUp = flags & Int32(IFF_UP) != 0 && flags & Int32(IFF_RUNNING) != 0
            let isLoopback = flags & Int32(IFF_LOOPBACK) != 0
            if isUp && !isLoopback && (family == AF_INET || family == AF_INET6) { return true }
        }
        return false
    }
}
#endif
