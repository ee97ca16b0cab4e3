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
    /// All other values that have a name, in their order.
    package var fields: [Field] = []

    package init() {}

    /// The value under a name: `time`, `level`, `category`, `message`, or one of the fields.
    package subscript(name: String) -> Field? {
        if let field = fields.first(where: { $0.name == name }) { return field }
        switch name {
        case "time": return moment.map { Field("time", LineRecord.text(of: $0)) }
        case "level": return level.map { Field("level", $0.name) }
        case "category": return category.map { Field("category", $0) }
        case "message": return Field("message", message)
        default: return nil
        }
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
