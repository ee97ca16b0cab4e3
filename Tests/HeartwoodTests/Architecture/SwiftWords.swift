/// The names of types in a Swift file; comments and texts are left out.
struct SwiftWords {
    /// Types that are declared at the top level.
    private(set) var declared: Set<String> = []
    /// All names that begin with a capital.
    private(set) var named: Set<String> = []

    private static let keywords: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias"]

    init(_ code: [UInt8]) {
        var index = 0
        var depth = 0
        var followsKeyword = false
        while index < code.count {
            let byte = code[index]
            if SwiftWords.isLetter(byte) {
                let start = index
                while index < code.count, SwiftWords.isLetter(code[index]) || SwiftWords.isDigit(code[index])
                { index += 1 }
                let word = String(decoding: code[start..<index], as: UTF8.self)
                if followsKeyword { declared.insert(word) }
                if byte < 0x5B { named.insert(word) }
                followsKeyword = depth == 0 && SwiftWords.keywords.contains(word)
                continue
            }
            switch byte {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "/") where SwiftWords.has("//", in: code, at: index):
                index = SwiftWords.end(of: "\n", in: code, from: index)
                continue
            case UInt8(ascii: "/") where SwiftWords.has("/*", in: code, at: index):
                index = SwiftWords.end(of: "*/", in: code, from: index + 2)
                continue
            case UInt8(ascii: "\"") where SwiftWords.has("\"\"\"", in: code, at: index):
                index = SwiftWords.end(of: "\"\"\"", in: code, from: index + 3)
                continue
            case UInt8(ascii: "\""):
                index = SwiftWords.endOfText(in: code, from: index + 1)
                continue
            default: break
            }
            index += 1
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func has(_ text: StaticString, in code: [UInt8], at index: Int) -> Bool {
        index + text.utf8CodeUnitCount <= code.count
            && (0..<text.utf8CodeUnitCount).allSatisfy { code[index + $0] == text.utf8Start[$0] }
    }

    private static func end(of text: StaticString, in code: [UInt8], from start: Int) -> Int {
        var index = start
        while index < code.count, !has(text, in: code, at: index) { index += 1 }
        return min(code.count, index + text.utf8CodeUnitCount)
    }

    /// The index after the quotation mark that ends a text of one line.
    private static func endOfText(in code: [UInt8], from start: Int) -> Int {
        var index = start
        while index < code.count, code[index] != UInt8(ascii: "\""), code[index] != 0x0A {
            index += code[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }
}
