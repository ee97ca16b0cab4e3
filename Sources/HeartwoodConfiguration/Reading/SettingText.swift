import Heartwood

/// The bytes of a settings file, with the line and column of each byte.
struct SettingText {
    let bytes: [UInt8]
    let source: String
    private let lineStarts: [Int]
    /// How many characters begin before each 256th byte, so that a file in one long line costs no more than
    /// any other.
    private let counts: [Int]
    private static let step = 256

    init(_ bytes: [UInt8], source: String) {
        self.bytes = bytes
        self.source = source
        var lineStarts = [0]
        var counts: [Int] = []
        var count = 0
        for (index, byte) in bytes.enumerated() {
            if index % SettingText.step == 0 { counts.append(count) }
            if byte == UInt8(ascii: "\n") { lineStarts.append(index + 1) }
            if SettingText.beginsCharacter(byte) { count += 1 }
        }
        self.lineStarts = lineStarts
        self.counts = counts + [count]
    }

    /// The place of a byte; columns count characters of Unicode, not bytes.
    func place(of offset: Int) -> LogSettingLocation {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let hasMark = low == 0 && offset >= 3 && bytes.starts(with: SettingText.byteOrderMark)
        let column = characters(before: offset) - characters(before: lineStarts[low]) + (hasMark ? 0 : 1)
        return LogSettingLocation(source, line: low + 1, column: column)
    }

    private func characters(before offset: Int) -> Int {
        let offset = min(offset, bytes.count)
        let index = offset / SettingText.step
        let rest = bytes[(index * SettingText.step)..<offset]
        return counts[index] + rest.reduce(0) { $0 + (SettingText.beginsCharacter($1) ? 1 : 0) }
    }

    /// A byte of the form 10xxxxxx continues a character.
    private static func beginsCharacter(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Where the text stops to be UTF-8; nil where it does not.
    var firstInvalidByte: Int? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        // What is wrong is replaced by another character there.
        let repaired = String(decoding: bytes, as: UTF8.self)
        return zip(bytes, repaired.utf8).enumerated().first { $1.0 != $1.1 }?.offset ?? bytes.count - 1
    }
}
