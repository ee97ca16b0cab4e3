import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// A transport whose requests are answered by the test, in any order and as late as it wants.
final class HeldTransport: HTTPTransport {
    private struct State {
        var requests: [HTTPRequest] = []
        var held: [Int: CheckedContinuation<Result<HTTPResponse, HTTPTransportError>, Never>] = [:]
    }

    private let state = Locked(State())
    private let arrivals = Gate(isOpen: true)

    /// What was sent, in its order.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let result = await withCheckedContinuation { continuation in
            state.withLock { state in
                state.held[state.requests.count] = continuation
                state.requests.append(request)
            }
            arrivals.pass()
        }
        return try result.get()
    }

    /// Waits until so many requests were sent.
    func waitForRequests(_ count: Int) -> Bool { arrivals.waitForArrival(of: count) }

    /// Has a request that waits fail.
    func fail(_ number: Int, _ reason: HTTPTransportError.Reason) {
        let error = HTTPTransportError(reason, "\(reason)")
        state.withLock { $0.held.removeValue(forKey: number) }?.resume(returning: .failure(error))
    }

    /// Answers a request that waits.
    func answer(_ number: Int, _ response: HTTPResponse) {
        state.withLock { $0.held.removeValue(forKey: number) }?.resume(returning: .success(response))
    }
}

extension HTTPBench {
    /// Whether an attempt is under way, once everything before is handled; with a ``HeldTransport`` it stays so.
    func isSending() async -> Bool {
        let logger = logger
        return await withCheckedContinuation { continuation in
            logger.performInOrder { continuation.resume(returning: logger.runtime.shell.isBusy) }
        }
    }
}
