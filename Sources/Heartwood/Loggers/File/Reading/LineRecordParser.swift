/// Reads what the lines of logs say of themselves, in the formats that Heartwood and other programs write.
///
/// Understood are the lines of `LineFormatter`, `JSONLinesFormatter` (its own keys, ECS, GELF, SwiftyBeaver), `LogfmtFormatter`
/// and `SyslogFormatter`; JSON of bunyan, pino, zap and journald; logfmt; the lines of syslog and journald; and all others
/// whose time ``LogTimeReader`` and whose level ``LevelDetector`` recognize.
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
        // SwiftyBeaver counts upwards from 0; its objects begin with the time as a number, which no other's do.
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

    private func add(
        _ members: JSONMembers, _ line: Bytes, prefix: String, _ record: inout LineRecord,
        _ hasMessage: inout Bool
    ) {
        var members = members
        while let member = members.next() {
            let name = prefix + JSONMembers.unescaped(line, member.name)
            if member.kind == .object, prefix.utf8.count < 100 {
                // The fields of ECS are in an object that is not part of their names.
                let inner = name == "labels" ? "" : name + "."
                add(JSONMembers(line, at: member.value.lowerBound), line, prefix: inner, &record, &hasMessage)
                continue
            }
            let value =
                member.kind == .text
                ? JSONMembers.unescaped(line, member.value)
                : String(decoding: line[member.value], as: UTF8.self)
            assign(name, value, isLiteral: member.kind != .text, &record, &hasMessage)
        }
    }

    /// Takes a value for the message or the category if it is the first of them, and for a field unless the record has it.
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
