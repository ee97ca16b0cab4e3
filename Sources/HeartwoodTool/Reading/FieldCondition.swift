import CHeartwood
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
        var name = "" { didSet { field = FieldName(name) } }
        private(set) var field = FieldName("")
        var comparison = Comparison.same
        var value = ""
        /// Whether the value was in quotes.
        var isText = false
        /// The bytes of the value.
        var bytes: [UInt8] = []
        /// What the value is beside a text.
        var number: ExactNumber?
        var integer: Int?
        var moment: LogTimestamp?
        var level: LogLevel?
        /// What a line must contain to meet it, where that is known.
        var needles = FieldNeedles()

        /// Finds out what the value is.
        mutating func prepare() {
            bytes = Array(value.utf8)
            if !isText {
                number = ExactNumber(value)
                integer = number == nil ? nil : Int(value)
                moment = LineClock.moment(of: value)
                level = name == "level" ? LogLevel(named: value) : nil
            }
            let isPlain = moment == nil && level == nil && name != "time"
            let isFound = comparison == .same && isPlain || comparison == .contains
            needles = FieldNeedles(
                name: name, value: isFound ? value : "", isNumber: comparison == .same && number != nil)
        }
    }

    private let alternatives: [Alternative]
    /// The comparisons with levels, where these are all that it asks for.
    private let levels: [(comparison: Comparison, index: Int)]?

    /// The first field's name.
    var name: String { alternatives[0].name }
    /// The names of the fields that it is about.
    var names: [FieldName] { alternatives.map(\.field) }

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
                    "--where expects a condition such as 'ms>100', 'user=ann' or 'path~/login' (got "
                        + "“\(text)”)")
            }
            alternatives.append(alternative)
            alternatives[alternatives.count - 1].prepare()
            guard let left else { break }
            rest = left
        }
        self.alternatives = alternatives
        let levels = alternatives.compactMap { one in one.level.map { (one.comparison, $0.index) } }
        self.levels = levels.count == alternatives.count ? levels : nil
    }

    /// Whether it asks for nothing but the level.
    var isOfLevel: Bool { levels != nil }

    /// Whether a record without a level cannot meet it.
    var needsLevel: Bool { levels?.allSatisfy { $0.comparison != .different } ?? false }

    /// Whether it is met by a level, or by none, where it asks for nothing else.
    func holds(for level: LogLevel?) -> Bool {
        guard let levels else { return false }
        return levels.contains { one in
            level.map { one.comparison.isMet(one.index, $0.index) } ?? (one.comparison == .different)
        }
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
        alternatives.contains { $0.comparison == .different || record[$0.field] != nil }
    }

    /// Whether one of the conditions is met.
    ///
    /// Two levels are compared by how serious they are, two times as times, two numbers as numbers, exactly
    /// and whatever their length, and all else as text, which a value in quotes always is. `=` and `!=` take
    /// a field for a number only where the line says that it is one, as JSON does; elsewhere, `1.10` and
    /// `1.1` are two texts. Colors in a text do not count. A field that is missing meets only `!=`.
    func holds(for record: LineRecord) -> Bool {
        // In its place: an alternative has a dozen references, which a copy counts.
        alternatives.withUnsafeBufferPointer { list in
            list.indices.contains { list[$0].holds(for: record) }
        }
    }
}

extension FieldCondition {
    /// Whether a line can meet one of the conditions by itself; often known without reading the line.
    ///
    /// - Parameters:
    ///   - line: Where the line is; those of a block are asked about in their order.
    ///   - block: The block that it is in.
    ///   - isKnown: Whether a line had the field already, so that one without the value need not be read.
    ///   - cursors: What was found in the block; for each condition its own, and new ones for each block.
    /// - Returns: false only where it cannot.
    func mayHold(
        for line: Range<Int>, in block: UnsafeRawBufferPointer, isKnown: Bool, _ cursors: inout NeedleCursors
    ) -> Bool {
        if alternatives.count == 1 { return alternatives[0].mayHold(line, block, isKnown, &cursors) }
        // Each search ends with the line.
        let line = UnsafeRawBufferPointer(rebasing: block[line])
        return alternatives.contains { alternative in
            var cursors = NeedleCursors()
            return alternative.mayHold(0..<line.count, line, isKnown, &cursors)
        }
    }

    /// Up to where no line of the block can meet the condition by itself, as far as the cursors know.
    func clearPlace(_ cursors: NeedleCursors, isKnown: Bool) -> Int {
        guard isKnown, alternatives.count == 1, alternatives[0].needles.isValueAlone else { return 0 }
        let place = min(cursors.value.place, cursors.escape.place, cursors.color.place)
        return alternatives[0].needles.isNumber ? min(place, cursors.object.place) : place
    }
}

