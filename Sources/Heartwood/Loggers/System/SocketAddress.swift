import CHeartwood

/// An address that a socket can be connected to.
struct SocketAddress: Sendable {
    var address: hw_address

    /// Asks the system for the addresses of a host; waits for the network unless only digits are understood.
    static func find(_ host: String, port: Int, stream: Bool, numeric: Bool) -> HostLookup.Answer {
        var addresses = [hw_address](repeating: hw_address(), count: 8)
        let count = hw_resolve(host, String(port), stream, numeric, &addresses, Int32(addresses.count))
        if count > 0 { return .addresses(addresses.prefix(Int(count)).map(SocketAddress.init)) }
        return .failed("no address: " + String(cString: hw_resolve_reason(count)))
    }
}
