import CHeartwood

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@testable import Heartwood

/// The other end of a logger's socket, of any kind, which reads when a test wants it to.
final class SocketReceiver {
    enum Kind { case localDatagram, localStream, udp, tcp }

    let kind: Kind
    let path: String
    private(set) var port = 0
    /// The socket that has the name; and of a stream, the connection that was accepted last.
    private var socket: Int32 = -1
    private var connection: Int32 = -1
    private var broken: [Int32] = []
    private var unread: [UInt8] = []

    /// Opens a socket; at `path` for local ones, at `port` of the loopback for others, any port unless given.
    init(_ kind: Kind, path: String = "", port: Int = 0, buffer: Int32? = nil) throws {
        (self.kind, self.path) = (kind, path)
        let isStream = kind == .localStream || kind == .tcp
        let isLocal = kind == .localDatagram || kind == .localStream
        let type = Int32((isStream ? SOCK_STREAM : SOCK_DGRAM).rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        socket = Glibc.socket(isLocal ? AF_UNIX : AF_INET, type, 0)
        if var buffer { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, 4) }
        if isLocal {
            unlink(path)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
            try bind(&address, MemoryLayout<sockaddr_un>.size)
        } else {
            var yes: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = UInt16(port).bigEndian
            try bind(&address, MemoryLayout<sockaddr_in>.size)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            _ = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
            }
            self.port = Int(UInt16(bigEndian: address.sin_port))
        }
        if isStream { listen(socket, 16) }
    }

    private func bind<Address>(_ address: inout Address, _ size: Int) throws {
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(socket, $0, socklen_t(size))
            }
        }
        if result != 0 { throw LogError(.network, "no socket for a test", place: path, cause: errno) }
    }

    deinit { close() }

    /// Goes away, as a daemon does that ends: what was not read is lost.
    func close() {
        for descriptor in [socket, connection] + broken where descriptor >= 0 { Glibc.close(descriptor) }
        (socket, connection, broken) = (-1, -1, [])
    }

    /// Where a logger finds it.
    func destination(
        _ format: SystemLogger.SyslogFormat = .rfc5424, _ framing: SystemLogger.Framing = .newline
    ) -> SystemLogger.Destination {
        switch kind {
        case .localDatagram, .localStream: .local(socket: path, format: format, framing: framing)
        case .udp: .udp(host: "127.0.0.1", port: port, format: format)
        case .tcp: .tcp(host: "localhost", port: port, format: format, framing: framing)
        }
    }

    /// Makes the connection one into which the writer cannot write: it will connect again.
    func breakConnection() {
        if kind == .localStream {
            // EPIPE, although the writer sees no end.
            shutdown(connection, Int32(SHUT_RD))
            broken.append(connection)
        } else {
            // RST.
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            Glibc.close(connection)
        }
        connection = -1
        unread = []
    }

    /// Connects until a connection is not answered any more; the caller closes them.
    func fillQueue() -> [Int32] {
        listen(socket, 0)
        var address = hw_address()
        guard hw_resolve("127.0.0.1", String(port), true, true, &address, 1) == 1 else { return [] }
        var connections: [Int32] = []
        while connections.count < 100 {
            let connection = hw_connect(&address, true)
            if connection < 0 { break }
            connections.append(connection)
            var entry = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
            if poll(&entry, 1, 500) == 0 { break }
        }
        return connections
    }

    private static func waitToRead(_ descriptor: Int32, _ seconds: Int) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(seconds * 1000)) > 0
    }

    /// The next datagram; nil where none comes in time.
    func datagram(within seconds: Int = 60) -> [UInt8]? {
        guard SocketReceiver.waitToRead(socket, seconds) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        let count = recv(socket, &bytes, bytes.count, 0)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    /// The next so many bytes of the stream; fewer where no more come in time, or the writer closes.
    func bytes(_ wanted: Int, within seconds: Int = 60) -> [UInt8] {
        while unread.count < wanted, fill(within: seconds) {}
        let taken = Array(unread.prefix(wanted))
        unread.removeFirst(taken.count)
        return taken
    }

    /// The stream up to the next line feed, and without it; nil where none comes in time.
    func line(within seconds: Int = 60) -> String? {
        while !unread.contains(0x0A) { if !fill(within: seconds) { return nil } }
        let line = unread.prefix { $0 != 0x0A }
        defer { unread.removeFirst(line.count + 1) }
        return String(decoding: line, as: UTF8.self)
    }

    /// The next message of a stream that counts octets.
    func counted() -> String? {
        while !unread.contains(0x20) { if !fill(within: 60) { return nil } }
        let digits = unread.prefix { $0 != 0x20 }
        unread.removeFirst(digits.count + 1)
        guard let count = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        return String(decoding: bytes(count), as: UTF8.self)
    }

    private func fill(within seconds: Int) -> Bool {
        if connection < 0 {
            guard SocketReceiver.waitToRead(socket, seconds) else { return false }
            connection = accept(socket, nil, nil)
        }
        guard SocketReceiver.waitToRead(connection, seconds) else { return false }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(connection, &buffer, buffer.count, 0)
        if count <= 0 { return false }
        unread += buffer[..<count]
        return true
    }

    /// The next message of any kind, as a text.
    func message() -> String? {
        switch kind {
        case .localDatagram, .udp: datagram().map { String(decoding: $0, as: UTF8.self) }
        case .localStream, .tcp: line()
        }
    }

    /// The next datagram, or what the file in it has; and the file's seals.
    func datagramOrFile() -> (bytes: [UInt8], seals: Int32?)? {
        guard SocketReceiver.waitToRead(socket, 60) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        // A cmsghdr: length 8, level 4, type 4, then the descriptor.
        var control = [UInt64](repeating: 0, count: 4)
        let (count, length) = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (part, 1)
                    (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
                    let count = recvmsg(socket, &message, 0)
                    return (count, message.msg_controllen)
                }
            }
        }
        if count < 0 { return nil }
        if length == 0 { return (Array(bytes[..<count]), nil) }
        guard count == 0, control[0] == 20, control[1] == UInt64(SOL_SOCKET) | UInt64(SCM_RIGHTS) << 32
        else { return nil }
        let file = Int32(truncatingIfNeeded: control[2])
        defer { Glibc.close(file) }
        var content = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
        let read = pread(file, &content, content.count, 0)
        return (Array(content[..<max(0, read)]), fcntl(file, 1034))  // F_GET_SEALS
    }
}