extension FieldCondition.Alternative {
    fileprivate func mayHold(
        _ line: Range<Int>, _ block: UnsafeRawBufferPointer, _ isKnown: Bool, _ cursors: inout NeedleCursors
    ) -> Bool {
        if comparison == .different { return true }
        switch needles.find(in: line, of: block, isKnown, &cursors) {
        case .nothing: return false
        case .unknown: return true
        case .integer(let own, let isTyped): return holds(for: own, isTyped: isTyped)
        case .value(let value, let isTyped):
            return holds(for: LineRecord.Field(name, value, isLiteral: isTyped), isTyped: isTyped)
        }
    }

    fileprivate func holds(for record: LineRecord) -> Bool {
        if let level, let own = record.level { return meets(level.index, own.index) }
        guard let field = record[field] else { return comparison == .different }
        return holds(for: field, isTyped: record.hasTypes)
    }

    /// Whether an integer meets it.
    fileprivate func holds(for own: Int, isTyped: Bool) -> Bool {
        let isEquality = comparison == .same || comparison == .different
        if let integer, !isEquality || isTyped { return meets(own, integer) }
        // As texts; the integer is written without zeros in front.
        if isEquality, !isTyped, moment == nil { return (own == integer) == (comparison == .same) }
        return holds(for: LineRecord.Field(name, "\(own)", isLiteral: true), isTyped: isTyped)
    }

    fileprivate func holds(for field: LineRecord.Field, isTyped: Bool) -> Bool {
        if comparison == .contains { return AnsiText.plain(field.value).contains(bytes) }
        if let moment, let own = LineClock.moment(of: field.value) { return meets(own, moment) }
        let isEquality = comparison == .same || comparison == .different
        if let number, !isEquality || isTyped && field.isLiteral, let own = ExactNumber(field.value) {
            return meets(own, number)
        }
        let text = AnsiText.plain(field.value)
        if isEquality { return text.utf8.elementsEqual(value.utf8) == (comparison == .same) }
        return meets(text, value)
    }

    private func meets<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        comparison.isMet(left, right)
    }
}

extension FieldCondition.Comparison {
    @inline(__always)
    fileprivate func isMet<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .atLeast: left >= right
        case .atMost: left <= right
        case .different: left != right
        case .above: left > right
        case .below: left < right
        case .same, .contains: left == right
        }
    }
}

extension String {
    fileprivate func contains(_ bytes: [UInt8]) -> Bool {
        var text = self
        return bytes.isEmpty || text.withUTF8 { hw_find($0.baseAddress, $0.count, bytes, bytes.count) != nil }
    }
}

/// Where in a block what is searched for comes next.
struct NeedleCursors {
    struct Cursor {
        private(set) var place = -1

        /// Returns the next place at or after `start`, or the end of the block.
        ///
        /// Asked for in ascending order, it goes through the block once.
        mutating func next(_ needle: [UInt8], in block: UnsafeRawBufferPointer, from start: Int) -> Int {
            if place >= start { return place }
            guard let base = block.baseAddress, start < block.count else { return block.count }
            let found = hw_find(base + start, block.count - start, needle, needle.count)
            place = found.map { base.distance(to: $0) } ?? block.count
            return place
        }
    }

    /// Whether a line may have a text as it is, or with escapes or colors in it.
    mutating func mayContain(_ text: [UInt8], _ line: Range<Int>, of block: UnsafeRawBufferPointer) -> Bool {
        escape.next([UInt8(ascii: "\\")], in: block, from: line.lowerBound) < line.upperBound
            || value.next(text, in: block, from: line.lowerBound) < line.upperBound
            || color.next([0x1B], in: block, from: line.lowerBound) < line.upperBound
    }

    /// Whether a line may be an object, or have one in it.
    fileprivate mutating func mayHaveObject(_ line: Range<Int>, of block: UnsafeRawBufferPointer) -> Bool {
        object.next([UInt8(ascii: "{")], in: block, from: line.lowerBound) < line.upperBound
    }

    fileprivate var value = Cursor()
    fileprivate var pair = Cursor()
    fileprivate var member = Cursor()
    fileprivate var escape = Cursor()
    fileprivate var color = Cursor()
    fileprivate var object = Cursor()
}

/// What must be in a line that meets a condition, searched for before anything is read.
private struct FieldNeedles {
    enum Finding {
        /// The line has no such field, or not with this value.
        case nothing
        /// The field's value; `isTyped` where it is in an object.
        case value(String, isTyped: Bool)
        case integer(Int, isTyped: Bool)
        /// The line has to be read.
        case unknown
    }

    /// The name in a pair and in an object, where the field cannot come from elsewhere.
    private var pair: [UInt8] = []
    private var member: [UInt8] = []
    /// The value, where it is in the line as it is.
    private var value: [UInt8] = []
    /// Whether the value is a number, which objects may have in other digits: `1e3`.
    private(set) var isNumber = false
    private var isOfMessage = false

    /// The fields that come from other parts of a line than pairs and members.
    private static let derived: Set<String> = [
        "time", "level", "category", "message", "host", "pid", "thread", "client", "source", "stream",
        "method",
        "mnemonic", "path", "status", "bytes", "container", "pod", "process", "file", "line", "program",
    ]

