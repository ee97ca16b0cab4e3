package import Heartwood

/// What a line of a log says: when, how serious, of what kind, the text, and the fields beside it.
package struct LineRecord: Sendable {
    /// A named value.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String
        /// Whether the value is JSON as it is: a number, a Boolean, null, a list or an object.
        package var isLiteral: Bool

        package init(_ name: String, _ value: String, isLiteral: Bool = false) {
            self.name = name
            self.value = value
            self.isLiteral = isLiteral
        }
    }

    /// When it was logged, where the line says so.
    package var moment: LogTimestamp?
    /// How serious it is, where the line says so.
    package var level: LogLevel?
    /// The category, logger or program, where the line says so.
    package var category: String?
    /// The text alone; the whole line where its format is not known.
    package var message = ""
    /// Whether the line has a time whose zone is unknown, or has several meanings.
    package var hasUnknownZone = false
    /// Whether the line tells numbers from texts, as JSON does.
    package var hasTypes = false
    /// Whether the fields are wanted.
    var takesFields = true
    /// All other values that have a name, in their order.
    package var fields: [Field] = []

    package init() {}

    /// The value under a name: `time`, `level`, `category`, `message`, or one of the fields.
    ///
    /// A field is also found without regard to case and to an underscore in front of its name, as GELF and
    /// journald write it, unless there is one of exactly that name.
    package subscript(name: String) -> Field? {
        switch name {
        case "time": return moment.map { Field("time", LineRecord.text(of: $0)) }
        case "level": return level.map { Field("level", $0.name) }
        case "category": if let category { return Field("category", category) }
        case "message": return Field("message", message)
        default: break
        }
        if let field = fields.first(where: { $0.name == name }) { return field }
        let plain = LineRecord.plain(name)
        return fields.first { LineRecord.isAlike($0.name, plain) }
    }

    private static func plain(_ name: String) -> [UInt8] {
        let bytes = name.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        return bytes.first == 0x5F ? Array(bytes.dropFirst()) : bytes
    }

    private static func isAlike(_ name: String, _ plain: [UInt8]) -> Bool {
        let count = name.utf8.count
        guard count == plain.count || count == plain.count + 1 && name.utf8.first == 0x5F else {
            return false
        }
        return LineRecord.plain(name) == plain
    }

    /// A moment as RFC 3339 has it, in UTC, without zeros that say nothing: `2026-11-20T10:20:30.123Z`.
    package static func text(of moment: LogTimestamp) -> String {
        var buffer = LogBuffer()
        buffer.append(rfc3339: moment)
        var text = buffer.text.dropLast()
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text + "Z"
    }
}

extension LineRecord {
    /// Adds a field.
    mutating func add(_ name: String, _ value: String, isLiteral: Bool = false) {
        if takesFields { fields.append(.init(name, value, isLiteral: isLiteral)) }
    }

    /// Adds a part of the line, if there is one.
    mutating func add(
        _ name: String, _ range: Range<Int>?, of line: UnsafeRawBufferPointer, isLiteral: Bool = false
    ) {
        if let range { add(name, line.text(range), isLiteral: isLiteral) }
    }

    /// Adds a pair of logfmt.
    mutating func add(_ line: UnsafeRawBufferPointer, _ pair: LogfmtPairs.Pair) {
        guard takesFields else { return }
        let value = JSONMembers.unescaped(line, pair.value)
        add(line.text(pair.name), value, isLiteral: LineRecord.isNumber(value))
    }

    /// Adds a member of an object.
    mutating func add(_ line: UnsafeRawBufferPointer, _ member: JSONMembers.Member) {
        guard takesFields else { return }
        add(JSONMembers.unescaped(line, member.name), member.text(line), isLiteral: member.kind != .text)
    }

    /// Whether a text is a number.
    static func isNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isDigit || "+-.niNI".utf8.contains(first) else {
            return false
        }
        return Double(text) != nil
    }
}
