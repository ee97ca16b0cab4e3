import Heartwood

/// Writes the body of an answer in chunks, while it is made.
///
/// Used on the connection's thread only.
package final class HTTPReplyStream {
    private let stream: SocketStream
    private let isChunked: Bool
    /// Whether the client takes more.
    private(set) var isOpen = true
    private var owner = ThreadOwner("the body of an answer")

    init(_ stream: SocketStream, isChunked: Bool) {
        self.stream = stream
        self.isChunked = isChunked
    }

    /// Writes a piece; false when the client has gone, does not read, or the server is being stopped.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        owner.enter()
        guard isOpen else { return false }
        guard !bytes.isEmpty else { return true }
        if isChunked {
            isOpen = stream.send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
        } else {
            isOpen = stream.send(bytes)
        }
        return isOpen
    }

    /// Waits; false when the client has gone or the server is being stopped.
    package func pause(_ duration: Duration) -> Bool {
        owner.enter()
        if isOpen { isOpen = stream.pause(duration) }
        return isOpen
    }

    /// Writes the end of the body.
    func finish() { if isOpen, isChunked { isOpen = stream.send("0\r\n\r\n") } }
}
