import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport

/// A scripted server: what it does with a request, what it has taken, and what it was sent.
struct SimulatedServer {
    enum Mode: CaseIterable {
        case accepts, refusesAll, refusesItems, fails, limits, unauthorized, misplaced, tooLarge
        case isLate, never, closes, losesAnswer, takesTwice
    }

    /// What comes back, and when; nil: no answer within the timeout.
    struct Reply {
        var delay: Duration
        var result: Result<HTTPResponse, HTTPTransportError>?
    }

    var mode = Mode.accepts
    /// Whether receipts are given, and what they stand for is taken only when it is asked for.
    let confirmsLater: Bool
    /// Messages that no server would take.
    let bad: Set<Int>
    private(set) var taken: Set<Int> = []
    /// How often it began to accept, and how often to refuse good messages.
    private(set) var hasAccepted = false
    private(set) var highestSeen = -1
    private var bodies: [String: [UInt8]] = [:]
    private var promised: [String: [Int]] = [:]
    private var receipts = 0

    init(confirmsLater: Bool, bad: Set<Int>) {
        self.confirmsLater = confirmsLater
        self.bad = bad
    }

    /// Looks at a request before anything is done with it; returns what is wrong with it.
    mutating func inspect(_ request: HTTPRequest) -> String? {
        guard request.headers["Authorization"] == "Bearer token" else {
            return "a request without credentials"
        }
        guard let key = request.headers["Idempotency-Key"] else { return nil }
        if let known = bodies[key], known != request.body { return "the same key with other bytes" }
        bodies[key] = request.body
        let new = Self.numbers(request.body).filter { $0 > highestSeen }
        let all = Self.numbers(request.body)
        if all != all.sorted() { return "the order within a request was not kept" }
        if let first = new.first, let last = all.first, first != last, !new.isEmpty,
            all.contains(where: { $0 < first })
        {
            return "new messages share a request with old ones"
        }
        if let last = new.last { highestSeen = last }
        return nil
    }

    static func numbers(_ body: [UInt8]) -> [Int] {
        String(decoding: body, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
    }

    mutating func answer(_ request: HTTPRequest, _ random: inout SeededGenerator) -> Reply {
        let numbers = Self.numbers(request.body)
        let soon = Duration.milliseconds(Int.random(in: 1...200, using: &random))
        func status(_ status: Int, _ headers: HTTPHeaders = [:], _ text: String = "") -> Reply {
            Reply(
                delay: soon,
                result: .success(HTTPResponse(status: status, headers: headers, body: Array(text.utf8))))
        }
        switch mode {
        case .accepts: return accept(numbers, status)
        case .refusesAll: return status(Bool.random(using: &random) ? 400 : 422)
        case .refusesItems: return status(200, [:], "items " + String(repeating: "-", count: numbers.count))
        case .fails: return status([500, 502, 503, 408][Int.random(in: 0..<4, using: &random)])
        case .limits:
            return status(429, ["Retry-After": String(Int.random(in: 0...120, using: &random))])
        case .unauthorized: return status(401)
        case .misplaced: return status(404)
        case .tooLarge: return numbers.count > 1 ? status(413) : accept(numbers, status)
        case .isLate:
            var reply = accept(numbers, status)
            reply.delay = .seconds(Int.random(in: 1...29, using: &random))
            return reply
        case .never: return Reply(delay: .seconds(30), result: .failure(HTTPTransportError(.timedOut, "")))
        case .closes:
            return Reply(delay: soon, result: .failure(HTTPTransportError(.connectionLost, "")))
        case .losesAnswer:
            _ = accept(numbers, status)
            return Reply(delay: soon, result: .failure(HTTPTransportError(.connectionLost, "")))
        case .takesTwice:
            _ = accept(numbers, status)
            return accept(numbers, status)
        }
    }

    private mutating func accept(
        _ numbers: [Int], _ status: (Int, HTTPHeaders, String) -> Reply
    ) -> Reply {
        if numbers.contains(where: { bad.contains($0) }) {
            return status(400, [:], "")
        }
        hasAccepted = true
        if confirmsLater {
            receipts += 1
            promised[String(receipts)] = numbers
            return status(200, [:], "receipt \(receipts)")
        }
        taken.formUnion(numbers)
        return status(200, [:], "")
    }

    /// Answers a question about receipts: confirmed messages are taken from then on.
    mutating func confirm(_ request: HTTPRequest, _ random: inout SeededGenerator) -> [String]? {
        if mode != .accepts && mode != .isLate { return nil }
        var confirmed: [String] = []
        for receipt in String(decoding: request.body, as: UTF8.self).split(separator: ",").map(String.init) {
            // Some it loses: they are never confirmed.
            guard let numbers = promised[receipt] else { continue }
            if Int.random(in: 0..<20, using: &random) == 0 {
                promised[receipt] = nil
                continue
            }
            guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
            taken.formUnion(numbers)
            promised[receipt] = nil
            confirmed.append(receipt)
        }
        return confirmed
    }
}
