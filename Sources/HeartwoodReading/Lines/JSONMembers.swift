import Heartwood

/// Goes through the members of a JSON object in a line without building anything.
///
/// It is made for speed and for lines that were cut: what is not JSON ends the walk, and nothing is an error.
package struct JSONMembers {
    package typealias Bytes = UnsafeRawBufferPointer

    /// What a value is.
    package enum Kind: Sendable { case text, literal, object, list }

    /// A name and its value, as ranges of the line; texts are without their quotes, and still escaped.
    package struct Member {
        package let name: Range<Int>
        package let value: Range<Int>
        package let kind: Kind
    }

    private let bytes: Bytes
    private var index: Int

    /// Starts at the brace that opens the object.
    package init(_ bytes: Bytes, at start: Int = 0) {
        self.bytes = bytes
        index = start
        skipSpace()
        index += 1
    }

    /// The next member; nil at the end of the object.
    package mutating func next() -> Member? {
        skip { $0 == 0x2C || JSONMembers.isSpace($0) }
        guard index < bytes.count, bytes[index] == 0x22, let name = text() else { return nil }
        skip { $0 == 0x3A || JSONMembers.isSpace($0) }
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case 0x22: return text().map { Member(name: name, value: $0, kind: .text) }
        case 0x7B: return Member(name: name, value: nested(), kind: .object)
        case 0x5B: return Member(name: name, value: nested(), kind: .list)
        default:
            let start = index
            skip { $0 != 0x2C && $0 != 0x7D && !JSONMembers.isSpace($0) }
            return start == index ? nil : Member(name: name, value: start..<index, kind: .literal)
        }
    }

    /// The inside of a text; the index is after its closing quote then.
    private mutating func text() -> Range<Int>? {
        let start = index + 1
        index = start
        while index < bytes.count {
            switch bytes[index] {
            case 0x22:
                index += 1
                return start..<index - 1
            case 0x5C: index += 2
            default: index += 1
            }
        }
        index = bytes.count
        return nil
    }

    /// An object or a list with everything in it.
    private mutating func nested() -> Range<Int> {
        let start = index
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x22:
                if text() == nil { return start..<bytes.count }
                continue
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D: depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { break }
        }
        return start..<index
    }

    private mutating func skipSpace() { skip(JSONMembers.isSpace) }

    @inline(__always)
    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    /// The text of a range, with the escapes of JSON resolved.
    package static func unescaped(_ bytes: Bytes, _ range: Range<Int>) -> String {
        let raw = Bytes(rebasing: bytes[range])
        guard raw.contains(0x5C) else { return String(decoding: raw, as: UTF8.self) }
        var text: [UInt8] = []
        unescape(raw, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Replaces `text` by the bytes, with the escapes of JSON resolved.
    package static func unescape(_ raw: Bytes, into text: inout [UInt8]) {
        text.removeAll(keepingCapacity: true)
        text.reserveCapacity(raw.count)
        /// The first half of a pair that is one character.
        var half: UInt32?
        var index = 0
        func add(_ scalar: UInt32) {
            UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}").map { text += $0 }
        }
        while index < raw.count {
            var end = index
            while end < raw.count, raw[end] != 0x5C { end += 1 }
            if end + 1 >= raw.count { end = raw.count }
            if end > index {
                if half != nil { add(0xFFFD) }
                half = nil
                text += raw[index..<end]
            }
            guard end < raw.count else { break }
            let escape = raw[end + 1]
            index = end + 2
            let unit: UInt32
            switch escape {
            case UInt8(ascii: "n"): unit = 10
            case UInt8(ascii: "t"): unit = 9
            case UInt8(ascii: "r"): unit = 13
            case UInt8(ascii: "b"): unit = 8
            case UInt8(ascii: "f"): unit = 12
            case UInt8(ascii: "u"):
                let digits = String(decoding: raw[index..<min(index + 4, raw.count)], as: UTF8.self)
                unit = UInt32(digits, radix: 16) ?? 0xFFFD
                index = min(index + 4, raw.count)
            default:
                // The byte itself, which may be the first of several.
                if half != nil { add(0xFFFD) }
                half = nil
                text.append(escape)
                continue
            }
            if let high = half {
                half = nil
                if unit >> 10 == 0x37 {
                    add(0x10000 + (high & 0x3FF) << 10 + (unit & 0x3FF))
                    continue
                }
                add(0xFFFD)
            }
            if unit >> 10 == 0x36 { half = unit } else { add(unit) }
        }
        if half != nil { add(0xFFFD) }
    }
}
