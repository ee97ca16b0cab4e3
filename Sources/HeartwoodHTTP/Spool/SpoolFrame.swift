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
