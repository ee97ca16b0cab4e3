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
