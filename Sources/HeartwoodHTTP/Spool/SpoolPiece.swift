import Heartwood
import HeartwoodArchive

/// What goes into one request: a batch, or a part of one, with a key by which a repetition is recognized.
package struct SpoolPiece: Sendable, Equatable {
    /// The ids between which the records lie.
    package let range: ClosedRange<UInt64>
    /// The records, in their order; never empty.
    package let records: [SpoolRecord]
    /// The same key always stands for the same records, over restarts too.
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
