import Heartwood

/// Finds the records in a segment's bytes, whatever has become of them.
///
/// 1. A record is accepted only if both its checksums hold and its id is greater than the one before.
/// 2. A frame whose header holds but whose payload does not is skipped exactly; the next one is looked for
///    after it.
/// 3. Where no header holds, the next one that does is looked for byte by byte.
/// 4. So damage costs the records it hits, and no other. Every byte is either part of a record or reported as
///    damaged.
struct SegmentParser {
    /// A record's place in the bytes.
    struct Entry: Equatable {
        var id: UInt64
        var time: LogTimestamp
        var level: UInt8
        /// Whether the next record belongs to the same group.
        var continues = false
        var payload: Range<Int>
    }

    private(set) var entries: [Entry] = []
    private(set) var damage: [Range<Int>] = []
    /// Where the last record that was found ends, or the parsing began.
    private(set) var end: Int
    private var lastID: UInt64
    /// Above this one no record of the segment can be.
    private let greatestID: UInt64
    private let salt: UInt32

    /// Begins at `start`, for a segment whose records have ids from `firstID` on.
    init(from start: Int, firstID: UInt64, salt: UInt32) {
        end = start
        greatestID = firstID &+ SpoolSegment.widestRange
        lastID = firstID > 0 ? firstID - 1 : 0
        self.salt = salt
    }

    /// Goes on from ``end`` to the end of `bytes`, which may have grown since.
    mutating func parse(_ bytes: UnsafeRawBufferPointer) {
        // What follows the last record may have been half written when it was looked at.
        if let last = damage.last, last.upperBound > end { damage.removeLast() }
        var position = end
        while position < bytes.count {
            guard let header = header(bytes, at: position) else {
                position = skip(bytes, from: position)
                continue
            }
            let payload = position + SpoolFrame.headerSize
            let next = payload + header.length
            guard next <= bytes.count else {
                addDamage(position..<bytes.count)  // the rest was never written, or is cut off
                return
            }
            lastID = header.id
            let range = payload..<next
            if CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[range]), from: salt)
                == header.payloadChecksum
            {
                entries.append(
                    Entry(
                        id: header.id, time: header.time, level: header.level,
                        continues: header.continues, payload: range))
                end = next
            } else {
                addDamage(position..<next)
            }
            position = next
        }
    }

    /// The header there, if it can belong to the segment's next record.
    private func header(_ bytes: UnsafeRawBufferPointer, at position: Int) -> SpoolFrame.Header? {
        SpoolFrame.header(in: bytes, at: position, salt: salt).flatMap {
            $0.id > lastID && $0.id < greatestID ? $0 : nil
        }
    }

    private mutating func skip(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start + 1
        while position < bytes.count {
            if bytes[position] == 0x48, header(bytes, at: position) != nil { break }
            position += 1
        }
        addDamage(start..<position)
        return position
    }

    private mutating func addDamage(_ range: Range<Int>) {
        if let last = damage.last, last.upperBound == range.lowerBound {
            damage[damage.count - 1] = last.lowerBound..<range.upperBound
        } else {
            damage.append(range)
        }
    }
}
