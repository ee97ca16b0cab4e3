package import Heartwood

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
