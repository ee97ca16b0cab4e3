import Foundation

/// Sends bytes to a port of this machine, and reads what comes back until the other side ends.
enum RawClient {
    struct Answer {
        let status: Int
        let head: String
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Asks for a target, with these header fields besides `Host` and `Connection`.
    static func get(
        _ target: String, port: Int, host: String? = nil, fields: [String] = [], method: String = "GET"
    ) -> Answer? {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"]
            + fields
        return send(lines.joined(separator: "\r\n") + "\r\n\r\n", port: port)
    }

    /// Sends a text and reads the answer; nil where none came.
    static func send(_ text: String, port: Int) -> Answer? {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        limitReading(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        let bytes = Array(text.utf8)
        // The server may refuse, and close, before it has read all.
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        var input: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            input += buffer.prefix(count)
        }
        guard let end = input.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Answer(status: status, head: head, body: Array(input[end.upperBound...]))
    }
}

/// A connection that says nothing.
enum RawSocket {
    static func connect(port: Int) -> Int32? {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connectSocket(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        closeSocket(descriptor)
        return nil
    }

    static func close(_ descriptor: Int32) { closeSocket(descriptor) }

    static func send(_ text: String, on descriptor: Int32) {
        let bytes = Array(text.utf8)
        // The server may have closed the connection: that is no reason to end the tests.
        #if canImport(Darwin)
        let quiet: Int32 = 0
        #else
        let quiet = Int32(MSG_NOSIGNAL)
        #endif
        _ = bytes.withUnsafeBytes { sendOnSocket(descriptor, $0, quiet) }
    }

    /// Reads until there is enough, or the other side ends; at most for a minute.
    static func read(_ descriptor: Int32, until isEnough: ([UInt8]) -> Bool) -> [UInt8] {
        limitReading(descriptor)
        var input: [UInt8] = []
        // One byte at a time, so that what comes after it is left for the next call.
        var byte: UInt8 = 0
        while !isEnough(input), readSocket(descriptor, &byte) == 1 { input.append(byte) }
        return input
    }
}

private func sendOnSocket(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, flags)
}

private func readSocket(_ descriptor: Int32, _ byte: inout UInt8) -> Int { read(descriptor, &byte, 1) }

private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t)
    -> Int32
{
    connect(descriptor, address, length)
}

private func closeSocket(_ descriptor: Int32) { close(descriptor) }

/// Ends a read after a minute.
private func limitReading(_ descriptor: Int32) {
    // The words of a `timeval`, which the compiler finds in one module or another.
    var limit = [60, 0]
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(2 * MemoryLayout<Int>.size))
}
