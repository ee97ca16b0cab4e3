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

    /// What a line shows of itself, which tells whether it begins a record.
    package enum Form: Sendable {
        /// None of the others.
        case plain
        /// A header with a level, and without a time.
        case marked
        /// A header with a time, whether or not its moment is known, or a priority of syslog.
        case timed
        /// `key=value` pairs, or a JSON object: a record by itself.
        case pairs, object
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
    /// The form of the line; that of one within it does not count.
    package var form = Form.plain
    /// What another tool has put in front of the line, as a hash; 0 for nothing.
    package var origin: UInt64 = 0
    /// The fields that are taken from the line.
    var wanted = LineFields.all
    /// All other values that have a name, in their order.
    package var fields: [Field] = []

    package init() {}

    /// The value under a name: `time`, `level`, `category`, `message`, or one of the fields.
    ///
    /// A field is also found without regard to case and to an underscore in front of its name, as GELF and
    /// journald write it, unless there is one of exactly that name.
    package subscript(name: String) -> Field? { self[FieldName(name)] }

    /// The value under a name that was prepared for many records.
    package subscript(name: FieldName) -> Field? {
        switch name.part {
        case .time: return moment.map { Field("time", LineRecord.text(of: $0)) }
        case .level: return level.map { Field("level", $0.name) }
        case .category: if let category { return Field("category", category) }
        case .message: return Field("message", message)
        case nil: break
        }
        if let field = fields.first(where: { $0.name == name.text }) { return field }
        return fields.first { name.isAlike($0.name) }
    }

    /// A moment as RFC 3339 has it, in UTC, without zeros that say nothing: `2026-11-20T10:20:30.123Z`.
    package static func text(of moment: LogTimestamp) -> String {
        var buffer = LogBuffer(capacity: 32)
        buffer.append(plain: moment)
        return buffer.text
    }
}

extension LogBuffer {
    /// Appends a moment as RFC 3339 has it, in UTC, without zeros that say nothing.
    package mutating func append(plain moment: LogTimestamp) {
        append(rfc3339: moment)
        let length = withUnsafeBytes { bytes in
            var end = bytes.count - 1
            while bytes[end - 1] == UInt8(ascii: "0") { end -= 1 }
            return bytes[end - 1] == UInt8(ascii: ".") ? end - 1 : end
        }
        truncate(to: length)
        append(UInt8(ascii: "Z"))
    }
}

/// The name of a field, prepared for being looked for in many records.
package struct FieldName: Sendable {
    /// What a record has besides its fields; a category may also be one of these.
    package enum Part: String, Sendable { case time, level, category, message }

    package let text: String
    package let part: Part?
    /// In lowercase, and without an underscore in front.
    private let plain: [UInt8]

    package init(_ text: String) {
        self.text = text
        part = Part(rawValue: text)
        let bytes = text.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        plain = bytes.first == .underscore ? Array(bytes.dropFirst()) : bytes
    }

    /// Whether another name is the same, without regard to case and to an underscore in front.
    func isAlike(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { isAlike(UnsafeRawBufferPointer($0)) }
    }

    func isAlike(_ name: UnsafeRawBufferPointer) -> Bool {
        let start = name.count - plain.count
        guard start == 0 && name.first != .underscore || start == 1 && name[0] == .underscore else {
            return false
        }
        for (index, byte) in plain.enumerated() {
            let own = name[start + index]
            if byte != (own &- 0x41 < 26 ? own | 0x20 : own) { return false }
        }
        return true
    }
}

/// The fields that a record is read for; no others are made.
package struct LineFields: Sendable {
    /// Nil for all.
    private let names: [FieldName]?

    /// All that a line has.
    package static var all: LineFields { LineFields(names: nil) }
    /// None.
    package static var none: LineFields { LineFields(names: []) }

    private init(names: [FieldName]?) { self.names = names }

    /// Those that ``LineRecord/subscript(_:)-(FieldName)`` may find under the names.
    package init(_ names: [FieldName]) {
        self.names = names.filter { $0.part == nil || $0.part == .category }
    }

    var isEmpty: Bool { names?.isEmpty ?? false }

    func has(_ name: String) -> Bool {
        guard let names else { return true }
        return names.contains { $0.isAlike(name) || $0.text == name }
    }

    func has(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let names else { return true }
        // What is not ASCII may be the same text in other bytes.
        if name.contains(where: { $0 >= 0x80 }) { return has(String(decoding: name, as: UTF8.self)) }
        return names.contains { $0.isAlike(name) }
    }
}

extension LineRecord {
    /// Adds a field.
    mutating func add(_ name: String, _ value: String, isLiteral: Bool = false) {
        guard wanted.has(name) else { return }
        // Most lines have some, and most of these fewer.
        if fields.isEmpty { fields.reserveCapacity(8) }
        fields.append(.init(name, value, isLiteral: isLiteral))
    }

    /// Adds a part of the line, if there is one.
    mutating func add(
        _ name: String, _ range: Range<Int>?, of line: UnsafeRawBufferPointer, isLiteral: Bool = false
    ) {
        if let range, wanted.has(name) { add(name, line.text(range), isLiteral: isLiteral) }
    }

    /// Adds a pair of logfmt.
    mutating func add(_ line: UnsafeRawBufferPointer, _ pair: LogfmtPairs.Pair) {
        guard wanted.has(UnsafeRawBufferPointer(rebasing: line[pair.name])) else { return }
        let value = JSONMembers.unescaped(line, pair.value)
        let isNumber = line.number(pair.value.lowerBound, pair.value.count) != nil
        add(line.text(pair.name), value, isLiteral: isNumber || LineRecord.isNumber(value))
    }

    /// Adds a member of an object.
    mutating func add(_ line: UnsafeRawBufferPointer, _ member: JSONMembers.Member) {
        guard !wanted.isEmpty else { return }
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
