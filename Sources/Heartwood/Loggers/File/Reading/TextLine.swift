/// The parts of a line that is text: `TIME LEVEL CATEGORY PLACE TEXT {FIELDS}`, or syslog's `TIME HOST
/// PROGRAM[PID]: TEXT`.
struct TextLine {
    typealias Bytes = UnsafeRawBufferPointer

    private(set) var category: String?
    private(set) var message = ""
    private(set) var fields: [LineRecord.Field] = []

    init(_ line: Bytes, _ times: LogTimeReader) {
        var end = line.count
        if end > 0, line[end - 1] == 0x0D { end -= 1 }
        var start = 0
        var hasBlock = false
        if let (_, after) = times.iso(line, 0) {
            start = TextLine.skipSpace(line, after)
            let word = TextLine.word(line, start)
            let name = Bytes(rebasing: line[word])
            if LevelDetector.level(named: name) != nil
                || LogLevel(named: String(decoding: name, as: UTF8.self)) != nil
            {
                start = TextLine.skipSpace(line, word.upperBound)
                readPlace(line, &start)
            }
            hasBlock = readFields(line, from: start, &end)
        } else if line.count > 16, TextLine.isSyslog(line) {
            readProgram(line, &start)
        }
        message = String(decoding: line[min(start, end)..<end], as: UTF8.self)
        if !hasBlock {
            var pairs = LogfmtPairs(line, min(start, end)..<end)
            while let pair = pairs.next() { add(line, pair) }
        }
    }

    /// `payments Shop.swift:42`, or the place alone; neither is part of the text.
    private mutating func readPlace(_ line: Bytes, _ start: inout Int) {
        let first = TextLine.word(line, start)
        let next = TextLine.skipSpace(line, first.upperBound)
        if TextLine.isPlace(line, first) {
            start = next
        } else {
            let second = TextLine.word(line, next)
            guard TextLine.isPlace(line, second) else { return }
            category = String(decoding: line[first], as: UTF8.self)
            start = TextLine.skipSpace(line, second.upperBound)
            fields.append(.init("source", String(decoding: line[second], as: UTF8.self)))
            return
        }
        fields.append(.init("source", String(decoding: line[first], as: UTF8.self)))
    }

    /// ` {order=17 user=ann}` at the end; false where there is no such block.
    private mutating func readFields(_ line: Bytes, from start: Int, _ end: inout Int) -> Bool {
        guard end > start + 2, line[end - 1] == UInt8(ascii: "}") else { return false }
        var open = end - 2
        while open > start, line[open] != UInt8(ascii: "{") || line[open - 1] != 0x20 { open -= 1 }
        guard open > start else { return false }
        var pairs = LogfmtPairs(line, open + 1..<end - 1, allowsSpaces: true)
        var isFields = false
        while let pair = pairs.next() {
            isFields = true
            add(line, pair)
        }
        if isFields { end = open - 1 }
        return isFields
    }

    private mutating func add(_ line: Bytes, _ pair: LogfmtPairs.Pair) {
        let value = JSONMembers.unescaped(line, pair.value)
        let name = String(decoding: line[pair.name], as: UTF8.self)
        fields.append(.init(name, value, isLiteral: Double(value) != nil))
    }

    /// `web1 sshd[24200]: ` after `Nov 20 10:20:30 `.
    private mutating func readProgram(_ line: Bytes, _ start: inout Int) {
        let host = TextLine.word(line, TextLine.skipSpace(line, 15))
        let tag = TextLine.word(line, TextLine.skipSpace(line, host.upperBound))
        guard tag.count > 1, line[tag.upperBound - 1] == UInt8(ascii: ":") else { return }
        let name = line[tag].prefix { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: ":") }
        category = String(decoding: name, as: UTF8.self)
        start = TextLine.skipSpace(line, tag.upperBound)
        fields.append(.init("host", String(decoding: line[host], as: UTF8.self)))
        let number = line[tag].dropFirst(name.count + 1).prefix { $0 &- 0x30 < 10 }
        if !number.isEmpty {
            fields.append(.init("pid", String(decoding: number, as: UTF8.self), isLiteral: true))
        }
    }

    private static func isSyslog(_ line: Bytes) -> Bool {
        line[3] == 0x20 && line[6] == 0x20 && line[9] == 0x3A && line[12] == 0x3A && line[15] == 0x20
    }

    /// `Shop.swift:42`.
    private static func isPlace(_ line: Bytes, _ word: Range<Int>) -> Bool {
        guard let colon = line[word].lastIndex(of: 0x3A), colon + 1 < word.upperBound else { return false }
        return line[colon + 1..<word.upperBound].allSatisfy { $0 &- 0x30 < 10 }
            && line[word.lowerBound..<colon].contains(0x2E)
    }

    private static func word(_ line: Bytes, _ start: Int) -> Range<Int> {
        var end = start
        while end < line.count, line[end] != 0x20 { end += 1 }
        return start..<end
    }

    private static func skipSpace(_ line: Bytes, _ start: Int) -> Int {
        var index = min(start, line.count)
        while index < line.count, line[index] == 0x20 { index += 1 }
        return index
    }
}
