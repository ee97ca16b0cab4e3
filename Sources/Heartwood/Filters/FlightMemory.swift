/// The messages that a flight recorder holds back for one logger.
///
/// Owned by the thread that runs the logger's hooks. Invariants:
/// 1. Each message is in one track, in the order in which it came, and its number says so.
/// 2. `size` is the sum of what the messages of all tracks occupy; it never exceeds the limit after a call.
/// 3. There are no empty tracks, and no more than `mostTracks`: the one goes whose newest message is the
///    oldest.
struct FlightMemory {
    /// Messages that are released together.
    struct Record {
        var messages: [LogMessage] = []
        /// How many more there were, which the limits have discarded.
        var gone = 0
    }

    private struct Track {
        var messages = Deque<(number: UInt64, message: LogMessage)>()
        var gone = 0

        var firstNumber: UInt64 { messages.first?.number ?? .max }
        var lastNumber: UInt64 { messages.last?.number ?? 0 }
        var size: Int { messages.reduce(0) { $0 + $1.message.storage.footprint } }

        /// Lets the oldest go, and returns what it occupied.
        mutating func removeFirst() -> Int {
            gone += 1
            return messages.popFirst()?.message.storage.footprint ?? 0
        }
    }

    static let mostTracks = 256

    let recorder: FlightRecorder
    private var tracks: [String: Track] = [:]
    private var number: UInt64 = 0
    private(set) var size = 0

    init(_ recorder: FlightRecorder) {
        self.recorder = recorder
    }

    var count: Int { tracks.values.reduce(0) { $0 + $1.messages.count } }

    /// Whether a message is to be held back.
    func holds(_ message: LogMessage) -> Bool { recorder.heldLevels.contains(message.level) }

    /// Holds a message back; returns how many others had to go for it, or it itself.
    mutating func hold(_ message: LogMessage) -> Int {
        let key = key(of: message)
        var gone = 0
        if tracks[key] == nil, tracks.count >= FlightMemory.mostTracks,
            let stalest = tracks.min(by: { $0.value.lastNumber < $1.value.lastNumber })
        {
            gone += stalest.value.messages.count
            size -= stalest.value.size
            tracks[stalest.key] = nil
        }
        let message = message.compact
        number += 1
        size += message.storage.footprint
        let most = recorder.capacity
        tracks[key, default: Track()].messages.append((number, message))
        while tracks[key, default: Track()].messages.count > most { gone += removeOldest(of: key) }
        while recorder.memoryLimit > .zero, size > recorder.memoryLimit.bytes,
            let oldest = tracks.min(by: { $0.value.firstNumber < $1.value.firstNumber })?.key
        {
            gone += removeOldest(of: oldest)
        }
        return gone
    }

    private mutating func removeOldest(of key: String) -> Int {
        size -= tracks[key]?.removeFirst() ?? 0
        if tracks[key]?.messages.isEmpty == true { tracks[key] = nil }
        return 1
    }

    /// Takes what belongs to a message, in its order; nothing where it is no trigger.
    mutating func take(for message: LogMessage) -> Record? {
        guard recorder.triggers.contains(message.level) else { return nil }
        let key = key(of: message)
        let keys = tracks.keys.filter { isRelated($0, key) }
        return take(keys)
    }

    /// Takes everything, in its order.
    mutating func takeAll() -> Record { take(Array(tracks.keys)) }

    private mutating func take(_ keys: [String]) -> Record {
        var record = Record()
        var all: [(number: UInt64, message: LogMessage)] = []
        for key in keys {
            guard let track = tracks.removeValue(forKey: key) else { continue }
            all += track.messages
            record.gone += track.gone
        }
        if keys.count > 1 { all.sort { $0.number < $1.number } }
        record.messages = all.map(\.message)
        size -= record.messages.reduce(0) { $0 + $1.storage.footprint }
        return record
    }

    // MARK: What belongs together

    private func key(of message: LogMessage) -> String {
        let name: String
        switch recorder.scope {
        case .everything: return ""
        case .recording: name = FlightRecorder.field
        case .field(let field): name = field
        }
        var buffer = LogBuffer(capacity: 32)
        return buffer.appendKey(Array(name.utf8), of: message) ? buffer.text : ""
    }

    /// Whether one is the other, or around it: `17`, `17/18`.
    private func isRelated(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        if recorder.scope != .recording || one.isEmpty || other.isEmpty { return false }
        return one.hasPrefix(other + "/") || other.hasPrefix(one + "/")
    }
}