    init() {}

    init(name: String, value: String, isNumber: Bool) {
        self.isNumber = isNumber
        self.value = value.contains("\n") ? [] : Array(value.utf8)
        isOfMessage = name == "message"
        let plain = name.hasPrefix("_") ? String(name.dropFirst()) : name
        guard !FieldNeedles.derived.contains(plain.lowercased()), let last = plain.split(separator: ".").last,
            last.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "_-".utf8.contains($0) })
        else { return }
        pair = Array("\(last)=".utf8)
        member = Array("\(last)\"".utf8)
        if last != plain || name != plain { isNested = true }
    }

    /// Whether the value decides alone, whatever the form of the line.
    var isValueAlone: Bool { !value.isEmpty && !isOfMessage }

    /// Whether only the last part of the name is looked for.
    private var isNested = false

    func find(
        in range: Range<Int>, of block: UnsafeRawBufferPointer, _ isKnown: Bool,
        _ cursors: inout NeedleCursors
    ) -> Finding {
        guard !range.isEmpty else { return .nothing }
        let isObject = block[range.lowerBound] == UInt8(ascii: "{")
        if isKnown, !value.isEmpty, !isNumber || !cursors.mayHaveObject(range, of: block) {
            if !(isOfMessage && isObject), !cursors.mayContain(value, range, of: block) { return .nothing }
            if !isNumber { return .unknown }
        }
        guard !pair.isEmpty else { return .unknown }
        let escape = cursors.escape.next([UInt8(ascii: "\\")], in: block, from: range.lowerBound)
        let isEscaped = escape < range.upperBound
        let place =
            isObject
            ? cursors.member.next(member, in: block, from: range.lowerBound)
            : cursors.pair.next(pair, in: block, from: range.lowerBound)
        guard place < range.upperBound else {
            // An object after other text, or a name that is escaped.
            let isElsewhere = isEscaped || !isObject && block[range].contains(UInt8(ascii: "\""))
            return isElsewhere ? .unknown : .nothing
        }
        guard isKnown, !isNested, !isEscaped else { return .unknown }
        let next =
            isObject
            ? cursors.member.next(member, in: block, from: place + 1)
            : cursors.pair.next(pair, in: block, from: place + 1)
        guard next >= range.upperBound else { return .unknown }
        return read(UnsafeRawBufferPointer(rebasing: block[range]), place - range.lowerBound, isObject)
    }

    /// Reads a number that is the value at the only place of the name in a line without anything nested.
    private func read(_ line: UnsafeRawBufferPointer, _ start: Int, _ isObject: Bool) -> Finding {
        guard let base = line.baseAddress, start > 0 else { return .unknown }
        var index = start + pair.count
        let before = line[start - 1]
        guard isObject || memchr(base, Int32(UInt8(ascii: "\"")), line.count) == nil else { return .unknown }
        if isObject {
            guard before == UInt8(ascii: "\""), index < line.count, line[index] == UInt8(ascii: ":"),
                memchr(base + 1, Int32(UInt8(ascii: "{")), line.count - 1) == nil
            else { return .unknown }
            index += 1
        } else if before != UInt8(ascii: " "), before != UInt8(ascii: "\t"), before != UInt8(ascii: "{") {
            return .unknown
        }
        let first = index
        let (point, minus) = (UInt8(ascii: "."), UInt8(ascii: "-"))
        while index < line.count, line[index].isDigit || line[index] == point || line[index] == minus {
            index += 1
        }
        guard index > first, index < line.count else { return .unknown }
        let after = line[index]
        let isEnd =
            isObject
            ? after == UInt8(ascii: ",") || after == UInt8(ascii: "}")
            : after == UInt8(ascii: "}") && index + 1 == line.count
                || after == UInt8(ascii: " ") && isPair(line, index + 1)
        guard isEnd else { return .unknown }
        if index - first < 18, line[first] != UInt8(ascii: "0") {
            var number = 0
            for byte in line[first..<index] where number >= 0 {
                number = byte.isDigit ? number * 10 + Int(byte - UInt8(ascii: "0")) : -1
            }
            if number >= 0 { return .integer(number, isTyped: isObject) }
        }
        return .value(String(decoding: line[first..<index], as: UTF8.self), isTyped: isObject)
    }

    /// Whether another pair begins here.
    private func isPair(_ line: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        var index = start
        let (underscore, point) = (UInt8(ascii: "_"), UInt8(ascii: "."))
        while index < line.count, line[index].isLetter || line[index] == underscore || line[index] == point {
            index += 1
        }
        return index > start && index < line.count && line[index] == UInt8(ascii: "=")
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
        let whole = rest.prefix(while: \.isDigit)
        guard let first = whole.first, first != UInt8(ascii: "0") || whole.count == 1 else { return nil }
        rest = rest.dropFirst(whole.count)
        digits = Array(whole)
        exponent = whole.count
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: \.isDigit)
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
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        exponent -= zeros
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
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
