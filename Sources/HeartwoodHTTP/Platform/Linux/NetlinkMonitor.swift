#if os(Linux)
import CHeartwood
import Glibc
import Heartwood

/// Watches links, addresses and routes through a netlink socket, which is looked at once a second.
///
/// There is a network when an interface other than loopback is up and has an address. Only when that changes
/// is it told: on machines with containers, or where addresses are renewed, the kernel has news many times a
/// minute. Where the kernel gives no such socket, there always is one, and no change is ever reported.
final class NetlinkMonitor: ConnectivityMonitor {
    private struct State {
        var socket: Descriptor?
        var timer: (any LogTimer)?
        var changed: (@Sendable (Bool) -> Void)?
        /// What was told last.
        var told: Bool?
    }

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    private static let interval = Duration.seconds(1)

    deinit { stop() }

    func start(_ changed: @escaping @Sendable (Bool) -> Void) {
        guard let socket = Self.socket() else { return changed(true) }
        state.withLock { $0 = State(socket: socket, changed: changed) }
        report()
        lookLater()
    }

    func stop() {
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        last.timer?.cancel()
    }

    private func lookLater() {
        let timer = SystemClock().schedule(after: NetlinkMonitor.interval) { [weak self] in self?.look() }
        let isWatching = state.withLock { state in
            if state.socket != nil { state.timer = timer }
            return state.socket != nil
        }
        if !isWatching { timer.cancel() }
    }

    private func look() {
        // What the program has closed may be a socket of its own by now.
        guard let socket = state.withLock({ $0.socket }), socket.isOurs else { return }
        var buffer = [UInt8](repeating: 0, count: 8192)
        var hasNews = false
        // The messages themselves are not read: that something changed is enough to look. An error says that
        // there were too many of them.
        while true {
            let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { break }
            hasNews = true
            if count <= 0 { break }
        }
        if hasNews { report() }
        lookLater()
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
