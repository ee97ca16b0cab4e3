import CHeartwood
import Heartwood
import HeartwoodHTTP

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One connection of a ``LoopbackServer``, served on a thread of its own until it ends.
final class LoopbackConnection: @unchecked Sendable {  // used by its own thread only
    private let descriptor: Int32
    private let number: Int
    private let state: Locked<LoopbackServer.State>
    private let answer: @Sendable (LoopbackRequest) -> LoopbackAnswer
    private var input: [UInt8] = []

    init(
        descriptor: Int32, number: Int, state: Locked<LoopbackServer.State>,
        answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) {
        self.descriptor = descriptor
        self.number = number
        self.state = state
        self.answer = answer
        var on: Int32 = 1
        setsockopt(descriptor, 6 /* TCP */, TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Answers requests until one side ends the connection.
    func serve() {
        while serveOne() {}
        close()
    }

    /// Ends the connection without serving it any more.
    func close() {
        state.withLock { _ = $0.connections.remove(descriptor) }
        closeDescriptor(descriptor)
    }

    private func serveOne() -> Bool {
        guard let head = readHead() else { return false }
        let index = state.withLock { state in
            defer { state.arrived += 1 }
            return state.arrived
        }
        let arrival = SystemClock().now()
        let announced = LoopbackRequest(
            index: index, connection: number, method: head.method, path: head.path, headers: head.headers,
            body: [], arrival: arrival)
        // What is done may depend on the body; the faults in reading do not.
        let early = answer(announced)
        switch early.fault {
        case .refused:
            keep(announced, early)
            reset()
            return false
        case .resetWhileReading:
            _ = readBody(head, upTo: 16, slowly: false)
            keep(announced, early)
            reset()
            return false
        default: break
        }
        if head.headers["Expect"]?.lowercased() == "100-continue" { send("HTTP/1.1 100 Continue\r\n\r\n") }
        guard let body = readBody(head, upTo: nil, slowly: early.readsSlowly) else {
            keep(announced, .status(400))
            return false
        }
        let request = LoopbackRequest(
            index: index, connection: number, method: head.method, path: head.path, headers: head.headers,
            body: body, arrival: arrival)
        let decided = head.length == 0 && head.isChunked == false ? early : answer(request)
        keep(request, decided)
        guard pause(decided.delay) else { return false }
        return give(decided)
    }

    /// Records the request and wakes those who wait for it.
    private func keep(_ request: LoopbackRequest, _ answer: LoopbackAnswer) {
        let ready = state.withLock { state in
            state.requests.append((request, answer.isStored))
            if state.requests.count > LoopbackServer.requestLimit { state.requests.removeFirst() }
            state.recorded += 1
            let recorded = state.recorded
            let ready = state.waiters.filter { $0.value.count <= recorded }
            for id in ready.keys { state.waiters[id] = nil }
            return ready
        }
        for waiter in ready.values { waiter.continuation.resume(returning: true) }
    }

    // MARK: Reading

    private struct Head {
        var method = ""
        var path = ""
        var headers = HTTPHeaders()
        var length = 0
        var isChunked = false
    }

    private func readHead() -> Head? {
        while true {
            if let end = input.firstRange(of: Array("\r\n\r\n".utf8)) {
                let text = String(decoding: input[..<end.lowerBound], as: UTF8.self)
                input.removeSubrange(..<end.upperBound)
                return parse(text)
            }
            guard input.count < 65_536, readMore(4096) else { return nil }
        }
    }

    private func parse(_ text: String) -> Head? {
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        guard !lines.isEmpty else { return nil }
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3 else { return nil }
        var head = Head(method: String(words[0]), path: String(words[1]))
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            head.headers[String(line[..<colon])] = String(
                line[line.index(after: colon)...].drop { $0 == " " })
        }
        head.length = head.headers["Content-Length"].flatMap { Int($0) } ?? 0
        head.isChunked = head.headers["Transfer-Encoding"]?.lowercased() == "chunked"
        return head.length < 0 ? nil : head
    }

    private func readBody(_ head: Head, upTo limit: Int?, slowly: Bool) -> [UInt8]? {
        if head.isChunked { return readChunks() }
        if head.length > LoopbackServer.bodyLimit {
            send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return nil
        }
        let wanted = min(head.length, limit ?? head.length)
        while input.count < wanted {
            guard readMore(slowly ? 512 : 262_144), !slowly || pause(.milliseconds(1)) else { return nil }
        }
        defer { input.removeFirst(wanted) }
        return Array(input.prefix(wanted))
    }

    private func readChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            guard let line = readLine(), let size = Int(line, radix: 16), size >= 0,
                body.count + size <= LoopbackServer.bodyLimit
            else { return nil }
            while input.count < size + 2 { guard readMore(65_536) else { return nil } }
            body.append(contentsOf: input.prefix(size))
            input.removeFirst(size + 2)
            if size == 0 { return body }
        }
    }

    private func readLine() -> String? {
        while true {
            if let end = input.firstRange(of: [13, 10]) {
                defer { input.removeSubrange(..<end.upperBound) }
                return String(decoding: input[..<end.lowerBound], as: UTF8.self)
            }
            guard input.count < 1024, readMore(1024) else { return nil }
        }
    }

    private func readMore(_ count: Int) -> Bool {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let got = recv(descriptor, &buffer, count, 0)
            if got < 0 && hw_errno() == EINTR { continue }
            guard got > 0 else { return false }
            input.append(contentsOf: buffer.prefix(got))
            return true
        }
    }

    // MARK: Answering

    /// Sends the answer; returns whether the connection can go on.
    private func give(_ answer: LoopbackAnswer) -> Bool {
        var headers = answer.headers
        var body = answer.body
        var length = body.count
        switch answer.fault {
        case .honest: break
        case .lost, .refused, .resetWhileReading:
            reset()
            return false
        case .silence:
            while pause(.seconds(60)) {}
            return false
        case .garbage:
            send("\u{1}\u{2}this is not HTTP\r\n\r\n")
            return false
        case .endlessHeader:
            send("HTTP/1.1 200 OK\r\n")
            while send("X-More: " + String(repeating: "a", count: 1000) + "\r\n") {}
            return false
        case .resetInAnswer, .shorterThanSaid: length += 100
        case .longerThanSaid: body += Array(repeating: UInt8(ascii: "x"), count: 100)
        case .trickle: break
        case .filler(let bytes): length = bytes
        }
        headers["Content-Length"] = String(length)
        var text = "HTTP/1.1 \(answer.status) Answer\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        guard send(text + "\r\n") else { return false }
        return give(body, answer.fault)
    }

    private func give(_ body: [UInt8], _ fault: LoopbackAnswer.Fault) -> Bool {
        switch fault {
        case .trickle(let interval):
            for byte in body {
                guard send([byte]), pause(interval) else { return false }
            }
            return true
        case .filler(let bytes):
            let zeros = [UInt8](repeating: 0, count: 65_536)
            var left = bytes
            while left > 0 {
                guard send(Array(zeros.prefix(left))) else { return false }
                left -= zeros.count
            }
            return true
        case .resetInAnswer:
            send(body)
            reset()
            return false
        case .longerThanSaid, .shorterThanSaid:
            send(body)
            return false
        default: return send(body)
        }
    }

    @discardableResult
    private func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    private func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
                #if canImport(Darwin)
                return hw_write_quietly(descriptor, rest.baseAddress, rest.count)
                #else
                return sendBytes(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            if count < 0 && hw_errno() == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Makes the end of the connection a reset instead of an orderly close.
    private func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Waits; false when the client went or the server was stopped meanwhile.
    private func pause(_ duration: Duration) -> Bool {
        let milliseconds = Int32(clamping: duration.nanoseconds / 1_000_000)
        guard milliseconds > 0 else { return true }
        var entry = pollfd(fd: descriptor, events: hangUp, revents: 0)
        let result = poll(&entry, 1, milliseconds)
        return result == 0
    }
}

private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

#if !canImport(Darwin)
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
#endif

/// poll(2)'s event for a client that has ended its side; it has no name in Swift, and none on Apple's systems.
private var hangUp: Int16 {
    #if canImport(Darwin)
    0
    #else
    0x2000
    #endif
}
