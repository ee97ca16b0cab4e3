import Heartwood

/// Goes through the `key=value` pairs of a line without building anything.
struct LogfmtPairs {
    package typealias Bytes = UnsafeRawBufferPointer

    /// A key and its value, as ranges of the line; a value in quotes is without them, and still escaped.
    struct Pair {
        let name: Range<Int>
        let value: Range<Int>
    }

    private let bytes: Bytes
    private var index: Int
    private let end: Int
    private let allowsSpaces: Bool

    /// Goes through a range of the bytes; with `allowsSpaces`, a value without quotes ends only where the
    /// next key begins.
    init(_ bytes: Bytes, _ range: Range<Int>? = nil, allowsSpaces: Bool = false) {
        self.bytes = bytes
        self.allowsSpaces = allowsSpaces
        index = range?.lowerBound ?? 0
        end = range?.upperBound ?? bytes.count
    }

    /// Whether the line begins with a pair.
    static func isLogfmt(_ line: Bytes) -> Bool {
        guard let first = line.first, first | 0x20 >= 0x61, first | 0x20 <= 0x7A || first == 0x5F else {
            return false
        }
        for byte in line.prefix(40) {
            if byte == UInt8(ascii: "=") { return true }
            if !isOfKey(byte) { return false }
        }
        return false
    }

    /// The next pair; words that are not pairs are skipped.
    mutating func next() -> Pair? {
        while index < end {
            while index < end, bytes[index] == 0x20 { index += 1 }
            let start = index
            while index < end, LogfmtPairs.isOfKey(bytes[index]) { index += 1 }
            if index < end, index > start, bytes[index] == UInt8(ascii: "=") {
                let name = start..<index
                index += 1
                return Pair(name: name, value: value())
            }
            while index < end, bytes[index] != 0x20 { index += 1 }
        }
        return nil
    }

    private mutating func value() -> Range<Int> {
        guard index < end, bytes[index] == 0x22 else {
            let start = index
            while index < end, bytes[index] != 0x20 || (allowsSpaces && !isKey(at: index + 1)) { index += 1 }
            return start..<index
        }
        let start = index + 1
        index = start
        while index < end, bytes[index] != 0x22 { index += bytes[index] == 0x5C ? 2 : 1 }
        index = min(index, end)
        let range = start..<index
        if index < end { index += 1 }
        return range
    }

    /// Whether a key and its equals sign are at this place.
    private func isKey(at start: Int) -> Bool {
        var index = start
        while index < end, LogfmtPairs.isOfKey(bytes[index]) { index += 1 }
        return index > start && index < end && bytes[index] == UInt8(ascii: "=")
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"=\"{}()[],;<>".utf8.contains(byte)
    }
}
