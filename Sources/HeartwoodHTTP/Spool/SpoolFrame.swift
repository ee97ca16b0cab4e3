import Heartwood

/// How a record lies in a segment file, all numbers little-endian.
///
/// ```
///  0  u32  magic 48 57 52 43 ("HWRC")
///  4  u32  length of the payload
///  8  u64  id
/// 16  i64  time, ns since 1970
/// 24  u8   level's bit
/// 25  u8   1 when the next id belongs to the same group, else 0; then two zeros
/// 28  u32  CRC32C of the payload, starting with the segment's salt
/// 32  u32  CRC32C of the 32 bytes above, starting with the segment's salt
/// 36       the payload
/// ```
///
/// The salt comes from the spool's random identity and the segment's first id. A payload that looks like a
/// frame, made by a person who can choose what is logged, can therefore never be taken for one, not even
/// inside a damaged frame.
enum SpoolFrame {
    static let headerSize = 36
    static let magic: UInt32 = 0x4352_5748

    /// A frame's header, checked.
    struct Header: Equatable {
        var length: Int
        var id: UInt64
        var time: LogTimestamp
        var level: UInt8
        var continues: Bool
        var payloadChecksum: UInt32
    }

    /// How many bytes a record takes in a segment.
    static func size(of record: SpoolRecord) -> Int { headerSize + record.payload.count }

    /// Adds a record's frame to `output`; `continues` when what follows belongs to the same group.
    static func encode(
        _ record: SpoolRecord, salt: UInt32, continues: Bool = false, into output: inout [UInt8]
    ) {
        let start = output.count
        append(magic, to: &output)
        append(UInt32(record.payload.count), to: &output)
        append(record.id, to: &output)
        append(record.time.nanoseconds, to: &output)
        output.append(contentsOf: [record.level, continues ? 1 : 0, 0, 0])
        append(CRC32C.checksum(record.payload, from: salt), to: &output)
        let checksum = output.withUnsafeBytes { bytes in
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[start...]), from: salt)
        }
        append(checksum, to: &output)
        output.append(contentsOf: record.payload)
    }

    /// The header at `offset`, or nil where no valid one is found.
    static func header(in bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt32) -> Header? {
        guard offset >= 0, bytes.count - offset >= headerSize, load(bytes, offset, UInt32.self) == magic
        else {
            return nil
        }
        let length = load(bytes, offset + 4, UInt32.self)
        let covered = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 32])
        guard length <= UInt32(SpoolRecord.largestPayload),
            (1...SpoolRecord.largestID).contains(load(bytes, offset + 8, UInt64.self)),
            CRC32C.checksum(covered, from: salt) == load(bytes, offset + 32, UInt32.self)
        else { return nil }
        return Header(
            length: Int(length), id: load(bytes, offset + 8, UInt64.self),
            time: LogTimestamp(nanoseconds: load(bytes, offset + 16, Int64.self)), level: bytes[offset + 24],
            continues: bytes[offset + 25] & 1 != 0, payloadChecksum: load(bytes, offset + 28, UInt32.self))
    }

    static func append<Number: FixedWidthInteger>(_ number: Number, to output: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { output.append(contentsOf: $0) }
    }

    static func load<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ type: Number.Type
    ) -> Number {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}

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

/// The checksum of RFC 3720 (Castagnoli), eight bytes at a time.
enum CRC32C {
    private static let tables: [[UInt32]] = {
        var tables = [[UInt32]](repeating: [UInt32](repeating: 0, count: 256), count: 8)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
            tables[0][index] = value
        }
        for index in 0..<256 {
            for table in 1..<8 {
                let before = tables[table - 1][index]
                tables[table][index] = before >> 8 ^ tables[0][Int(before & 0xFF)]
            }
        }
        return tables
    }()

    private static let flat: [UInt32] = tables.flatMap { $0 }

    /// The checksum of `bytes`, going on from an earlier one.
    static func checksum(_ bytes: UnsafeRawBufferPointer, from earlier: UInt32 = 0) -> UInt32 {
        var value = ~earlier
        flat.withUnsafeBufferPointer { table in
            var index = 0
            while index + 8 <= bytes.count {
                let low = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self).littleEndian ^ value
                let high = bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self).littleEndian
                value =
                    table[1792 + Int(low & 0xFF)] ^ table[1536 + Int(low >> 8 & 0xFF)]
                    ^ table[1280 + Int(low >> 16 & 0xFF)] ^ table[1024 + Int(low >> 24)]
                    ^ table[768 + Int(high & 0xFF)] ^ table[512 + Int(high >> 8 & 0xFF)]
                    ^ table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
                index += 8
            }
            while index < bytes.count {
                value = value >> 8 ^ table[Int((value ^ UInt32(bytes[index])) & 0xFF)]
                index += 1
            }
        }
        return ~value
    }

    /// The checksum of `bytes`, going on from an earlier one.
    static func checksum(_ bytes: [UInt8], from earlier: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, from: earlier) }
    }
}
