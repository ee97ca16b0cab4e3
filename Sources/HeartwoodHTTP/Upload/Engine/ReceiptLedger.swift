import Heartwood

/// Pieces that a server has received and not yet confirmed, and when it is asked about them.
struct ReceiptLedger: Sendable {
    private struct Entry: Sendable {
        var receipt: String
        var records: Int
        var since: Duration
    }

    /// How many pieces may be unconfirmed before nothing more is sent.
    static let limit = 8
    private static let pause = GrowingPause(first: .seconds(1), longest: .seconds(10))
    /// How long it is between two questions while the process waits to end.
    private static let shortDelay = Duration.milliseconds(200)

    private var entries: [Entry] = []
    private var nextPoll: Duration?
    /// How often in a row the server has confirmed nothing.
    private var silences = 0
    private var isPolling = false
    private var isHurried = false

    /// How many messages are in unconfirmed pieces.
    var records: Int { entries.reduce(0) { $0 + $1.records } }
    /// Whether so many pieces are unconfirmed that no more are sent.
    var isFull: Bool { entries.count >= Self.limit }
    /// Whether nothing is unconfirmed.
    var isEmpty: Bool { entries.isEmpty }
    /// The receipts of all of them.
    var receipts: [String] { entries.map(\.receipt) }
    /// When the server is to be asked; nil when it is not, or is being asked.
    var pollTime: Duration? { entries.isEmpty || isPolling ? nil : nextPoll }

    /// A piece was received; returns whether it replaces an earlier one with the same receipt, which the
    /// server has forgotten.
    @discardableResult
    mutating func add(_ receipt: String, _ records: Int, at now: Duration) -> Bool {
        let count = entries.count
        entries.removeAll { $0.receipt == receipt }
        let isReplacing = entries.count < count
        entries.append(Entry(receipt: receipt, records: records, since: now))
        if nextPoll == nil { nextPoll = now + delay }
        return isReplacing
    }

    private var delay: Duration { isHurried ? Self.shortDelay : Self.pause.ceiling(failures: silences + 1) }

    /// The process waits to end: the server is asked at once, and often.
    mutating func hurry(at now: Duration) {
        isHurried = true
        if nextPoll != nil { nextPoll = now }
    }

    /// The server is being asked.
    mutating func polling() { isPolling = true }

    /// It has confirmed these; returns those of them that were unconfirmed, and how many messages they have.
    mutating func polled(_ confirmed: [String], at now: Duration) -> (receipts: [String], records: Int) {
        isPolling = false
        let known = Set(confirmed)
        let settled = entries.filter { known.contains($0.receipt) }
        entries.removeAll { known.contains($0.receipt) }
        silences = settled.isEmpty ? silences + 1 : 0
        nextPoll = entries.isEmpty ? nil : now + delay
        return (settled.map(\.receipt), settled.reduce(0) { $0 + $1.records })
    }

    /// Takes out what was unconfirmed for longer than `timeout`.
    mutating func expire(_ timeout: Duration, at now: Duration) -> [String] {
        let late = entries.filter { now - $0.since >= timeout }
        entries.removeAll { now - $0.since >= timeout }
        if entries.isEmpty { nextPoll = nil }
        return late.map(\.receipt)
    }

    /// Forgets everything.
    mutating func removeAll() {
        let isHurried = isHurried
        self = ReceiptLedger()
        self.isHurried = isHurried
    }
}
