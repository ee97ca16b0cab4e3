import CHeartwood
import Dispatch
import Heartwood
import HeartwoodHTTP

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A small HTTP/1.1 server on 127.0.0.1 that answers as it is told, failures included, and keeps what it got.
///
/// It takes a free port, serves every connection on a thread of its own, and stops when it is released. At most
/// ``requestLimit`` requests of at most ``bodyLimit`` bytes are kept; older ones go.
///
/// ```swift
/// // Then .ok for ever.
/// let server = try LoopbackServer(answers: [.status(503, headers: ["Retry-After": "1"]), .lost])
/// ```
public final class LoopbackServer: Sendable {
    /// How many requests are kept.
    public static let requestLimit = 100_000
    /// How long a request's body may be; a longer one is answered with 413.
    public static let bodyLimit = 64 * 1024 * 1024

    // MARK: Constants (any thread)

    /// The port that the system chose.
    public let port: Int
    private let listener: Int32

    // MARK: Guarded by 'state'

    struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Bool, Never>
    }
    struct State {
        var requests: [(request: LoopbackRequest, isStored: Bool)] = []
        var arrived = 0
        /// How many of them were read, or given up, and recorded.
        var recorded = 0
        var connections: Set<Int32> = []
        var connectionCount = 0
        var isStopped = false
        var waiters: [Int: Waiter] = [:]
        var waiterCount = 0
    }
    let state = Locked(State())

    /// Starts a server that asks `answer` what to do with each request, on any thread.
    ///
    /// - Throws: `LogError` when no socket could be had.
    public init(answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer) throws {
        (listener, port) = try Self.listen()
        let started = DetachedThread.start { [listener, state] in
            Self.accept(on: listener, state: state, answer: answer)
        }
        guard started else {
            close(listener)
            throw LogError(.network, "the system has no thread for the loopback server")
        }
    }

    /// Starts a server that gives these answers in turn, and then `rest` for ever.
    ///
    /// - Throws: `LogError` when no socket could be had.
    public convenience init(answers: [LoopbackAnswer] = [], then rest: LoopbackAnswer = .ok) throws {
        try self.init { request in request.index < answers.count ? answers[request.index] : rest }
    }

    deinit { stop() }

    /// `http://127.0.0.1:` and the port.
    public var address: String { "http://127.0.0.1:\(port)" }

    /// The requests that have arrived, in their order.
    public var requests: [LoopbackRequest] { state.withLock { $0.requests.map(\.request) } }

    /// Those of them whose content a server that answered so would have kept.
    public var stored: [LoopbackRequest] { state.withLock { $0.requests.filter(\.isStored).map(\.request) } }

    /// How many connections were made.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Waits until at least `count` requests have arrived in all, without occupying a thread.
    ///
    /// - Returns: whether they have; false when the server was stopped before, or `timeout` (30 s by default) is over.
    @discardableResult
    public func requests(reach count: Int, timeout: Duration = .seconds(30)) async -> Bool {
        await withCheckedContinuation { continuation in
            let (id, isThere) = state.withLock { state -> (Int?, Bool) in
                if state.recorded >= count || state.isStopped { return (nil, state.recorded >= count) }
                state.waiterCount += 1
                state.waiters[state.waiterCount] = Waiter(count: count, continuation: continuation)
                return (state.waiterCount, false)
            }
            guard let id else { return continuation.resume(returning: isThere) }
            let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
            DispatchQueue.global().asyncAfter(deadline: deadline) { [state] in
                let late = state.withLock { $0.waiters.removeValue(forKey: id) }
                late?.continuation.resume(returning: false)
            }
        }
    }

    /// Ends all connections and frees the port; a second call does nothing.
    public func stop() {
        let (waiters, wasStopped) = state.withLock { state in
            defer {
                state.isStopped = true
                state.waiters = [:]
            }
            // The connections' threads close them; here they only learn that it is over.
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            return (state.waiters, state.isStopped)
        }
        for waiter in waiters.values { waiter.continuation.resume(returning: false) }
        if !wasStopped { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    // MARK: The listening socket

    private static func listen() throws -> (Int32, Int) {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else {
            throw LogError(.network, "no socket for the loopback server", cause: hw_errno())
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && listenOn(descriptor, 128) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isListening else {
            let cause = hw_errno()
            close(descriptor)
            throw LogError(.network, "the loopback server cannot listen", cause: cause)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func accept(
        on listener: Int32, state: Locked<State>,
        answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) {
        while true {
            let descriptor = acceptConnection(listener)
            let error = hw_errno()
            let number = state.withLock { state -> Int? in
                guard !state.isStopped, descriptor >= 0 else { return nil }
                state.connections.insert(descriptor)
                defer { state.connectionCount += 1 }
                return state.connectionCount
            }
            if let number {
                let connection = LoopbackConnection(
                    descriptor: descriptor, number: number, state: state, answer: answer)
                if !DetachedThread.start({ connection.serve() }) { connection.close() }
                continue
            }
            if descriptor >= 0 { close(descriptor) }
            if state.withLock({ $0.isStopped }) || (error != EINTR && error != ECONNABORTED) { break }
        }
        close(listener)
    }
}

private func listenOn(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

private func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
