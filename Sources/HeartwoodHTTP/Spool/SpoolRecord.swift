package import Heartwood
import HeartwoodArchive

/// What the spool keeps of a message: its bytes, which the spool does not look into, and what it is sorted
/// by.
package struct SpoolRecord: Sendable, Equatable {
    /// The largest payload that a spool takes unless its settings say otherwise.
    package static let payloadLimit = 1_048_576
    /// The largest payload that any spool takes; what claims to be larger is damaged.
    package static let largestPayload = 64 << 20
    /// The largest id; what claims to have a larger one is damaged, so that no sum of ids overflows.
    static let largestID = UInt64(1) << 62

    /// The record's number: from 1, growing.
    ///
    /// It is used again only where neither the files nor the cursor could keep it: ``checksum`` tells the two
    /// apart.
    package var id: UInt64
    /// When the message was logged.
    package var time: LogTimestamp
    /// The bit of the message's level: 0 is the gravest.
    package var level: UInt8
    /// The bytes.
    package var payload: [UInt8]
    /// The record's mark in the crash journal, until it is saved; 0 without one.
    package var mark: UInt64 = 0

    /// Describes a record.
    package init(id: UInt64, time: LogTimestamp, level: UInt8, payload: [UInt8]) {
        self.id = id
        self.time = time
        self.level = level
        self.payload = payload
    }

    /// A checksum of the bytes and the time, which tells records with the same id apart.
    var checksum: UInt32 {
        var stamp: [UInt8] = []
        SpoolFrame.append(UInt64(bitPattern: time.nanoseconds), to: &stamp)
        return CRC32C.checksum(stamp, from: CRC32C.checksum(payload))
    }
}

/// Records in memory, in the order of their ids.
struct RecordQueue {
    /// Some of the records, one after the other.
    typealias Run = Deque<SpoolRecord>.SubSequence

    private var records = Deque<SpoolRecord>()
    /// How many bytes the records take as frames.
    private(set) var bytes = 0

    var count: Int { records.count }
    var isEmpty: Bool { records.isEmpty }
    var first: SpoolRecord? { records.first }
    var all: Run { records[...] }

    mutating func append(_ record: SpoolRecord) {
        bytes += SpoolFrame.size(of: record)
        records.append(record)
    }

    mutating func removeFirst(_ number: Int) {
        for record in records.prefix(number) { bytes -= SpoolFrame.size(of: record) }
        records.removeFirst(number)
    }

    /// Removes the records for which `isGone` is true; returns how many.
    mutating func removeAll(where isGone: (SpoolRecord) -> Bool) -> Int {
        let before = count
        records.removeAll(where: isGone)
        bytes = records.reduce(0) { $0 + SpoolFrame.size(of: $1) }
        return before - count
    }

    /// The records from `id` on.
    func from(_ id: UInt64) -> Run {
        var low = 0
        var high = records.count
        while low < high {
            let middle = (low + high) / 2
            if records[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return records[low...]
    }
}

/// What goes into one request: a batch, or a part of one, with a key by which a repetition is recognized.
package struct SpoolPiece: Sendable, Equatable {
    /// The ids between which the records lie.
    package let range: ClosedRange<UInt64>
    /// The records, in their order; never empty.
    package let records: [SpoolRecord]
    /// A key names the same records always, after restarts too.
    package let key: String
    /// The identity of the spool that it came from.
    let origin: [UInt8]

    /// Makes a piece of the spool `origin`, which is its identity.
    init(range: ClosedRange<UInt64>, records: [SpoolRecord], origin: [UInt8]) {
        self.range = range
        self.records = records
        self.origin = origin
        key = Self.key(records, identity: origin)
    }

    /// A hash of the spool's identity and of each record's id and checksum.
    ///
    /// The ids alone would not do: after a failed write of the cursor, or when files are lost, a later
    /// process may use ids again that were sent.
    static func key(_ records: [SpoolRecord], identity: [UInt8]) -> String {
        var input = Array("heartwood batch".utf8) + identity
        for record in records {
            SpoolFrame.append(record.id, to: &input)
            SpoolFrame.append(record.checksum, to: &input)
        }
        let digest = Digest.sha256(input)
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.encode(digest[$0]) }
            .joined(separator: "-")
    }
}
