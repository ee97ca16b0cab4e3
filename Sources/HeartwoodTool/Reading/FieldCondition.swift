import Heartwood

/// A condition that a field of a record must meet: `ms>100`, `user=ann`, `path~/login`.
struct FieldCondition {
    private enum Comparison: String, CaseIterable {
        case atLeast = ">=", atMost = "<=", different = "!=", above = ">", below = "<", same = "=", contains =
            "~"
    }

    /// The field's name.
    let name: String
    private let comparison: Comparison
    private let value: String

    /// Reads `NAME>VALUE` and the like.
    ///
    /// - Throws: ``UsageError`` where it is of another form.
    init(parsing text: String) throws {
        guard let index = text.firstIndex(where: { "<>=!~".contains($0) }), index > text.startIndex,
            let comparison = Comparison.allCases.first(where: { text[index...].hasPrefix($0.rawValue) })
        else {
            throw UsageError(
                "--where expects a condition such as 'ms>100', 'user=ann' or 'path~/login' (got “\(text)”)")
        }
        name = text[..<index].trimmingBlanks()
        self.comparison = comparison
        value = text[index...].dropFirst(comparison.rawValue.count).trimmingBlanks()
    }

    /// Whether the record has the field, or the condition is met without it.
    func hasField(in record: LineRecord) -> Bool { comparison == .different || record[name] != nil }

    /// Whether the record has the field and its value meets the condition.
    ///
    /// Two numbers are compared as numbers, two levels by how serious they are, all else as text. A field that is missing meets
    /// only `!=`.
    func holds(for record: LineRecord) -> Bool {
        guard let field = record[name] else { return comparison == .different }
        if comparison == .contains { return field.value.contains(value) }
        if name == "level", let wanted = LogLevel(named: value), let level = record.level {
            return meets(Double(wanted.index - level.index), 0)
        }
        if let left = Double(field.value), let right = Double(value) { return meets(left, right) }
        return meets(field.value, value)
    }

    private func meets<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch comparison {
        case .atLeast: left >= right
        case .atMost: left <= right
        case .different: left != right
        case .above: left > right
        case .below: left < right
        case .same, .contains: left == right
        }
    }
}
