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
        var units: [UInt16] = []
        var text = ""
        var index = 0
        var plain = 0
        func add(upTo end: Int) {
            if !units.isEmpty {
                text += String(decoding: units, as: UTF16.self)
                units.removeAll()
            }
            if plain < end { text += String(decoding: raw[plain..<end], as: UTF8.self) }
        }
        while index < raw.count {
            guard raw[index] == 0x5C, index + 1 < raw.count else {
                index += 1
                continue
            }
            if plain < index { add(upTo: index) }
            let escape = raw[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "n"): units.append(10)
            case UInt8(ascii: "t"): units.append(9)
            case UInt8(ascii: "r"): units.append(13)
            case UInt8(ascii: "b"): units.append(8)
            case UInt8(ascii: "f"): units.append(12)
            case UInt8(ascii: "u"):
                let digits = String(decoding: raw[index..<min(index + 4, raw.count)], as: UTF8.self)
                units.append(UInt16(digits, radix: 16) ?? 0xFFFD)
                index = min(index + 4, raw.count)
            default: units.append(UInt16(escape))
            }
            plain = index
        }
        add(upTo: raw.count)
        return text
    }
}
