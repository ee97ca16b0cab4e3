import CHeartwood
import Heartwood

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A numeric address and a port to listen on.
package struct SocketAddress: Sendable {
    /// Whether it is an address of IPv6.
    package let isVersion6: Bool
    private let bytes: [UInt8]
    private let port: Int

    /// Reads a numeric address; nil for anything else, names included.
    package init?(_ text: String, port: Int) {
        guard (0...65_535).contains(port) else { return nil }
        self.port = port
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            isVersion6 = false
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            isVersion6 = true
            bytes = withUnsafeBytes(of: &six) { Array($0) }
        } else {
            return nil
        }
    }

    /// Whether only programs on this machine can reach it.
    package var isLoopback: Bool {
        isVersion6 ? bytes == Array(repeating: 0, count: 15) + [1] : bytes.first == 127
    }

    /// Whether it means all addresses of the machine.
    package var isAny: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Opens a socket that listens there.
    ///
    /// - Throws: `LogError` when the address is invalid.
    func listen() throws -> Int32 {
        let family = isVersion6 ? AF_INET6 : AF_INET
        #if canImport(Darwin)
        let descriptor = socket(family, SOCK_STREAM, 0)
        if descriptor >= 0 { SystemCalls.closeOnExec(descriptor) }
        #else
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else {
            throw LogError(.network, "cannot create a socket for the server", cause: hw_errno())
        }
        var on: Int32 = 1
        if port != 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        guard bindSocket(descriptor) == 0, listenOn(descriptor, 128) == 0 else {
            let cause = hw_errno()
            close(descriptor)
            throw LogError(.network, "the server cannot listen on port \(port)", cause: cause)
        }
        return descriptor
    }

    private func bindSocket(_ descriptor: Int32) -> Int32 {
        guard isVersion6 else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            return SocketAddress.bindSocket(descriptor, to: address)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(port).bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
        return SocketAddress.bindSocket(descriptor, to: address)
    }

    private static func bindSocket<Address>(_ descriptor: Int32, to address: Address) -> Int32 {
        withUnsafeBytes(of: address) { bytes in
            bind(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    /// The port that a listening socket got.
    func port(of descriptor: Int32) -> Int {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // The port is at the same place for both families.
        return result == 0 ? Int(UInt16(bigEndian: storage.sin6_port)) : 0
    }

    /// A numeric address at which other machines reach this one; nil where it has none.
    package static func ofThisMachine(isVersion6: Bool) -> String? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr,
                Int32(address.pointee.sa_family) == (isVersion6 ? AF_INET6 : AF_INET),
                entry.ifa_flags & UInt32(1) != 0 /* up */, entry.ifa_flags & UInt32(8) == 0 /* loopback */
            else { continue }
            var text = [CChar](repeating: 0, count: 100)
            let length = socklen_t(
                isVersion6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
            guard
                getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST)) == 0
            else { continue }
            let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // An address of one link only says on which link.
            if !name.contains("%") { return name }
        }
        return nil
    }

    /// The address that an accepted connection comes from, without its port; empty where the system does not
    /// say it.
    static func peer(of descriptor: Int32) -> [UInt8] {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard result == 0 else { return [] }
        if Int32(storage.sin6_family) == AF_INET6 {
            return withUnsafeBytes(of: storage.sin6_addr) { Array($0) }
        }
        return withUnsafeBytes(of: storage) { Array($0[4..<8]) }
    }
}

private func listenOn(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
