import CHeartwood
package import Heartwood

/// Reads what the lines of logs say of themselves, whatever program wrote them.
///
/// A line has a shape: JSON, logfmt, syslog with a priority, or text; that decides how its time, level,
/// category, message and fields are read. All commands and ``LogLine`` read lines with it, so that a line
/// means the same everywhere. What it does not recognize is unknown: it has no time rather than a wrong one.
///
/// What other tools put in front of a line becomes a field: the names of containers and pods (docker compose,
/// kubectl, stern), of processes (foreman) and of files (grep). Colors of terminals are left out.
///
/// A value without state: safe on any thread.
package struct LineRecognizer: Sendable {
    package typealias Bytes = UnsafeRawBufferPointer

    private let times: LineTime

    /// How many lines within lines are read: of a program in that of its container.
    private static let deepest = 4
    /// How much of a line is looked at for the colors of terminals.
    private static let reach = 1024

    /// Makes a recognizer; `now` is the present, by which times without a year are understood.
    package init(now: LogTimestamp = SystemClock().now()) {
        times = LineTime(now: now)
    }

    /// The time and the level of a line.
    package struct Head: Sendable {
        package var moment: LogTimestamp?
        package var level: LogLevel?
        /// Whether the line has a time whose zone is unknown, or has several meanings.
        package var hasUnknownZone = false
        package var form = LineRecord.Form.plain
        /// What another tool has put in front of the line, as a hash; 0 for nothing.
        package var origin: UInt64 = 0

        package init() {}
    }

    // MARK: What is asked for

    /// When the line was logged, where it says so; builds nothing.
    package func moment(of line: Bytes) -> LogTimestamp? { head(of: line, .time).moment }

    /// How serious the line is, where it says so; builds nothing.
    package func level(of line: Bytes) -> LogLevel? { head(of: line, .level).level }

    /// When the line was logged, and how serious it is; builds nothing.
    ///
    /// Without `levels`, the level may be left out.
    package func head(of line: Bytes, levels: Bool = true) -> Head { head(of: line, levels ? .head : .time) }

    private func head(of line: Bytes, _ extent: LineHeader.Extent) -> Head {
        var head = Head()
        if let first = line.first, first.isDigit, readPlain(line, extent, &head) { return head }
        return record(of: line, extent, .none).head
    }

    /// The short way for the most frequent lines, those that begin with the date and a level, which halves
    /// their cost; a test holds it equal to the walk.
    private func readPlain(_ line: Bytes, _ extent: LineHeader.Extent, _ head: inout Head) -> Bool {
        guard let time = times.iso(line, 0), time.moment != nil, !time.isDay else { return false }
        (head.moment, head.form) = (time.moment, .timed)
        if extent == .time { return true }
        var first = time.end
        while first < line.count, line[first] == .space { first += 1 }
        var last = first
        while last < line.count, line[last].isLetter { last += 1 }
        guard first > time.end, last < line.count, line[last] == .space,
            let meaning = LevelWord.meaning(line, first..<last), !meaning.isWeak,
            LevelWord.followsTime(line, first..<last, meaning, hasZone: time.hasZone)
        else { return false }
        head.level = meaning.level
        return true
    }

    /// All that the line says, of its fields those that are wanted.
    package func record(of line: Bytes, fields: LineFields = .all) -> LineRecord {
        record(of: line, .all, fields)
    }

    /// All that the line says.
    package func record(of text: String) -> LineRecord {
        var text = text
        return text.withUTF8 { record(of: Bytes($0)) }
    }

    private func record(of line: Bytes, _ extent: LineHeader.Extent, _ fields: LineFields) -> LineRecord {
        var record = LineRecord()
        record.wanted = fields
        withoutColors(line) {
            record.form = read($0, extent, &record, depth: 0)
        }
        return record
    }

    // MARK: The walk

    /// Reads a line, or one within another, for what is still unknown; what a record has is kept.
    @discardableResult
    private func read(
        _ line: Bytes, _ extent: LineHeader.Extent, _ record: inout LineRecord, depth: Int
    ) -> LineRecord.Form {
        if let (level, start) = priority(line) {
            readAfterPriority(line, start, level, extent, &record, depth: depth)
            // What the program says itself counts.
            record.level = record.level ?? level
            return .timed
        }
        return readUnwrapped(line, extent, &record, depth: depth)
    }

    private func readUnwrapped(
        _ line: Bytes, _ extent: LineHeader.Extent, _ record: inout LineRecord, depth: Int,
        priority: LogLevel? = nil
    ) -> LineRecord.Form {
        if line.first == UInt8(ascii: "{") {
            readJSON(line, extent, &record, depth: depth)
            return .object
        }
        if LogfmtPairs.isLogfmt(line) {
            readPairs(LogfmtPairs(line), line, extent, &record)
            return .pairs
        }
        if let columns = LogfmtPairs(columns: line), columns.hasTime(times) {
            readPairs(columns, line, extent, &record)
            return .timed
        }
        return readText(line, extent, &record, depth: depth, priority: priority)
    }

    private func readAfterPriority(
        _ line: Bytes, _ start: Int, _ level: LogLevel, _ extent: LineHeader.Extent,
        _ record: inout LineRecord, depth: Int
    ) {
        if SyslogHeader.isVersioned(line, start) {
            let time = times.read(line, at: start + 2)
            record.take(time)
            let end = time?.end ?? line[(start + 2)...].firstIndex(of: .space) ?? line.count
            readVersioned(line, from: end, extent, &record, depth: depth)
        } else {
            _ = readUnwrapped(
                Bytes(rebasing: line[start...]), extent, &record, depth: depth + 1, priority: level)
        }
    }

    /// Reads what follows the time in a line as RFC 5424 has it.
    private func readVersioned(
        _ line: Bytes, from start: Int, _ extent: LineHeader.Extent, _ record: inout LineRecord, depth: Int
    ) {
        if extent == .time, record.moment != nil { return }
        let header = SyslogHeader(line, from: start)
        if extent == .all { header.fill(line, &record) }
        if extent != .time { record.level = record.level ?? level(ofPairs: line, header.data) }
        if extent.isMet(record) { return }
        let text = Bytes(rebasing: line[header.text])
        guard depth < LineRecognizer.deepest else {
            record.message = text.text(0..<text.count)
            return
        }
        let category = record.category
        read(text, extent, &record, depth: depth + 1)
        record.category = category ?? record.category
    }

    /// The level of the priority that a line begins with, `<34>`, and where that ends.
    private func priority(_ line: Bytes) -> (LogLevel, Int)? {
        var index = 1
        guard line.first == UInt8(ascii: "<"), let number = line.shortNumber(&index, 3), number <= 191,
            index < line.count, line[index] == UInt8(ascii: ">"),
            let level = LevelWord.severity(number & 7)
        else { return nil }
        return (level, index + 1)
    }

    @discardableResult
    private func readText(
        _ line: Bytes, _ extent: LineHeader.Extent, _ record: inout LineRecord, depth: Int,
        priority: LogLevel?
    ) -> LineRecord.Form {
        let header = LineHeader(line, times, extent, hasPriority: priority != nil)
        record.take(header.time)
        // The priority of the kernel is its own, and `INFO: task x blocked` is an error.
        if let priority, let tag = header.parts.category, tag.count == 6,
            line.has("kernel", at: tag.lowerBound, before: tag.upperBound)
        {
            record.level = record.level ?? priority
        }
        if let end = endOfTime(line, header) {
            readVersioned(line, from: end, extent, &record, depth: depth)
            return .timed
        }
        record.level = record.level ?? header.level
        if extent == .all { take(header, of: line, &record) }
        var form =
            header.time != nil && !header.isRequest
            ? LineRecord.Form.timed : header.level != nil ? .marked : .plain
        let wantsTime = extent != .level && record.moment == nil
        let wantsLevel = extent != .time && record.level == nil
        guard extent == .all || wantsTime || wantsLevel else { return form }
        if extent != .all, !wantsTime, header.time?.end != header.start, !LineScan.mayHaveLevel(line) {
            return form
        }
        let rest = Bytes(rebasing: line[header.start...]).trimmed
        let isObject = rest.first == UInt8(ascii: "{") && rest.last == UInt8(ascii: "}")
        let mayBeLine = (header.isWrapped || isObject) && depth < LineRecognizer.deepest
        let wantsRequest = extent == .all || wantsLevel || mayBeLine
        let request = wantsRequest ? AccessRequest(line, header) : nil
        let isLine = mayBeLine && request == nil
        if isLine {
            let category = record.category
            let inner = read(rest, extent, &record, depth: depth + 1)
            if header.parts.isOfTool {
                form = inner
                record.origin = header.parts.origin(in: line)
            }
            record.category = category ?? record.category
        } else if wantsLevel {
            record.level = request?.level
        }
        if wantsLevel, record.level == nil { record.level = self.level(ofRest: rest, header) }
        guard extent == .all, !isLine else { return form }
        if let request {
            request.fill(line, &record)
        } else {
            readMessage(rest, header, &record)
        }
        return form
    }

    /// Takes the parts of a header.
    private func take(_ header: LineHeader, of line: Bytes, _ record: inout LineRecord) {
        let parts = header.parts
        if record.category == nil { record.category = parts.category.map { line.text($0) } }
        if record.wanted.isEmpty { return }
        record.add("host", parts.host, of: line)
        record.add("pid", parts.pid, of: line, isLiteral: true)
        record.add("thread", parts.thread, of: line)
        record.add("client", parts.client, of: line)
        record.add("source", parts.source, of: line)
        record.add("stream", parts.stream, of: line)
        record.add("file", parts.file, of: line)
        record.add("line", parts.fileLine, of: line, isLiteral: true)
        record.add("pod", parts.pod, of: line)
        record.add("container", parts.container, of: line)
        record.add("process", parts.unit, of: line)
        record.add("mnemonic", parts.mnemonic, of: line)
        var pairs = LogfmtPairs(line, 0..<header.start)
        while let pair = pairs.next() { record.add(line, pair) }
    }

    /// Where the time ends of a line that has structured data after its header.
    private func endOfTime(_ line: Bytes, _ header: LineHeader) -> Int? {
        guard let time = header.time, time.isOfSyslog, time.hasZone, !header.isWrapped else { return nil }
        return SyslogHeader.hasData(line, after: time.end) ? time.end : nil
    }

    private func level(ofPairs line: Bytes, _ range: Range<Int>) -> LogLevel? {
        var pairs = LogfmtPairs(line, range)
        while let pair = pairs.next() {
            guard LineKey.key(line, pair.name) == .level else { continue }
            if let level = LevelWord.level(of: Bytes(rebasing: line[pair.value])) { return level }
        }
        return nil
    }

    /// The level that text after a header says, at its end or its beginning.
    private func level(ofRest rest: Bytes, _ header: LineHeader) -> LogLevel? {
        let level = header.time != nil || header.isWrapped ? trailingLevel(rest) : nil
        return level ?? (header.time?.end == header.start ? ownLevel(rest) : nil)
    }

    /// `… level=error code=5`, where nothing but pairs follows.
    private func trailingLevel(_ rest: Bytes) -> LogLevel? {
        guard let base = rest.baseAddress, memchr(base, 0x3D, rest.count) != nil else { return nil }
        var pairs = LogfmtPairs(rest)
        var level: LogLevel?
        var end = 0
        while let pair = pairs.next() {
            if level != nil, !rest[end..<pair.name.lowerBound].allSatisfy({ $0 == .space || $0 == .quote }) {
                level = nil
            }
            let value = Bytes(rebasing: rest[pair.value])
            if level == nil, LineKey.key(rest, pair.name) == .level, value.first?.isLetter == true {
                level = LevelWord.level(of: value)
            }
            end = pair.value.upperBound
        }
        return rest[min(end, rest.count)...].allSatisfy {
            $0 == .space || $0 == .quote || $0 == .closeBracket
        }
            ? level : nil
    }

    /// A level of the program's own, by the name after the time.
    private func ownLevel(_ rest: Bytes) -> LogLevel? {
        let word = rest.prefix(40).prefix { $0 != .space }
        guard let first = word.first, first.isLetter, word.count < 40 else { return nil }
        guard let level = LogLevel(named: String(decoding: word, as: UTF8.self)), level.index > 6 else {
            return nil
        }
        return level
    }

    // MARK: The message and what is in it

    /// The text, and the fields in it and after it.
    private func readMessage(_ rest: Bytes, _ header: LineHeader, _ record: inout LineRecord) {
        var end = rest.count
        let isStructured = header.time != nil || header.level != nil
        if isStructured, readCategory(rest, &end, header, &record) || readContext(rest, &end, header, &record)
        {
            record.message = rest.text(0..<end)
            return
        }
        record.message = rest.text(0..<end)
        var pairs = LogfmtPairs(rest, record.wanted.isEmpty ? 0..<0 : nil)
        while let pair = pairs.next() {
            // A level or a time within a sentence does not belong to the line.
            switch LineKey.key(rest, pair.name) {
            case .level, .time: break
            default: record.add(rest, pair)
            }
        }
        // The text of klog is in quotes.
        if header.level != nil, rest.first == .quote, header.parts.source != nil,
            let close = rest[1...].firstIndex(of: .quote),
            close + 1 == rest.count || rest[close + 1] == .space
        {
            record.message = JSONMembers.unescaped(rest, 1..<close)
        }
    }

    /// ` (kafka.server.KafkaServer)` at the end.
    private func readCategory(
        _ rest: Bytes, _ end: inout Int, _ header: LineHeader, _ record: inout LineRecord
    ) -> Bool {
        guard record.category == nil, header.level != nil, rest.last == UInt8(ascii: ")"),
            let open = rest.lastIndex(of: UInt8(ascii: "(")), open > 1, rest[open - 1] == .space
        else { return false }
        let name = rest[open + 1..<rest.count - 1]
        guard name.count(where: { $0 == .period }) > 1, name.first?.isLetter == true,
            name.allSatisfy({ $0.isLetter || $0.isDigit || $0 == .period || $0 == .dollar })
        else { return false }
        record.category = rest.text(open + 1..<rest.count - 1)
        end = open - 1
        return true
    }

    /// ` {order=17 user=ann}` or ` {"order":17} []` at the end; neither is part of the text.
    private func readContext(
        _ rest: Bytes, _ end: inout Int, _ header: LineHeader, _ record: inout LineRecord
    ) -> Bool {
        var last = rest.count
        while last > 3, rest[last - 1] == UInt8(ascii: "]"), rest[last - 2] == UInt8(ascii: "["),
            rest[last - 3] == .space
        {
            last -= 3
        }
        guard last > 2, rest[last - 1] == UInt8(ascii: "}") else {
            end = last
            return last < rest.count
        }
        // The outermost brace that has a blank in front of it, and whose inside is of one of the two forms.
        var open = 1
        while open < last - 1 {
            guard rest[open] == UInt8(ascii: "{"), rest[open - 1] == .space || rest[open - 1] == .tab else {
                open += 1
                continue
            }
            if rest[open + 1] == .quote || rest[open + 1] == UInt8(ascii: "}") {
                var members = JSONMembers(rest, at: open)
                while let member = members.next() {
                    record.add(rest, member)
                    if member.value.upperBound > last { break }
                }
                end = open - 1
                return true
            }
            var pairs = LogfmtPairs(rest, open + 1..<last - 1, allowsSpaces: true)
            if let pair = pairs.next(), pair.name.lowerBound == open + 1 {
                record.add(rest, pair)
                while let pair = pairs.next() { record.add(rest, pair) }
                end = open - 1
                return true
            }
            open += 1
        }
        return false
    }

    /// Of several pairs that could be the time or the level by their names, the first counts whose value is
    /// one; the others are fields.
    private func readPairs(
        _ pairs: LogfmtPairs, _ line: Bytes, _ extent: LineHeader.Extent, _ record: inout LineRecord
    ) {
        var pairs = pairs
        var hasMessage = false
        var parts = LineTime.Parts()
        defer {
            record.moment = record.moment ?? parts.moment(line, times)
            if record.moment == nil, parts.hasUnknownZone { record.hasUnknownZone = true }
        }
        while let pair = pairs.next() {
            let raw = Bytes(rebasing: line[pair.value])
            let key = LineKey.key(line, pair.name)
            switch key {
            case .time:
                if let moment = times.moment(of: raw), moment == record.moment ?? moment {
                    record.moment = moment
                    continue
                }
                parts.take(line, pair.value, times)
            case .zone: parts.take(line, pair.value, times, isZone: true)
            case .level:
                if let level = LevelWord.level(of: raw), level == record.level ?? level {
                    record.level = level
                    continue
                }
            case .status where pairs.isOfColumns && record.level == nil:
                record.level = raw.number(0, raw.count).flatMap { LevelWord.status($0) }
            case .message where !hasMessage && raw.starts(with: "audit(".utf8):
                record.moment = record.moment ?? times.number(raw, at: 6)?.moment
                let end = min(line.count, pair.value.upperBound + 1)
                if extent == .all { record.message = line.text(end..<line.count) }
                hasMessage = true
                continue
            default: break
            }
            guard extent == .all else {
                if extent.isMet(record) { return }
                continue
            }
            let value = JSONMembers.unescaped(line, pair.value)
            if key == .message, !hasMessage {
                record.message = value
                hasMessage = true
            } else if key == .category, record.category == nil, pair.name.count > 1 {
                record.category = value
            } else {
                record.add(line.text(pair.name), value, isLiteral: LineRecord.isNumber(value))
            }
        }
        if !hasMessage, extent == .all { record.message = line.text(0..<line.count) }
    }

    private func readJSON(
        _ line: Bytes, _ extent: LineHeader.Extent, _ record: inout LineRecord, depth: Int
    ) {
        let json = JSONLine(line, times, extent)
        record.moment = record.moment ?? json.moment
        if record.moment == nil, json.parts.hasUnknownZone { record.hasUnknownZone = true }
        record.level = record.level ?? json.level
        if extent == .all {
            record.hasTypes = true
            if let category = json.category, record.category == nil { record.category = category.text(line) }
        }
        if extent.isMet(record) { return }
        if let inner = json.inner, depth < LineRecognizer.deepest {
            withUnescaped(line, inner.value) { read($0.trimmed, extent, &record, depth: depth + 1) }
        } else if extent == .all {
            record.message = json.messageText ?? line.text(0..<line.count)
        }
        guard extent == .all, !record.wanted.isEmpty else { return }
        add(JSONMembers(line), line, prefix: "", &record, json, depth: 0)
    }

    /// Adds the members of an object; what is nested too deep is a text.
    private func add(
        _ members: JSONMembers, _ line: Bytes, prefix: String, _ record: inout LineRecord, _ json: JSONLine,
        depth: Int
    ) {
        var members = members
        while let member = members.next() {
            if json.isUsed(member) { continue }
            let name = prefix + JSONMembers.unescaped(line, member.name)
            let isInside = member.kind == .object && depth < LogValue.maximumDepth
            if isInside, prefix.utf8.count < 100 {
                // The fields of ECS are in an object that is not part of their names.
                add(
                    JSONMembers(line, at: member.value.lowerBound), line,
                    prefix: name == "labels" ? "" : name + ".",
                    &record, json, depth: depth + 1)
                continue
            }
            if record.wanted.has(name) {
                record.add(name, member.text(line), isLiteral: member.kind != .text)
            }
        }
    }

    /// The members of a line that is an object, but for those that are its message, level and time.
    ///
    /// - Parameters:
    ///   - line: The object.
    ///   - keepsTime: Whether the time is one of those that are handed out.
    ///   - body: Takes a member; its ranges are of the line.
    /// - Returns: The message, if there is one.
    package func members(of line: Bytes, keepsTime: Bool, _ body: (JSONMembers.Member) -> Void) -> String? {
        let json = JSONLine(line, times, .all)
        let message = json.message ?? json.inner
        var members = JSONMembers(line)
        while let member = members.next() {
            let place = member.value.lowerBound
            if place == message?.value.lowerBound || json.isLevel(member) || !keepsTime && json.isTime(member)
            {
                continue
            }
            body(member)
        }
        return json.messageText ?? json.inner?.text(line)
    }

    // MARK: Lines within lines

    /// Calls `body` with the line without the colors of terminals, and without what it ends with.
    private func withoutColors(_ line: Bytes, _ body: (Bytes) -> Void) {
        var line = line.withoutEnd
        // The mark of UTF-8, with which a file may begin.
        if line.first == 0xEF, line.begins(with: "\u{FEFF}") { line = Bytes(rebasing: line.dropFirst(3)) }
        let near = min(line.count, LineRecognizer.reach)
        guard let base = line.baseAddress, let escape = memchr(base, 0x1B, near), line[0] != UInt8(ascii: "{")
        else {
            return body(line)
        }
        let first = base.distance(to: UnsafeRawPointer(escape))
        withUnsafeTemporaryAllocation(byteCount: line.count, alignment: 1) { room in
            var count = 0
            var index = 0
            while index < line.count {
                if line[index] == .escape, index >= first {
                    index = line.afterEscape(index)
                } else {
                    room[count] = line[index]
                    count += 1
                    index += 1
                }
            }
            body(Bytes(rebasing: room[..<count]))
        }
    }

    /// Calls `body` with the text of a JSON string, without the newline that it mostly ends with.
    private func withUnescaped(_ line: Bytes, _ range: Range<Int>, _ body: (Bytes) -> Void) {
        let isEnded = range.count > 1 && line.has("\\n", at: range.upperBound - 2, before: range.upperBound)
        let raw = Bytes(rebasing: line[isEnded ? range.dropLast(2) : range])
        guard raw.contains(.backslash) else { return body(raw) }
        var text: [UInt8] = []
        JSONTokens.unescape(raw, into: &text)
        text.withUnsafeBytes { body($0.withoutEnd) }
    }
}

