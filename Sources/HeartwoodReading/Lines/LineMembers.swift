import CHeartwood
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
        skip { $0 == .comma || $0.isBlank }
        guard index < bytes.count, bytes[index] == .quote, let name = text() else { return nil }
        skip { $0 == .colon || $0.isBlank }
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case .quote: return text().map { Member(name: name, value: $0, kind: .text) }
        case .openBrace: return Member(name: name, value: nested(), kind: .object)
        case .openBracket: return Member(name: name, value: nested(), kind: .list)
        default:
            let start = index
            skip { $0 != .comma && $0 != .closeBrace && !$0.isBlank }
            return start == index ? nil : Member(name: name, value: start..<index, kind: .literal)
        }
    }

    /// The inside of a text; the index is after its closing quote then.
    private mutating func text() -> Range<Int>? {
        let start = index + 1
        index = start
        while index < bytes.count {
            switch bytes[index] {
            case .quote:
                index += 1
                return start..<index - 1
            case .backslash: index += 2
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
            case .quote:
                if text() == nil { return start..<bytes.count }
                continue
            case .openBrace, .openBracket: depth += 1
            case .closeBrace, .closeBracket: depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { break }
        }
        return start..<index
    }

    private mutating func skipSpace() { skip { $0.isBlank } }

    @inline(__always)
    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
    }

    /// The text of a range, with the escapes of JSON resolved.
    package static func unescaped(_ bytes: Bytes, _ range: Range<Int>) -> String {
        let raw = Bytes(rebasing: bytes[range])
        guard raw.contains(.backslash) else { return String(decoding: raw, as: UTF8.self) }
        var text: [UInt8] = []
        JSONTokens.unescape(raw, into: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
extension JSONMembers.Member {
    /// The value as a text.
    package func text(_ line: UnsafeRawBufferPointer) -> String {
        if kind == .text { return JSONMembers.unescaped(line, value) }
        return line.text(value)
    }

    /// The text that a list of bytes is, and that of the first of several values.
    fileprivate func message(_ line: UnsafeRawBufferPointer) -> String {
        guard kind == .list, value.count > 2 else { return text(line) }
        var bytes: [UInt8] = []
        var index = value.lowerBound + 1
        if line[index] == .quote {
            var close = index + 1
            while close < line.count, line[close] != .quote { close += line[close] == .backslash ? 2 : 1 }
            return JSONMembers.unescaped(line, index + 1..<min(close, line.count))
        }
        while index < value.upperBound - 1 {
            while index < value.upperBound - 1, line[index].isOne(of: " \t") { index += 1 }
            guard let byte = line.shortNumber(&index, 3), byte < 256 else { return text(line) }
            bytes.append(UInt8(byte))
            while index < value.upperBound - 1, line[index].isOne(of: ", \t") { index += 1 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What an object says of itself, found in one walk over its members and those of a few objects in it.
///
/// Of several members that could be the time or the level by their names, the first counts whose value is
/// one.
struct JSONLine {
    private(set) var moment: LogTimestamp?
    private(set) var level: LogLevel?
    private(set) var category: JSONMembers.Member?
    private(set) var message: JSONMembers.Member?
    /// The line of a program as Docker keeps it.
    private(set) var inner: JSONMembers.Member?

    private let line: UnsafeRawBufferPointer
    private let times: LineTime
    private let extent: LineHeader.Extent
    private var timeAt = -1
    private var levelAt = -1
    /// A level that is a single digit, whose meaning depends on the program.
    private var digit: (value: Int, place: Int)?
    /// A level that is a number of two or three digits, of bunyan's scale or of Python's.
    private var number: JSONMembers.Member?
    private var isPython = false
    private var template: JSONMembers.Member?
    private var otherMessage: JSONMembers.Member?
    private var otherCategory: JSONMembers.Member?
    private var nanoseconds = 0
    private(set) var parts = LineTime.Parts()
    private var otherTime: LogTimestamp?
    /// Whether that may be when a thing was made.
    private var needsEvent = false
    private var awaitsNanoseconds = false
    private var isGELF = false
    private var isNextcloud = false
    private var isNamed = false
    private let isSwiftyBeaver: Bool
    private let isMongoDB: Bool
    private let isCompact: Bool

    init(_ line: UnsafeRawBufferPointer, _ times: LineTime, _ extent: LineHeader.Extent) {
        (self.line, self.times, self.extent) = (line, times, extent)
        // Their objects begin as no others do.
        isSwiftyBeaver = line.begins(with: "{\"timestamp\":1")
        isMongoDB = line.begins(with: "{\"t\":{\"$date\"")
        isCompact = line.begins(with: "{\"@t\":")
        read(JSONMembers(line), LineKey.Path(), depth: 0)
        finish()
    }

    /// Whether a member is not one of the fields.
    func isUsed(_ member: JSONMembers.Member) -> Bool {
        let place = member.value.lowerBound
        return place == timeAt || place == levelAt || place == message?.value.lowerBound
            || place == category?.value.lowerBound || place == inner?.value.lowerBound
    }

    /// Whether a member is the level.
    func isLevel(_ member: JSONMembers.Member) -> Bool { member.value.lowerBound == levelAt }

    /// Whether a member is the time.
    func isTime(_ member: JSONMembers.Member) -> Bool { member.value.lowerBound == timeAt }

    private var isDone: Bool {
        switch extent {
        case .time: moment != nil && !(awaitsNanoseconds && nanoseconds == 0)
        case .level: level != nil
        case .head: level != nil && moment != nil && !(awaitsNanoseconds && nanoseconds == 0)
        case .all: false
        }
    }

    private mutating func read(_ members: JSONMembers, _ path: LineKey.Path, depth: Int) {
        var members = members
        while !isDone, let member = members.next() {
            if member.kind == .object {
                if depth < 3, LineKey.isContainer(line, member.name, in: path) {
                    read(
                        JSONMembers(line, at: member.value.lowerBound), path.inside(line, member.name),
                        depth: depth + 1)
                }
                continue
            }
            if isMongoDB, depth == 0, member.name.count == 1 {
                if line[member.name.lowerBound] == UInt8(ascii: "s") { takeLevel(member) }
                if line[member.name.lowerBound] == UInt8(ascii: "c") { category = category ?? member }
                continue
            }
            if let key = LineKey.key(line, member.name, in: path) {
                take(member, key)
            } else if depth == 0, moment == nil, otherTime == nil, member.kind != .list,
                member.value.count > 9
            {
                otherTime = time(byName: member)
            }
        }
    }

    /// Whether a member tells that the object is an event.
    private var isEvent: Bool {
        var members = JSONMembers(line)
        while let member = members.next() {
            if LineKey.isOfEvent(line, member.name) { return true }
        }
        return false
    }

    /// The time of a member whose name ends as those of times do, and whose value is surely a moment.
    private mutating func time(byName member: JSONMembers.Member) -> LogTimestamp? {
        let name = UnsafeRawBufferPointer(rebasing: line[member.name])
        guard let use = LineKey.use(ofTime: name) else { return nil }
        needsEvent = use.needsEvent
        let value = bytes(member)
        if value.count > 15, let found = times.iso(value, 0) {
            return found.end == value.count && !found.isDay ? found.moment : nil
        }
        return use.mayBeNumber && [10, 13, 16, 19].contains(value.count) ? times.moment(of: value) : nil
    }

    private func bytes(_ member: JSONMembers.Member) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: line[member.value])
    }

    private mutating func takeLevel(_ member: JSONMembers.Member) {
        guard level == nil, let found = LevelWord.level(of: bytes(member)) else { return }
        level = found
        levelAt = member.value.lowerBound
    }

    private mutating func take(_ member: JSONMembers.Member, _ key: LineKey) {
        switch key {
        case .time:
            guard moment == nil, member.kind != .list else { return }
            guard let found = times.moment(of: bytes(member)) else {
                return parts.take(line, member.value, times)
            }
            moment = found
            timeAt = member.value.lowerBound
            // `"instant":{"epochSecond":…,"nanoOfSecond":…}`
            awaitsNanoseconds = member.name.count == 11
        case .zone: parts.take(line, member.value, times, isZone: true)
        case .status: break
        case .nanoseconds:
            nanoseconds = line.number(member.value.lowerBound, member.value.count) ?? 0
        case .level:
            guard member.kind != .list else { return }
            if member.value.count == 1, let value = line.number(member.value.lowerBound, 1) {
                if digit == nil { digit = (value, member.value.lowerBound) }
            } else if !member.value.isEmpty, line[member.value.lowerBound].isDigit {
                if number == nil { number = member }
            } else {
                takeLevel(member)
            }
        case .pythonLevel: isPython = true
        case .syslogLevel:
            let value = bytes(member)
            let isOfJournal = line[member.name.lowerBound] == UInt8(ascii: "P")
            if value.count == 1, isOfJournal, let number = value.number(0, 1), level == nil,
                let found = LevelWord.severity(number)
            {
                level = found
                levelAt = member.value.lowerBound
            }
        case .severityNumber:
            guard level == nil, let number = line.number(member.value.lowerBound, member.value.count),
                (1...24).contains(number)
            else { return }
            level = [.verbose, .debug, .info, .warning, .error, .fatal][(number - 1) / 4]
            levelAt = member.value.lowerBound
        case .category:
            if category == nil, member.kind == .text, !member.value.isEmpty { category = member }
        case .otherCategory: if otherCategory == nil, member.kind == .text { otherCategory = member }
        case .message, .gelfMessage:
            if key == .gelfMessage { isGELF = true }
            if message == nil { message = member }
            if line[member.name].elementsEqual("message".utf8), member.name.lowerBound > 12,
                line[..<member.name.lowerBound].hasSuffix("\"fields\":{\"")
            {
                isNamed = true
            }
        case .template: if template == nil { template = member }
        case .otherMessage: if otherMessage == nil, member.kind == .text { otherMessage = member }
        case .dockerLine: if inner == nil, member.kind == .text { inner = member }
        case .requestID: isNextcloud = true
        case .hostname: isNamed = true
        }
    }

    /// Decides what depends on which members there are.
    private mutating func finish() {
        moment = moment ?? parts.moment(line, times)
        if moment == nil, !needsEvent || isEvent { moment = otherTime }
        if nanoseconds > 0, let seconds = moment { moment = seconds + .nanoseconds(nanoseconds) }
        message = message ?? template ?? otherMessage
        if message != nil { inner = nil }
        if isNamed || levelIsOfPython { category = category ?? otherCategory }
        guard level == nil else { return }
        if let number, let found = level(number: number) {
            level = found
            levelAt = number.value.lowerBound
        } else if let digit, let found = level(digit: digit.value) {
            level = found
            levelAt = digit.place
        } else if isCompact, template != nil || message != nil, digit == nil {
            level = .info
        }
    }

    /// Whether the name of the level is that of Python's loggers, whose `name` is that of the logger.
    private var levelIsOfPython: Bool {
        levelAt > 12 && line[..<levelAt].hasSuffix("\"levelname\":\"")
            || levelAt > 12 && line[..<levelAt].hasSuffix("\"levelname\": \"")
    }

    private func level(number: JSONMembers.Member) -> LogLevel? {
        guard isPython else { return LevelWord.level(of: bytes(number)) }
        let value = line.number(number.value.lowerBound, number.value.count) ?? 0
        return (10...59).contains(value) ? [.debug, .info, .warning, .error, .fatal][value / 10 - 1] : nil
    }

    private func level(digit: Int) -> LogLevel? {
        if isGELF { return LevelWord.severity(digit) }
        if isNextcloud { return [.debug, .info, .warning, .error, .fatal][min(digit, 4)] }
        // SwiftyBeaver counts upwards from 0.
        if isSwiftyBeaver { return [.verbose, .debug, .info, .warning, .error][min(digit, 4)] }
        return nil
    }

    /// The message as a text.
    var messageText: String? { message?.message(line) }
}

extension Slice where Base == UnsafeRawBufferPointer {
    fileprivate func hasSuffix(_ text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount
            && text.withUTF8Buffer { suffix($0.count).elementsEqual($0) }
    }
}

/// Goes through the `key=value` pairs of a line without building anything.
struct LogfmtPairs {
    package typealias Bytes = UnsafeRawBufferPointer

    /// A key and its value, as ranges of the line; a value in quotes is without them, and still escaped.
    struct Pair {
        let name: Range<Int>
        let value: Range<Int>
    }

    private let bytes: Bytes
    private var index: Int
    private var end: Int
    private let allowsSpaces: Bool
    /// Whether these are columns, `name:value` and tabs, which LTSV is.
    private(set) var isOfColumns = false

    /// The columns of a line, if it has nothing else.
    init?(columns line: Bytes) {
        guard let base = line.baseAddress, line.count > 12, line[0].isLetter,
            let tab = memchr(base, 0x09, line.count)
        else { return nil }
        let first = base.distance(to: UnsafeRawPointer(tab))
        self.init(line, 0..<0)
        (index, isOfColumns) = (0, true)
        end = line.count
        guard column(0) != nil, column(first + 1) != nil else { return nil }
    }

    /// Whether one of the pairs is a time.
    func hasTime(_ times: LineTime) -> Bool {
        var pairs = self
        while let pair = pairs.next() {
            guard LineKey.key(bytes, pair.name) == .time else { continue }
            if times.moment(of: Bytes(rebasing: bytes[pair.value])) != nil { return true }
        }
        return false
    }

    /// The name and the value that begin at a place, up to a tab.
    private func column(_ start: Int) -> Pair? {
        var colon = start
        let keys = ByteSet.ofKeys
        while colon < end, bytes[colon] != .colon, keys.has(bytes[colon]) { colon += 1 }
        guard colon > start, colon < end, bytes[colon] == .colon, bytes[start].isLetter else { return nil }
        var last = colon + 1
        while last < end, bytes[last] != .tab { last += 1 }
        let isEnclosed =
            last - colon > 2 && bytes[colon + 1] == .openBracket && bytes[last - 1] == .closeBracket
        return Pair(name: start..<colon, value: isEnclosed ? colon + 2..<last - 1 : colon + 1..<last)
    }

    /// Goes through a range of the bytes; with `allowsSpaces`, a value without quotes ends only where the
    /// next key begins.
    init(_ bytes: Bytes, _ range: Range<Int>? = nil, allowsSpaces: Bool = false) {
        self.bytes = bytes
        self.allowsSpaces = allowsSpaces
        let range = range ?? 0..<bytes.count
        end = range.upperBound
        // Most texts have no pair.
        let hasPairs = bytes.baseAddress.map { memchr($0 + range.lowerBound, 0x3D, range.count) != nil }
        index = hasPairs == true ? range.lowerBound : end
    }

    /// Whether the line begins with a pair.
    static func isLogfmt(_ line: Bytes) -> Bool {
        guard let first = line.first, first | 0x20 >= 0x61, first | 0x20 <= 0x7A || first == .underscore
        else {
            return false
        }
        let keys = ByteSet.ofKeys
        for byte in line.prefix(40) where !keys.has(byte) { return byte == UInt8(ascii: "=") }
        return false
    }

    /// Whether one begins at a place that tells of a log by its key: a time, a level or a message.
    static func isOfLog(_ line: Bytes, from start: Int) -> Bool {
        let line = Bytes(rebasing: line[start...])
        var pairs = LogfmtPairs(line)
        guard isLogfmt(line), let pair = pairs.next() else { return false }
        return LineKey.key(line, pair.name)?.isOfLog == true
    }

    /// The next pair; words that are not pairs are skipped.
    mutating func next() -> Pair? {
        if isOfColumns { return nextColumn() }
        let keys = ByteSet.ofKeys
        while index < end {
            while index < end, isBlank(bytes[index]) { index += 1 }
            let start = index
            while index < end, keys.has(bytes[index]) { index += 1 }
            if index < end, index > start, bytes[index] == UInt8(ascii: "=") {
                let name = start..<index
                index += 1
                return Pair(name: name, value: value())
            }
            while index < end, !isBlank(bytes[index]) { index += 1 }
        }
        return nil
    }

    private mutating func nextColumn() -> Pair? {
        while index < end {
            let start = index
            while index < end, bytes[index] != .tab { index += 1 }
            index += 1
            if let pair = column(start) { return pair }
        }
        return nil
    }

    private mutating func value() -> Range<Int> {
        guard index < end, bytes[index] == .quote else {
            let start = index
            while index < end, !isBlank(bytes[index]) || (allowsSpaces && !isKey(at: index + 1)) {
                index += 1
            }
            return start..<index
        }
        let start = index + 1
        index = start
        while index < end, bytes[index] != .quote { index += bytes[index] == .backslash ? 2 : 1 }
        index = min(index, end)
        let range = start..<index
        if index < end { index += 1 }
        return range
    }

    /// Whether a key and its equals sign are at this place.
    private func isKey(at start: Int) -> Bool {
        let keys = ByteSet.ofKeys
        var index = start
        while index < end, keys.has(bytes[index]) { index += 1 }
        return index > start && index < end && bytes[index] == UInt8(ascii: "=")
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == .space || byte == .tab }
}

extension UnsafeRawBufferPointer {
    /// Whether it begins with some ASCII characters.
    @inline(__always)
    func begins(with text: StaticString) -> Bool { has(text, at: 0, before: count) }

    /// Whether some ASCII characters are at a place, all of them before another one.
    @inline(__always)
    func has(_ text: StaticString, at place: Int, before end: Int) -> Bool {
        let size = text.utf8CodeUnitCount
        guard end - place >= size, let base = baseAddress else { return false }
        return memcmp(base + place, text.utf8Start, size) == 0
    }

    /// Whether some ASCII characters are in a range.
    ///
    /// The standard library's search is generic, and not specialized for bytes: it takes a microsecond.
    func has(_ text: StaticString, in range: Range<Int>) -> Bool {
        guard let base = baseAddress else { return false }
        return hw_find(base + range.lowerBound, range.count, text.utf8Start, text.utf8CodeUnitCount) != nil
    }

    /// A range as a text.
    func text(_ range: Range<Int>) -> String { String(decoding: self[range], as: UTF8.self) }
}
