import Heartwood

/// Counts lines.
enum LineCount {
    /// How many lines there are, the last one included where it has no newline.
    static func lines(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        bytes.withMemoryRebound(to: UInt8.self) { bytes in
            // Sums of bytes that the compiler can keep in vector registers.
            for start in stride(from: 0, to: bytes.count, by: 128) {
                var sum: UInt8 = 0
                for byte in bytes[start..<min(start + 128, bytes.count)] { sum &+= byte == 0x0A ? 1 : 0 }
                count += Int(sum)
            }
        }
        if let last = bytes.last, last != 0x0A { count += 1 }
        return count
    }
}
