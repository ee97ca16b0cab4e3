import Heartwood
import HeartwoodHTTP

/// What must hold of the requests of a world, seen from all that were sent.
struct SimulatedRequests {
    private var bodies: [String: [UInt8]] = [:]
    private var seen: Set<Int> = []
    private var ids: [Int: String] = [:]
    private var highest = -1
    /// When attempts without progress were made, and when something asked for attempts.
    private var attempts: [Duration] = []
    private var repetitions: [String: [Duration]] = [:]
    private var pressures: [Duration] = []
    private var starts: [Duration] = []
    private(set) var count = 0
    /// How many refusals may still follow the last success of this process.
    private var refusalsAfterSuccess = 0

    /// Something happened that may cause attempts: a call of the user, a setting, a start, the network's return.
    mutating func press(at now: Duration) { pressures.append(now) }

    /// A process has started, or the logger was added again, which knows nothing of what earlier ones found out about the server.
    mutating func start(at now: Duration) {
        starts.append(now)
        refusalsAfterSuccess = 0
        press(at: now)
    }

    /// Looks at a request; returns what is wrong with it.
    ///
    /// `version` says which settings must be in force. `isOrderStrict` says that no message was ever refused: then all are
    /// sent in their order. A refused one is passed by, to find out whether the server takes others.
    ///
    /// `isRepeatedAlike` says that what was sent must come again alone. That is so unless a message was refused,
    /// something is confirmed later, or a write of the cursor failed while the process went on. Of a batch that could not
    /// be noted the next process knows nothing: its messages come again, with other neighbors and so under another
    /// key. The delivery goes on all the same, because it is what makes room on a full disk.
    mutating func inspect(
        _ request: HTTPRequest, _ numbers: [Int], version: Int, isOrderStrict: Bool, isRepeatedAlike: Bool
    ) -> String? {
        count += 1
        guard request.headers["Authorization"] == "Bearer token" else {
            return "a request without credentials"
        }
        if request.headers["X-Version"] != String(version) { return "a request with old settings" }
        guard let key = request.headers["Idempotency-Key"] else { return "a request without a key" }
        if let known = bodies[key], known != request.body { return "the same key with other bytes" }
        bodies[key] = request.body
        guard let first = numbers.first, let last = numbers.last else { return "a request without messages" }
        if !zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) {
            return "the order within a request was not kept"
        }
        let new = numbers.filter { !seen.contains($0) }
        if isOrderStrict, let first = new.first, first < highest { return "\(first) comes after \(highest)" }
        if isRepeatedAlike, !new.isEmpty, new.count < numbers.count {
            return "new messages share a request with old ones: \(first)...\(last)"
        }
        seen.formUnion(new)
        highest = max(highest, last)
        return nil
    }

    /// Looks at the ids by which a server may recognize messages: whatever becomes of their batch, they stay the same.
    mutating func inspect(_ entries: [RemoteEntry]) -> String? {
        for entry in entries {
            guard let number = Int(entry.text) else { return "a message without a number" }
            if let known = ids[number], known != entry.id { return "message \(number) with another id" }
            ids[number] = entry.id
        }
        return nil
    }

    /// The server has taken something: 20 messages that it refuses after that are set aside as bad, each found by halving.
    mutating func countSuccess() { refusalsAfterSuccess = 60 }

    /// Counts an attempt that the server has taken nothing of, and returns what is wrong.
    ///
    /// Few are made in any minute, but for those that something has asked for.
    ///
    /// With `isSearch` a message of it was refused as bad, or the request as too large, by a server that takes others: of
    /// such there are as many as the messages need, but the same one does not come again and again.
    mutating func countFailure(
        _ request: HTTPRequest, at now: Duration, interval: Duration, isSearch: Bool, isRefusal: Bool
    ) -> String? {
        pressures.removeAll { now - $0 > .seconds(60) }
        // A policy may try once per interval, which is drawn shorter by a tenth; pauses that grow come to less than 12.
        let limit = max(12, Int(.seconds(67) / interval))
        if isRefusal, refusalsAfterSuccess > 0 {
            refusalsAfterSuccess -= 1
        } else if !isSearch {
            attempts.append(now)
            attempts.removeAll { now - $0 > .seconds(60) }
            // To find out whether the server takes anything, up to 30 pieces are tried that it refuses; a process that
            // starts tries up to 15.
            starts.removeAll { now - $0 > .seconds(60) }
            if attempts.count > limit + 30 + 4 * pressures.count + 11 * starts.count {
                return "\(attempts.count) attempts without progress in a minute"
            }
        }
        let key = request.headers["Idempotency-Key"] ?? ""
        let times = (repetitions[key] ?? []).filter { now - $0 <= .seconds(60) } + [now]
        repetitions[key] = times
        return times.count > limit + 3 + 2 * pressures.count
            ? "the same request \(times.count) times in a minute" : nil
    }

    /// How many things of the last minute may have caused attempts.
    func pressures(since time: Duration) -> Int { pressures.reduce(0) { $0 + ($1 >= time ? 1 : 0) } }
}
