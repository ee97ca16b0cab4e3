import Heartwood
import HeartwoodHTTP

/// A small HTTP/1.1 server for a few clients: strict in what it reads, bounded in what it keeps.
///
/// It takes `GET` and `HEAD` only, each connection on its own thread. A request with a body, a head of more
/// than ``Limits/headBytes`` or one that takes too long is refused, and the connection closed. A client whose
/// requests were all refused is a stranger: it makes room for others when there are more connections than
/// ``Limits/connections``.
package final class HTTPServer: Sendable {
    /// What a client may ask for at most.
    package struct Limits: Sendable {
        /// How many connections are served at a time.
        package var connections = 64
        /// How long a head may be, in bytes.
        package var headBytes = 16_384
        /// How long a stranger may take for a head.
        package var strangerTime = Duration.seconds(3)
        /// How long any other client may take for a head, and be silent between two requests.
        package var headTime = Duration.seconds(30)
        /// How long a write waits for a client that does not read.
        package var writeTime = Duration.seconds(30)

        package init() {}
    }

    private let listener: SocketListener

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - address: The numeric address to listen on.
    ///   - port: The port; 0 for one that is free.
    ///   - limits: What clients may ask for at most.
    ///   - answer: Answers a request; called on the connection's thread, several at a time.
    /// - Throws: `LogError` when the address is invalid.
    package init(
        address: String = "127.0.0.1", port: Int = 0, limits: Limits = Limits(),
        answer: @escaping @Sendable (HTTPRequestHead) -> HTTPReply
    ) throws {
        listener = try SocketListener(
            address: address, port: port, connectionLimit: limits.connections, refusal: Self.tooMany
        ) { stream, _ in
            stream.readLimit = limits.strangerTime
            stream.limitWrites(to: limits.writeTime)
            while Self.serveOne(stream, limits, answer) {}
        }
    }

    /// The port.
    package var port: Int { listener.port }

    /// Ends all connections and frees the port.
    package func stop() { listener.stop() }

    /// Answers a request; false when the connection is over.
    private static func serveOne(
        _ stream: SocketStream, _ limits: Limits, _ answer: (HTTPRequestHead) -> HTTPReply
    ) -> Bool {
        let bytes: [UInt8]
        switch stream.readHead(limit: limits.headBytes) {
        case .head(let head): bytes = head
        case .ended: return false
        case .broken: return refuse(stream, 408)
        case .tooLong: return refuse(stream, 431)
        }
        let head: HTTPRequestHead
        do throws(HTTPRequestHead.Refusal) {
            head = try HTTPRequestHead(parsing: bytes)
        } catch {
            return refuse(stream, error.status)
        }
        guard head.method == "GET" || head.method == "HEAD" else {
            return refuse(stream, 405, ["Allow": "GET, HEAD"])
        }
        guard head.length == 0, !head.isChunked else { return refuse(stream, 413) }
        let reply = answer(head)
        if reply.status < 400 {
            stream.trust()
            stream.readLimit = limits.headTime
        }
        return send(reply, stream, isPersistent: head.isPersistent, hasBody: head.method == "GET")
    }

    /// What a client is told that finds no place.
    private static let tooMany: [UInt8] = {
        let text = "Too many connections are open; close other pages of this server\n"
        return Array(
            ("HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Length: \(text.utf8.count)\r\nRetry-After: 5\r\nConnection: close\r\n\r\n\(text)")
                .utf8)
    }()

    private static func refuse(_ stream: SocketStream, _ status: Int, _ headers: HTTPHeaders = [:]) -> Bool {
        var reply = HTTPReply.text(status, HTTPReply.reason(status))
        for (name, value) in headers { reply.headers[name] = value }
        _ = send(reply, stream, isPersistent: false, hasBody: true)
        return false
    }

    private static func send(
        _ reply: HTTPReply, _ stream: SocketStream, isPersistent: Bool, hasBody: Bool
    ) -> Bool {
        var headers = reply.headers
        headers["Connection"] = isPersistent ? "keep-alive" : "close"
        switch reply.body {
        case .bytes(let bytes):
            headers["Content-Length"] = String(bytes.count)
            return stream.send(head(reply.status, headers) + (hasBody ? bytes : [])) && isPersistent
        case .stream(let write):
            if isPersistent { headers["Transfer-Encoding"] = "chunked" }
            guard stream.send(head(reply.status, headers)) else { return false }
            guard hasBody else { return isPersistent }
            let body = HTTPReplyStream(stream, isChunked: isPersistent)
            write(body)
            body.finish()
            return body.isOpen && isPersistent
        }
    }

    private static func head(_ status: Int, _ headers: HTTPHeaders) -> [UInt8] {
        precondition(headers.firstUnusableName == nil, "A reply's header field is invalid")
        var text = "HTTP/1.1 \(status) \(HTTPReply.reason(status))\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}
