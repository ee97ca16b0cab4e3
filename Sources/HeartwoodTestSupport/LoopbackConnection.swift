import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// One connection of a ``LoopbackServer``: answers as it is told, faults included.
///
/// Used by the connection's own thread only.
final class LoopbackConnection {
    private let stream: SocketStream
    private let number: Int
    private let state: Locked<LoopbackServer.State>
    private let answer: @Sendable (LoopbackRequest) -> LoopbackAnswer

    init(
        _ stream: SocketStream, number: Int, state: Locked<LoopbackServer.State>,
        answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) {
        self.stream = stream
        self.number = number
        self.state = state
        self.answer = answer
    }

    /// Answers requests until one side ends the connection.
    func serve() {
        while serveOne() {}
    }

    private func serveOne() -> Bool {
        guard let head = readHead() else { return false }
        let index = state.withLock { state in
            defer { state.arrived += 1 }
            return state.arrived
        }
        let arrival = SystemClock().now()
        let announced = LoopbackRequest(
            index: index, connection: number, method: head.method, path: head.target, headers: head.headers,
            body: [], arrival: arrival)
        // What is done may depend on the body; the faults in reading do not.
        let early = answer(announced)
        switch early.fault {
        case .refused:
            keep(announced, early)
            stream.resetWhenClosed()
            return false
        case .resetWhileReading:
            _ = readBody(head, upTo: 16, rate: nil)
            keep(announced, early)
            stream.resetWhenClosed()
            return false
        default: break
        }
        if head.headers["Expect"]?.lowercased() == "100-continue" {
            stream.send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        guard let body = readBody(head, upTo: nil, rate: early.readingRate) else {
            keep(announced, .status(400))
            return false
        }
        let request = LoopbackRequest(
            index: index, connection: number, method: head.method, path: head.target, headers: head.headers,
            body: body, arrival: arrival)
        let decided = head.length == 0 && head.isChunked == false ? early : answer(request)
        keep(request, decided)
        guard stream.pause(decided.delay) else { return false }
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

    private func readHead() -> HTTPRequestHead? {
        guard case .head(let bytes) = stream.readHead(limit: 65_536) else { return nil }
        do throws(HTTPRequestHead.Refusal) {
            return try HTTPRequestHead(parsing: bytes)
        } catch {
            stream.send(
                "HTTP/1.1 \(error.status) Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return nil
        }
    }

    private func readBody(_ head: HTTPRequestHead, upTo limit: Int?, rate: Int?) -> [UInt8]? {
        if head.isChunked { return readChunks() }
        if head.length > LoopbackServer.bodyLimit {
            stream.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return nil
        }
        let wanted = min(head.length, limit ?? head.length)
        guard let rate else { return stream.readBytes(wanted) }
        // What the system takes in advance would seem to have arrived.
        if rate < 512_000 { stream.limitReceiveBuffer(to: 8192) }
        let piece = min(512, max(1, rate / 50))
        return stream.readBytes(wanted, piece: piece) {
            stream.pause(.nanoseconds(1_000_000_000 * piece / rate))
        }
    }

    private func readChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            guard let line = stream.readLine(limit: 1024),
                let size = Int(String(decoding: line, as: UTF8.self), radix: 16), size >= 0,
                size <= LoopbackServer.bodyLimit - body.count,
                let chunk = stream.readBytes(size + 2, piece: 65_536)
            else { return nil }
            body.append(contentsOf: chunk.dropLast(2))
            if size == 0 { return body }
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
            stream.resetWhenClosed()
            return false
        case .silence:
            while stream.pause(.seconds(60)) {}
            return false
        case .garbage:
            stream.send("\u{1}\u{2}this is not HTTP\r\n\r\n")
            return false
        case .endlessHeader:
            stream.send("HTTP/1.1 200 OK\r\n")
            while stream.send("X-More: " + String(repeating: "a", count: 1000) + "\r\n") {}
            return false
        case .resetInAnswer, .shorterThanSaid: length += 100
        case .longerThanSaid: body += Array(repeating: UInt8(ascii: "x"), count: 100)
        case .trickle: break
        case .filler(let bytes): length = bytes
        }
        headers["Content-Length"] = String(length)
        var text = "HTTP/1.1 \(answer.status) Answer\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        guard stream.send(text + "\r\n") else { return false }
        return give(body, answer.fault)
    }

    private func give(_ body: [UInt8], _ fault: LoopbackAnswer.Fault) -> Bool {
        switch fault {
        case .trickle(let interval):
            for byte in body {
                guard stream.send([byte]), stream.pause(interval) else { return false }
            }
            return true
        case .filler(let bytes):
            let zeros = [UInt8](repeating: 0, count: 65_536)
            var left = bytes
            while left > 0 {
                guard stream.send(Array(zeros.prefix(left))) else { return false }
                left -= zeros.count
            }
            return true
        case .resetInAnswer:
            stream.send(body)
            stream.resetWhenClosed()
            return false
        case .longerThanSaid, .shorterThanSaid:
            stream.send(body)
            return false
        default: return stream.send(body)
        }
    }
}
