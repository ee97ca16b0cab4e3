// The encoding of a message's pieces and metadata: what a call writes, and a formatter reads.
//
//   piece    = literal | [name] [privacy] [format] value
//   literal  = 01 length(4) bytes
//   name     = 02 length(2) bytes           holds for the next value
//   privacy  = 03 kind(1)                   holds for the next value
//   format   = 04 kind(1) first(1) second(1)
//   value    = tag, then what PieceTag says
//
// Numbers are little-endian and unaligned. There are no pointers: the bytes mean the same in another process.

/// The first byte of each element.
@usableFromInline
enum PieceTag: UInt8 {
    case literal = 0x01
    case name = 0x02
    case privacy = 0x03
    case format = 0x04

    case null = 0x10
    /// One byte, 0 or 1.
    case bool = 0x11
    /// Eight bytes.
    case integer = 0x12
    /// Eight bytes.
    case unsigned = 0x13
    /// Eight bytes, IEEE 754.
    case double = 0x14
    /// Four bytes, IEEE 754.
    case float = 0x15
    /// A four-byte length and UTF-8.
    case string = 0x16
    /// Eight bytes: nanoseconds since 1970.
    case timestamp = 0x17
    /// Sixteen bytes.
    case uuid = 0x18
    /// As `string`.
    case decimal = 0x19
    /// Two strings, the text for a person and the JSON for a machine, each with a four-byte length.
    case described = 0x1A
    /// A four-byte count, then as many values.
    case array = 0x1B
    /// A four-byte count, then as many pairs of a string without tag (length and bytes) and a value.
    case object = 0x1C
    /// Eight bytes, IEEE 754: seconds since 2001, as a `Date` holds them.
    case date = 0x1D
    /// As `string`: a piece of JSON.
    case json = 0x1E
}

extension UnsafeMutableRawPointer {
    @inlinable
    func write<T: BitwiseCopyable>(_ value: T, at offset: Int) {
        (self + offset).storeBytes(of: value, as: T.self)
    }
}
