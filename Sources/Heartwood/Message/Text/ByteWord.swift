/// Eight bytes that are looked at together.
///
/// Each answer is zero if no byte is meant. Otherwise the highest bit of the first byte that is meant is set; bits of later
/// bytes say nothing.
struct ByteWord {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080
    private let word: UInt64

    /// Reads the eight bytes at an offset.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, _ offset: Int) {
        word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    /// The bytes that are not ASCII; for these every bit is right.
    @inline(__always)
    var nonASCII: UInt64 { word & Self.highs }

    /// The bytes below a blank.
    @inline(__always)
    var controls: UInt64 { (word &- Self.ones &* 0x20) & ~word & Self.highs }

    /// The bytes that are `byte`.
    @inline(__always)
    func matches(_ byte: UInt8) -> UInt64 {
        let difference = word ^ (Self.ones &* UInt64(byte))
        return (difference &- Self.ones) & ~difference & Self.highs
    }
}
