import Heartwood
import HeartwoodReading

/// A condition that fields of a record must meet: `ms>100`, `user=ann or user=bob`, `"a=b"~"x or y"`.
struct FieldCondition {
    fileprivate enum Comparison: String, CaseIterable {
        case atLeast = ">=", atMost = "<=", different = "!=", above = ">", below = "<", same = "=", contains =
            "~"
    }

    /// One of the conditions of which one must hold.
    fileprivate struct Alternative {
        var name = ""
        var comparison = Comparison.same
        var value = ""
        /// Whether the value was in quotes.
        var isText = false
    }

    private let alternatives: [Alternative]

    /// The first field's name.
    var name: String { alternatives[0].name }

    /// Reads `NAME>VALUE` and the like, one or several with ` or ` between them.
    ///
    /// A name or a value may be in double quotes, as a string of JSON is; then it may contain everything.
    ///
    /// - Throws: ``UsageError`` where it is of another form.
    init(parsing text: String) throws {
        var alternatives: [Alternative] = []
        var rest = text[...]
        while true {
            // An “or” that no condition follows is part of the value.
            guard let (alternative, left) = Self.alternative(rest) else {
                throw UsageError(
                    "--where expects a condition such as 'ms>100', 'user=ann' or 'path~/login' (got “\(text)”)"
                )
            }
            alternatives.append(alternative)
            guard let left else { break }
            rest = left
        }
        self.alternatives = alternatives
    }

    /// The condition at the start of a text, and the text after its “or”.
    private static func alternative(_ text: Substring) -> (Alternative, Substring?)? {
        guard var (result, rest) = beginning(text) else { return nil }
        if let (value, left) = quoted(rest.drop { $0 == " " }) {
            let left = left.drop { $0 == " " }
            if left.isEmpty || left.hasPrefix("or ") && beginning(left.dropFirst(3)) != nil {
                result.value = value
                result.isText = true
                return (result, left.isEmpty ? nil : left.dropFirst(3))
            }
        }
        let value = rest
        while let place = rest.firstRange(of: " or ") {
            rest = rest[place.upperBound...]
            if beginning(rest) != nil {
                result.value = value[..<place.lowerBound].trimmingBlanks()
                return (result, rest)
            }
        }
        result.value = value.trimmingBlanks()
        return (result, nil)
    }

    /// The name and the comparison that a condition begins with, and what comes after them.
    private static func beginning(_ text: Substring) -> (Alternative, Substring)? {
        var result = Alternative()
        var rest = text.drop { $0 == " " }
        if let (name, left) = quoted(rest) {
            result.name = name
            rest = left.drop { $0 == " " }
        } else {
            guard let index = rest.firstIndex(where: { "<>=!~".contains($0) }), index > rest.startIndex else {
                return nil
            }
            result.name = rest[..<index].trimmingBlanks()
            rest = rest[index...]
        }
        guard !result.name.isEmpty,
            let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) })
        else { return nil }
        result.comparison = comparison
        return (result, rest.dropFirst(comparison.rawValue.count))
    }

    /// A text in double quotes at the start, and what comes after it.
    private static func quoted(_ text: Substring) -> (String, Substring)? {
        guard text.first == "\"" else { return nil }
        var result = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            switch character {
            case "\"": return (result, rest)
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                result.append(escaped == "n" ? "\n" : escaped == "t" ? "\t" : escaped)
            default: result.append(character)
            }
        }
        return nil
    }

    /// Whether the record has one of the fields, or a condition is met without its field.
    func hasField(in record: LineRecord) -> Bool {
        alternatives.contains { $0.comparison == .different || record[$0.name] != nil }
    }

    /// Whether one of the conditions is met.
    ///
    /// Two levels are compared by how serious they are, two times as times, two numbers as numbers, exactly
    /// and whatever their length, and all else as text, which a value in quotes always is. `=` and `!=` take
    /// a field for a number only where the line says that it is one, as JSON does; elsewhere, `1.10` and `1.1`
    /// are two texts. A field that is missing meets only `!=`.
    func holds(for record: LineRecord) -> Bool { alternatives.contains { $0.holds(for: record) } }
}

extension FieldCondition.Alternative {
    fileprivate func holds(for record: LineRecord) -> Bool {
        guard let field = record[name] else { return comparison == .different }
        if comparison == .contains { return field.value.contains(value) }
        if isText { return meets(field.value, value) }
        if name == "level", let wanted = LogLevel(named: value), let level = record.level {
            return meets(wanted.index, level.index)
        }
        if let left = LineClock.moment(of: field.value), let right = LineClock.moment(of: value) {
            return meets(left, right)
        }
        let isEquality = comparison == .same || comparison == .different
        if !isEquality || record.hasTypes && field.isLiteral,
            let left = ExactNumber(field.value), let right = ExactNumber(value)
        {
            return meets(left, right)
        }
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

/// A number of JSON, of any length, compared without rounding.
private struct ExactNumber: Comparable {
    private var isNegative = false
    /// Without zeros at the beginning and the end; none for zero.
    private var digits: [UInt8] = []
    /// The number is 0.DIGITS times ten to this.
    private var exponent = 0

    /// Reads `-12`, `12.50`, `1e5`; nil for all else, such as `01234`.
    init?(_ text: String) {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest = rest.dropFirst()
        }
        let whole = rest.prefix { $0 &- 0x30 < 10 }
        guard let first = whole.first, first != 0x30 || whole.count == 1 else { return nil }
        rest = rest.dropFirst(whole.count)
        digits = Array(whole)
        exponent = whole.count
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix { $0 &- 0x30 < 10 }
            guard !fraction.isEmpty else { return nil }
            digits += fraction
            rest = rest.dropFirst(fraction.count + 1)
        }
        if rest.first.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            guard rest.count <= 10, let power = Int(String(decoding: rest, as: UTF8.self)) else { return nil }
            exponent += power
            rest = rest.dropFirst(rest.count)
        }
        guard rest.isEmpty else { return nil }
        let zeros = digits.prefix { $0 == 0x30 }.count
        digits.removeFirst(zeros)
        exponent -= zeros
        while digits.last == 0x30 { digits.removeLast() }
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }

    static func < (left: ExactNumber, right: ExactNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    /// By what the numbers are without their signs.
    private func isSmaller(than other: ExactNumber) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        if exponent != other.exponent { return exponent < other.exponent }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}
