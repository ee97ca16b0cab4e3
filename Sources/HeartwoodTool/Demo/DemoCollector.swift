import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// The server of the demo, on 127.0.0.1: refuses a first few requests, and keeps the bodies of all others.
final class DemoCollector: Sendable {
    /// The requests so far.
    struct Content: Sendable {
        /// How many were rejected with status 503.
        fileprivate(set) var rejected = 0
        /// The bodies of the others.
        fileprivate(set) var stored: [[UInt8]] = []

        fileprivate mutating func add(_ body: [UInt8], rejecting count: Int) -> String {
            if rejected < count {
                rejected += 1
                return "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
            }
            stored.append(body)
            return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        }
    }

    private let listener: SocketListener
    private let requests: Locked<Content>

    /// Starts a collector on a free port.
    ///
    /// - Parameter count: How many requests it rejects before it takes one.
    /// - Throws: `LogError` when no socket could be had.
    init(rejecting count: Int = 0) throws {
        let requests = Locked(Content())
        self.requests = requests
        listener = try SocketListener { stream, _ in
            while let body = Self.body(stream),
                stream.send(requests.withLock { $0.add(body, rejecting: count) })
            {}
        }
    }

    deinit { stop() }

    var address: String { "http://127.0.0.1:\(listener.port)" }
    var content: Content { requests.withLock { $0 } }

    func stop() { listener.stop() }

    /// Reads a request; its body has a length, as the framework sends it.
    private static func body(_ stream: SocketStream) -> [UInt8]? {
        guard case .head(let bytes) = stream.readHead(limit: 65_536),
            let head = try? HTTPRequestHead(parsing: bytes), !head.isChunked
        else { return nil }
        if head.headers["Expect"] != nil { stream.send("HTTP/1.1 100 Continue\r\n\r\n") }
        return stream.readBytes(head.length)
    }
}
