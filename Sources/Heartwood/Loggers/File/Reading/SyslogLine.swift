/// The parts of a line of RFC 5424: `<134>1 TIME HOST PROGRAM PROCESS ID [DATA] TEXT`.
struct SyslogLine {
    typealias Bytes = UnsafeRawBufferPointer

    private(set) var category: String?
    private(set) var message = ""
    private(set) var fields: [LineRecord.Field] = []

    /// Reads the line; nil where it is of another form.
    init?(_ line: Bytes) {
        guard let close = line.prefix(5).firstIndex(of: UInt8(ascii: ">")), close + 2 < line.count,
            line[close + 1] == UInt8(ascii: "1"), line[close + 2] == 0x20
        else { return nil }
        var index = close + 3
        var words: [String] = []
        for _ in 0..<5 {
            let start = index
            while index < line.count, line[index] != 0x20 { index += 1 }
            words.append(String(decoding: line[start..<index], as: UTF8.self))
            index = min(index + 1, line.count)
        }
        if words[4] != "-" { category = words[4] }
        for (name, word) in zip(["host", "program", "pid"], words[1...3]) where word != "-" {
            fields.append(.init(name, word, isLiteral: name == "pid" && Int(word) != nil))
        }
        if index < line.count, line[index] == UInt8(ascii: "-") {
            index += 1
        } else {
            while index < line.count, line[index] == UInt8(ascii: "[") { readElement(line, &index) }
        }
        if index < line.count, line[index] == 0x20 { index += 1 }
        if line[min(index, line.count)...].starts(with: [0xEF, 0xBB, 0xBF]) { index += 3 }
        message = String(decoding: line[min(index, line.count)...], as: UTF8.self)
    }

    /// `[name@1 key="value" …]`; a backslash is in front of `"`, `\` and `]`.
    private mutating func readElement(_ line: Bytes, _ index: inout Int) {
        while index < line.count, line[index] != 0x20, line[index] != UInt8(ascii: "]") { index += 1 }
        while index < line.count, line[index] != UInt8(ascii: "]") {
            while index < line.count, line[index] == 0x20 { index += 1 }
            let start = index
            while index < line.count, line[index] != UInt8(ascii: "=") { index += 1 }
            let name = String(decoding: line[start..<index], as: UTF8.self)
            index += 2
            var value: [UInt8] = []
            while index < line.count, line[index] != 0x22 {
                if line[index] == 0x5C, index + 1 < line.count, "\"\\]".utf8.contains(line[index + 1]) {
                    index += 1
                }
                value.append(line[index])
                index += 1
            }
            index += 1
            let text = String(decoding: value, as: UTF8.self)
            fields.append(.init(name, text, isLiteral: Double(text) != nil))
        }
        index += 1
    }
}
