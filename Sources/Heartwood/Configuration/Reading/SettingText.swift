/// The bytes of a file with settings, and where in lines a byte stands.
struct SettingText {
    let bytes: [UInt8]
    let source: String
    private let lineStarts: [Int]

    init(_ bytes: [UInt8], source: String) {
        self.bytes = bytes
        self.source = source
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// The place of a byte; columns count characters of Unicode, not bytes.
    func place(of offset: Int) -> LogSettingPlace {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        // A byte of the form 10xxxxxx goes on with a character.
        var line = bytes[lineStarts[low]..<min(offset, bytes.count)]
        if low == 0, line.starts(with: SettingText.byteOrderMark) { line = line.dropFirst(3) }
        let column = line.reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        return LogSettingPlace(source, line: low + 1, column: column)
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Where the text stops to be UTF-8; nil where it does not.
    var firstInvalidByte: Int? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        // What is wrong is replaced by another character there.
        let repaired = String(decoding: bytes, as: UTF8.self)
        return zip(bytes, repaired.utf8).enumerated().first { $1.0 != $1.1 }?.offset ?? bytes.count - 1
    }
}
