import CHeartwood
import Heartwood

/// One accepted TCP connection: buffered reading, whole writes, and limits of time for both.
package final class SocketStream: @unchecked Sendable {  // used by the thread that serves the connection only
    package let descriptor: Int32
    private var input: [UInt8] = []
    /// How long the client may take to send what is read next; nil for any time.
    package var readLimit: Duration?
    private let clock = SystemClock()
    private let trusted: () -> Void

    package init(descriptor: Int32, trusted: @escaping () -> Void = {}) {
        self.descriptor = descriptor
        self.trusted = trusted
        SystemCalls.prepareConnection(descriptor)
    }

    /// Limits how long a write waits for a client that does not read.
    package func limitWrites(to duration: Duration) {
        _ = hw_limit_writes(descriptor, Int32(clamping: duration.components.seconds))
    }

    /// Says that the client may be here, so that its connection does not make room for those of others.
    package func trust() { trusted() }

    // MARK: Reading

    /// How a head was read.
    package enum HeadReading {
        /// The bytes of the head, its empty line not included.
        case head([UInt8])
        /// The client has closed its side, or was silent for too long, before the first byte of a request.
        case ended
        /// The connection broke in the middle of a head.
        case broken
        /// The head is longer than the limit.
        case tooLong
    }

    /// Reads up to the empty line that ends a request's head.
    package func readHead(limit: Int) -> HeadReading {
        let end: [UInt8] = [13, 10, 13, 10]
        let deadline = readLimit.map { clock.uptime() + $0 }
        var searched = 0
        while true {
            if let found = input[searched...].firstRange(of: end) {
                guard found.lowerBound <= limit else { return .tooLong }
                defer { input.removeSubrange(..<found.upperBound) }
                return .head(Array(input[..<found.lowerBound]))
            }
            searched = max(0, input.count - 3)
            guard input.count < limit + end.count else { return .tooLong }
            guard readMore(4096, until: deadline) else { return input.isEmpty ? .ended : .broken }
        }
    }

    /// Reads exactly so many bytes, in pieces of at most `piece`; nil when the connection ends before.
    ///
    /// `between` runs after each piece, and stops the reading by returning false.
    package func readBytes(_ count: Int, piece: Int = 262_144, between: () -> Bool = { true }) -> [UInt8]? {
        while input.count < count {
            let deadline = readLimit.map { clock.uptime() + $0 }
            guard readMore(piece, until: deadline), between() else { return nil }
        }
        defer { input.removeFirst(count) }
        return Array(input.prefix(count))
    }

    /// Reads a line that ends with CR LF, without it; nil if no line ends within `limit` bytes.
    package func readLine(limit: Int) -> [UInt8]? {
        while true {
            if let end = input.firstRange(of: [13, 10]) {
                defer { input.removeSubrange(..<end.upperBound) }
                return Array(input[..<end.lowerBound])
            }
            guard input.count < limit, readMore(limit, until: readLimit.map { clock.uptime() + $0 }) else {
                return nil
            }
        }
    }

    private func readMore(_ count: Int, until deadline: Duration?) -> Bool {
        if let deadline {
            let left = deadline - clock.uptime()
            guard left > .zero else { return false }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(clamping: left.nanoseconds / 1_000_000 + 1)
            let ready = poll(&entry, 1, milliseconds)
            if ready < 0 && hw_errno() == EINTR { return readMore(count, until: deadline) }
            guard ready > 0 else { return false }
        }
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let got = recv(descriptor, &buffer, count, 0)
            if got < 0 && hw_errno() == EINTR { continue }
            guard got > 0 else { return false }
            input.append(contentsOf: buffer.prefix(got))
            return true
        }
    }

    // MARK: Writing

    /// Writes a text whole; false when the client has gone or does not read.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Writes bytes whole; false when the client has gone or does not read.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let outcome = SystemCalls.writeWhole(bytes) { rest, _ throws(SystemFailure) in
                try SystemCalls().perform(.write) {
                    SystemCalls.sendQuietly(descriptor, rest)
                }
            }
            return outcome.failure == nil
        }
    }

    // MARK: Waiting and ending

    /// Makes the end of the connection a reset instead of an orderly close.
    package func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Has the system take no more than about so many bytes in advance.
    package func limitReceiveBuffer(to bytes: Int32) {
        var bytes = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout.size(ofValue: bytes)))
    }

    /// Waits; false when the client went or the connection was shut down meanwhile.
    package func pause(_ duration: Duration) -> Bool {
        let milliseconds = Int32(clamping: duration.nanoseconds / 1_000_000)
        guard milliseconds > 0 else { return true }
        var entry = pollfd(fd: descriptor, events: SystemCalls.hangUp, revents: 0)
        return poll(&entry, 1, milliseconds) == 0
    }
}
