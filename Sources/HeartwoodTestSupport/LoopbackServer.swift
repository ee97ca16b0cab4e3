import Dispatch
import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// A small HTTP/1.1 server on 127.0.0.1 that answers as it is told, failures included, and keeps what it got.
///
/// It takes a free port, serves every connection on a thread of its own, and stops when it is released. At most
/// ``requestLimit`` requests of at most ``bodyLimit`` bytes are kept; older ones go.
///
/// ```swift
/// // Then .ok forever.
/// let server = try LoopbackServer(answers: [.status(503, headers: ["Retry-After": "1"]), .lost])
/// ```
public final class LoopbackServer: Sendable {
    /// How many requests are kept.
    public static let requestLimit = 100_000
    /// How long a request's body may be; a longer one is answered with 413.
    public static let bodyLimit = 64 * 1024 * 1024

    // MARK: Constants (any thread)

    /// The port that the system chose.
    public var port: Int { listener.port }
    private let listener: SocketListener

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
        var isStopped = false
        var waiters: [Int: Waiter] = [:]
        var waiterCount = 0
    }
    let state = Locked(State())

    /// Starts a server that asks `answer` what to do with each request, on any thread.
    ///
    /// - Throws: `LogError` when no socket could be had.
    public init(answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer) throws {
        listener = try SocketListener { [state] stream, number in
            LoopbackConnection(stream, number: number, state: state, answer: answer).serve()
        }
    }

    /// Starts a server that gives these answers in turn, and then `rest` forever.
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
    public var connectionCount: Int { listener.connectionCount }

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
        let waiters = state.withLock { state in
            defer {
                state.isStopped = true
                state.waiters = [:]
            }
            return state.waiters
        }
        for waiter in waiters.values { waiter.continuation.resume(returning: false) }
        listener.stop()
    }
}
