package import Heartwood

/// Reads what the lines of logs say of themselves, in the formats that Heartwood and other programs write.
///
/// Understood are the lines of `LineFormatter`, `JSONLinesFormatter` (its own keys, ECS, GELF, SwiftyBeaver),
/// `LogfmtFormatter` and `SyslogFormatter`; JSON of bunyan, pino, zap and journald; logfmt; the lines of
/// syslog and journald; and all others whose time ``LogTimeReader`` and whose level ``LevelDetector``
/// recognize.
///
/// A value without state: safe on any thread.
package struct LineRecordParser: Sendable {
    package typealias Bytes = UnsafeRawBufferPointer

    private let times: LogTimeReader

    /// Makes a parser; `now` is the present, by which times without a year are understood.
    package init(now: LogTimestamp = SystemClock().now()) {
        times = LogTimeReader(now: now)
    }

    // MARK: Time and level alone

    /// When the line was logged, where it says so; builds nothing.
    package func moment(of line: Bytes) -> LogTimestamp? {
        guard let first = line.first else { return nil }
        if first == UInt8(ascii: "{") {
            var members = JSONMembers(line)
            while let member = members.next() {
                if LogKey.time.matches(line, member.name) { return moment(line, member.value) }
            }
            return nil
        }
        if let moment = times.moment(atStartOf: line) { return moment }
        guard LogfmtPairs.isLogfmt(line) else { return nil }
        var pairs = LogfmtPairs(line)
        while let pair = pairs.next() {
            if LogKey.time.matches(line, pair.name) { return moment(line, pair.value) }
        }
        return nil
    }

    /// How serious the line is, where it says so; builds nothing unless the program has levels of its own.
    package func level(of line: Bytes) -> LogLevel? {
        if line.first == UInt8(ascii: "{") {
            var members = JSONMembers(line)
            while let member = members.next() {
                if LogKey.level.matches(line, member.name) { return level(line, member) }
                if member.kind == .object, LogKey.log.matches(line, member.name) {
                    var inner = JSONMembers(line, at: member.value.lowerBound)
                    while let member = inner.next() {
                        if LogKey.level.matches(line, member.name) { return level(line, member) }
                    }
                }
            }
            return nil
        }
        return LevelDetector.level(of: line) ?? ownLevel(line)
    }

    private func moment(_ line: Bytes, _ range: Range<Int>) -> LogTimestamp? {
        times.moment(of: Bytes(rebasing: line[range]))
    }

    private func level(_ line: Bytes, _ member: JSONMembers.Member) -> LogLevel? {
        let value = Bytes(rebasing: line[member.value])
        // SwiftyBeaver counts upwards from 0; its objects begin with the time as a number, which no other's
        // do.
        if member.kind == .literal, value.count == 1, line.starts(with: "{\"timestamp\":1".utf8) {
            switch value[0] {
            case 0x30: return .verbose
            case 0x31: return .debug
            case 0x32: return .info
            case 0x33: return .warning
            default: return .error
            }
        }
        return LevelDetector.level(named: value) ?? LogLevel(named: String(decoding: value, as: UTF8.self))
    }

    /// A level of the program's own, by the name after the time.
    private func ownLevel(_ line: Bytes) -> LogLevel? {
        guard let first = line.first, first &- 0x30 < 10, let (_, end) = times.iso(line, 0) else {
            return nil
        }
        let word = line[min(end, line.count)...].drop { $0 == 0x20 }.prefix(40).prefix { $0 != 0x20 }
        return word.isEmpty ? nil : LogLevel(named: String(decoding: word, as: UTF8.self))
    }

    // MARK: Everything

    /// All that the line says.
    package func record(of line: Bytes) -> LineRecord {
        var record = LineRecord()
        switch line.first {
        case UInt8(ascii: "{")?: readJSON(line, &record)
        case UInt8(ascii: "<")? where SyslogLine(line) != nil: readSyslog(line, &record)
        case _? where LogfmtPairs.isLogfmt(line): readLogfmt(line, &record)
        default: readText(line, &record)
        }
        return record
    }

    /// All that the line says.
    package func record(of text: String) -> LineRecord {
        var text = text
        return text.withUTF8 { record(of: Bytes($0)) }
    }

    private func readJSON(_ line: Bytes, _ record: inout LineRecord) {
        record.moment = moment(of: line)
        record.level = level(of: line)
        var hasMessage = false
        add(JSONMembers(line), line, prefix: "", &record, &hasMessage)
        if !hasMessage { record.message = String(decoding: line, as: UTF8.self) }
    }

    /// Adds the members of an object; what is nested too deep is a text.
    private func add(
        _ members: JSONMembers, _ line: Bytes, prefix: String, _ record: inout LineRecord,
        _ hasMessage: inout Bool, depth: Int = 0
    ) {
        var members = members
        while let member = members.next() {
            let name = prefix + JSONMembers.unescaped(line, member.name)
            let isInside = member.kind == .object && depth < LogValue.maximumDepth
            if isInside, prefix.utf8.count < 100 {
                // The fields of ECS are in an object that is not part of their names.
                let inner = name == "labels" ? "" : name + "."
                add(
                    JSONMembers(line, at: member.value.lowerBound), line, prefix: inner, &record, &hasMessage,
                    depth: depth + 1)
                continue
            }
            let value =
                member.kind == .text
                ? JSONMembers.unescaped(line, member.value)
                : String(decoding: line[member.value], as: UTF8.self)
            assign(name, value, isLiteral: member.kind != .text, &record, &hasMessage)
        }
    }

    /// Takes a value for the message or the category if it is the first of them, and for a field unless the
    /// record has it.
    private func assign(
        _ name: String, _ value: String, isLiteral: @autoclosure () -> Bool, _ record: inout LineRecord,
        _ hasMessage: inout Bool
    ) {
        if LogKey.message.contains(name), !hasMessage {
            record.message = value
            hasMessage = true
        } else if LogKey.category.contains(name), record.category == nil {
            record.category = value
        } else if !(LogKey.time.contains(name) && record.moment != nil)
            && !(LogKey.level.contains(name) && record.level != nil)
        {
            record.fields.append(.init(name, value, isLiteral: isLiteral()))
        }
    }

    private func readLogfmt(_ line: Bytes, _ record: inout LineRecord) {
        record.moment = moment(of: line)
        record.level = level(of: line)
        var hasMessage = false
        var pairs = LogfmtPairs(line)
        while let pair = pairs.next() {
            let name = String(decoding: line[pair.name], as: UTF8.self)
            let value = JSONMembers.unescaped(line, pair.value)
            assign(name, value, isLiteral: Double(value) != nil, &record, &hasMessage)
        }
        if !hasMessage { record.message = String(decoding: line, as: UTF8.self) }
    }

    private func readSyslog(_ line: Bytes, _ record: inout LineRecord) {
        guard let parts = SyslogLine(line) else { return }
        record.moment = moment(of: line)
        record.level = level(of: line)
        record.category = parts.category
        record.message = parts.message
        record.fields = parts.fields
    }

    private func readText(_ line: Bytes, _ record: inout LineRecord) {
        record.moment = moment(of: line)
        record.level = level(of: line)
        let parts = TextLine(line, times)
        record.category = parts.category
        record.message = parts.message
        record.fields = parts.fields
    }
}

