import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport

/// A scripted server: what it does with a request, and what it has taken.
struct SimulatedServer {
    enum Mode: CaseIterable {
        case accepts, refusesAll, refusesItems, mixesItems, fails, limits, unauthorized, misplaced, tooLarge
        case isLate, never, closes, losesAnswer, takesTwice
        case tooLargeForNow, losesThenSplits

        /// Those that a server is in by chance.
        static let usual = allCases.filter { $0 != .tooLargeForNow && $0 != .losesThenSplits }
    }

    /// What comes back, and when.
    struct Reply {
        var delay: Duration
        var result: Result<HTTPResponse, HTTPTransportError>
    }

    var mode = Mode.accepts
    /// Whether receipts are given, and the messages are taken only when they are confirmed.
    let confirmsLater: Bool
    /// Messages that no server would take.
    private(set) var bad: Set<Int>
    private(set) var taken: Set<Int> = []
    /// Messages that were taken again.
    private(set) var repeated: Set<Int> = []
    /// Whether it has ever taken something.
    private(set) var hasAccepted = false
    /// Whether it has ever refused a request because of its messages, or a good message.
    private(set) var hasRefused = false
    private(set) var hasRefusedGood = false
    private var promised: [String: [Int]] = [:]
    private var receipts = 0

    init(confirmsLater: Bool, bad: Set<Int>) {
        self.confirmsLater = confirmsLater
        self.bad = bad
    }

    /// Draws messages that no server would take: none, some here and there, or many in a row.
    static func drawBad(_ random: inout SeededGenerator) -> Set<Int> {
        func dice(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }
        switch dice(6) {
        case 0: return Set((0...dice(6)).map { _ in dice(60) })
        case 1:
            let first = dice(50)
            return Set(first...first + dice(dice(4) == 0 ? 60 : 8))
        default: return []
        }
    }

    static func numbers(_ body: [UInt8]) -> [Int] {
        var numbers: [Int] = []
        var number: Int?
        for byte in body {
            if byte == UInt8(ascii: "\n") {
                if let known = number { numbers.append(known) }
                number = nil
            } else {
                number = (number ?? 0) * 10 + Int(byte) - 48
            }
        }
        if let number { numbers.append(number) }
        return numbers
    }

    /// Takes every message from that number on.
    mutating func takeAll(from number: Int) { bad = bad.filter { $0 < number } }

    /// It knows nothing of its receipts any more.
    mutating func restart() { promised = [:] }

    mutating func answer(_ numbers: [Int], _ random: inout SeededGenerator) -> Reply {
        let soon = Duration.milliseconds(Int.random(in: 1...200, using: &random))
        func status(_ status: Int, _ headers: HTTPHeaders = [:], _ text: String = "") -> Reply {
            Reply(
                delay: soon,
                result: .success(HTTPResponse(status: status, headers: headers, body: Array(text.utf8))))
        }
        switch mode {
        case .accepts: return accept(numbers, status)
        case .refusesAll:
            refused(numbers)
            return status(Bool.random(using: &random) ? 400 : 422)
        case .refusesItems:
            refused(numbers)
            return status(200, [:], "items " + String(repeating: "-", count: numbers.count))
        case .mixesItems:
            let items = numbers.map { bad.contains($0) ? "-" : Bool.random(using: &random) ? "+" : "?" }
            for (number, item) in zip(numbers, items) where item == "+" { take([number]) }
            if items.contains("-") { hasRefused = true }
            // What it says of single messages is about these, and not about its address.
            if items.contains("+") || items.contains("?") { hasAccepted = true }
            return status(200, [:], "items " + items.joined())
        case .fails: return status([500, 502, 503, 408][Int.random(in: 0..<4, using: &random)])
        case .limits:
            return status(429, ["Retry-After": String(Int.random(in: 0...120, using: &random))])
        case .unauthorized: return status(401)
        case .misplaced: return status(404)
        case .tooLarge:
            if numbers.count == 1 { return accept(numbers, status) }
            hasRefused = true
            return status(413)
        case .tooLargeForNow:
            hasRefused = true
            return status(413, ["Retry-After": String(Int.random(in: 0...120, using: &random))])
        case .losesThenSplits:
            if numbers.allSatisfy(taken.contains) {
                // It has them, but the answer that said so was lost, and now it finds them too large together.
                if numbers.count == 1 { return accept(numbers, status) }
                hasRefused = true
                return status(413)
            }
            _ = accept(numbers, status)
            return Reply(delay: soon, result: .failure(HTTPTransportError(.connectionLost, "")))
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

    private mutating func refused(_ numbers: [Int]) {
        hasRefused = true
        if numbers.contains(where: { !bad.contains($0) }) { hasRefusedGood = true }
    }

    private mutating func take(_ numbers: [Int]) {
        hasAccepted = true
        for number in numbers where !taken.insert(number).inserted { repeated.insert(number) }
    }

    private mutating func accept(
        _ numbers: [Int], _ status: (Int, HTTPHeaders, String) -> Reply
    ) -> Reply {
        if numbers.contains(where: { bad.contains($0) }) {
            hasRefused = true
            return status(400, [:], "")
        }
        guard confirmsLater else {
            take(numbers)
            return status(200, [:], "")
        }
        hasAccepted = true
        receipts += 1
        promised[String(receipts)] = numbers
        return status(200, [:], "receipt \(receipts)")
    }

    /// Answers a question about receipts: confirmed messages are taken from then on.
    mutating func confirm(_ request: HTTPRequest, _ random: inout SeededGenerator) -> [String]? {
        if mode != .accepts && mode != .isLate { return nil }
        var confirmed: [String] = []
        for receipt in String(decoding: request.body, as: UTF8.self).split(separator: ",").map(String.init) {
            guard let numbers = promised[receipt] else { continue }
            // Some it loses: they are never confirmed.
            if Int.random(in: 0..<20, using: &random) == 0 {
                promised[receipt] = nil
                continue
            }
            guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
            take(numbers)
            promised[receipt] = nil
            confirmed.append(receipt)
        }
        return confirmed
    }
}