extension LineHeader.Extent {
    /// Whether a record has what is asked for.
    fileprivate func isMet(_ record: LineRecord) -> Bool {
        switch self {
        case .time: record.moment != nil
        case .level: record.level != nil
        case .head: record.moment != nil && record.level != nil
        case .all: false
        }
    }
}

extension LineRecord {
    /// The time and the level, and what tells whether the line begins a record.
    package var head: LineRecognizer.Head {
        var head = LineRecognizer.Head()
        (head.moment, head.level) = (moment, level)
        (head.hasUnknownZone, head.form, head.origin) = (hasUnknownZone, form, origin)
        return head
    }

    /// Takes the time of a header, where there was none.
    fileprivate mutating func take(_ time: LineTime.Found?) {
        guard moment == nil, let time else { return }
        moment = time.moment
        if moment == nil, time.hasUnknownZone { hasUnknownZone = true }
    }
}

extension UnsafeRawBufferPointer {
    /// Without the carriage return or newline at the end.
    fileprivate var withoutEnd: UnsafeRawBufferPointer {
        var count = count
        while count > 0, self[count - 1] == .carriageReturn || self[count - 1] == .newline { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<count])
    }

    /// Without blanks at the beginning, and a newline at the end.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        let line = withoutEnd
        var start = 0
        while start < line.count, line[start] == .space || line[start] == .tab { start += 1 }
        return UnsafeRawBufferPointer(rebasing: line[start...])
    }

    /// Where a control sequence of a terminal ends.
    fileprivate func afterEscape(_ start: Int) -> Int {
        guard start + 1 < count, self[start + 1] == UInt8(ascii: "[") else {
            return Swift.min(start + 2, count)
        }
        var index = start + 2
        while index < count, !(0x40...0x7E).contains(self[index]) { index += 1 }
        return Swift.min(index + 1, count)
    }
}