/// The names under which formats keep the time, the level and the like.
struct LogKey: Sendable {
    /// When.
    static let time = LogKey(
        "time", "timestamp", "@timestamp", "ts", "t", "datetime", "date", "asctime", "__REALTIME_TIMESTAMP")
    /// How serious.
    static let level = LogKey(
        "level", "severity", "log.level", "lvl", "loglevel", "levelname", "level_name", "PRIORITY")
    /// Of what kind.
    static let category = LogKey(
        "category", "logger", "log.logger", "_category", "logger_name", "SYSLOG_IDENTIFIER")
    /// The text.
    static let message = LogKey("message", "msg", "short_message", "MESSAGE")
    /// The object that holds the level in nested ECS.
    static let log = LogKey("log")

    private let names: [StaticString]

    private init(_ names: StaticString...) {
        self.names = names
    }

    /// Whether the range of the line is one of the names.
    func matches(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        for name in names where name.utf8CodeUnitCount == range.count {
            let isSame = name.withUTF8Buffer { name in
                for offset in 0..<name.count where name[offset] != line[range.lowerBound + offset] {
                    return false
                }
                return true
            }
            if isSame { return true }
        }
        return false
    }

    /// Whether a text is one of the names.
    func contains(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { matches(UnsafeRawBufferPointer($0), 0..<$0.count) }
    }
}

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

/// The parts of a line that is text: `TIME LEVEL CATEGORY PLACE TEXT {FIELDS}`, or syslog's `TIME HOST
/// PROGRAM[PID]: TEXT`.
private struct TextLine {
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
