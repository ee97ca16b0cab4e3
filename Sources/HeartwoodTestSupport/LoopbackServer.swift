import Dispatch
import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// A small HTTP/1.1 server on 127.0.0.1 for tests, which keeps all requests, and responds or fails as it is
/// told.
///
/// It takes a free port, serves every connection on a thread of its own, and stops when it is released. At
/// most 100,000 requests of at most 64 MiB are kept; older ones go.
///
/// ```swift
/// // Then .ok forever.
/// let server = try LoopbackServer(answers: [.status(503, headers: ["Retry-After": "1"]), .lost])
/// ```
public final class LoopbackServer: Sendable {
    /// The largest number of requests that are kept.
    static let requestLimit = 100_000
    /// The largest size of a request body in bytes; a larger one is rejected with status 413.
    static let bodyLimit = 64 * 1024 * 1024

    // MARK: Constants (any thread)

    /// The port, which the system chooses.
    package var port: Int { listener.port }
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

    /// Starts a server that calls `answer` for the response to each request, on any thread.
    ///
    /// - Throws: `LogError` when no socket could be had.
    public init(answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer) throws {
        listener = try SocketListener { [state] stream, number in
            LoopbackConnection(stream, number: number, state: state, answer: answer).serve()
        }
    }

    /// Starts a server that sends these responses in turn, and then `rest` for all further requests.
    ///
    /// - Throws: `LogError` when no socket could be had.
    public convenience init(answers: [LoopbackAnswer] = [], then rest: LoopbackAnswer = .ok) throws {
        try self.init { request in request.index < answers.count ? answers[request.index] : rest }
    }

    deinit { stop() }

    /// The address: `http://127.0.0.1:` and the port.
    public var address: String { "http://127.0.0.1:\(port)" }

    /// The requests, in the order of their arrival.
    public var requests: [LoopbackRequest] { state.withLock { $0.requests.map(\.request) } }

    /// The requests whose content the server has stored.
    public var stored: [LoopbackRequest] { state.withLock { $0.requests.filter(\.isStored).map(\.request) } }

    /// The number of connections so far.
    package var connectionCount: Int { listener.connectionCount }

    /// Suspends until at least `count` requests have arrived in total.
    ///
    /// - Returns: whether they have; false when the server was stopped before, or `timeout` (30 s by default)
    ///   is over.
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

    /// Closes all connections and the port; further calls do nothing.
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
