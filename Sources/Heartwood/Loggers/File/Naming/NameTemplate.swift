#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A template of file names, which writes a label as a name and reads it back.
struct NameTemplate: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case literal(String)
        case application
        case date(DatePattern)
        case number(digits: Int)
        case process
        case variant

        var isDate: Bool { if case .date = self { true } else { false } }
        var isNumber: Bool { if case .number = self { true } else { false } }
        /// Where two of them have nothing between them, it cannot be told where one ends.
        var hasDigits: Bool { isNumber || self == .process || self == .variant }
    }

    /// The pieces before the extension.
    private let stem: [Piece]
    /// From the last dot of the template's own text on; may be empty.
    private let fileExtension: String
    private let hasNumber: Bool
    private let hasProcess: Bool
    let hasVariant: Bool

    private init(stem: [Piece], fileExtension: String) {
        self.stem = stem
        self.fileExtension = fileExtension
        hasNumber = stem.contains(where: \.isNumber)
        hasProcess = stem.contains(.process)
        hasVariant = stem.contains(.variant)
    }

    /// The template `{app} {date}.log`.
    static let standard = NameTemplate(
        stem: [.application, .literal(" "), .date(.standard)], fileExtension: ".log")

    /// Reads a template, or throws a ``LogError`` of code `setting`.
    init(_ text: String, defaultDate: DatePattern) throws {
        func refused(_ why: String) -> LogError {
            LogError(.setting, "The file name template \(why)", place: text)
        }
        var pieces: [Piece] = []
        var rest = text[...]
        while !rest.isEmpty {
            let open = rest.firstIndex(of: "{") ?? rest.endIndex
            if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
            if open == rest.endIndex { break }
            guard let close = rest[open...].firstIndex(of: "}") else { throw refused("has a { without a }") }
            let field = rest[rest.index(after: open)..<close]
            rest = rest[rest.index(after: close)...]
            let parts = field.split(separator: ":", maxSplits: 1).map(String.init)
            switch (parts.first ?? "", parts.count > 1 ? parts[1] : nil) {
            case ("app", nil): pieces.append(.application)
            case ("pid", nil): pieces.append(.process)
            case ("variant", nil): pieces.append(.variant)
            case ("date", nil): pieces.append(.date(defaultDate))
            case ("date", let pattern?):
                guard let date = DatePattern(pattern) else {
                    throw refused("has a date that does not sort by time")
                }
                pieces.append(.date(date))
            case ("number", let digits):
                guard let digits = Int(digits ?? "1"), (1...18).contains(digits) else {
                    throw refused("has a number with an invalid count of digits")
                }
                pieces.append(.number(digits: digits))
            default: throw refused("has an unknown field {\(field)}")
            }
        }
        var fileExtension = ""
        if case .literal(let last)? = pieces.last, let dot = last.lastIndex(of: ".") {
            fileExtension = String(last[dot...])
            pieces.removeLast()
            if dot > last.startIndex { pieces.append(.literal(String(last[..<dot]))) }
        }
        guard !zip(pieces, pieces.dropFirst()).contains(where: { $0.hasDigits && $1.hasDigits }) else {
            throw refused("has two numbers, or a number and a variant, with nothing between them")
        }
        let (dates, numbers) = (pieces.count(where: \.isDate), pieces.count(where: \.isNumber))
        guard dates <= 1, numbers <= 1, pieces.count(where: { $0 == .variant }) <= 1 else {
            throw refused("has the same field twice")
        }
        guard dates + numbers > 0 else {
            throw refused("has neither {date} nor {number}, so the files have no order")
        }
        self.init(stem: pieces, fileExtension: fileExtension)
    }

    // MARK: Writing and reading

    func name(
        for label: LogFileLabel, _ application: String, _ zone: TimeZone, variant: String? = nil
    ) -> String {
        var text = ""
        for piece in stem {
            switch piece {
            case .literal(let literal): text += literal
            case .application: text += application
            case .date(let pattern):
                text += pattern.format(label.createdAt ?? LogTimestamp(nanoseconds: 0), zone)
            case .number(let digits): text += label.number.padded(to: digits)
            case .process: text += String(label.process ?? 0)
            case .variant: text += label.variant ?? variant ?? ""
            }
        }
        return text + suffix(of: label) + fileExtension
    }

    /// What the template has no field for: `@0002`, `@0002@pid77`, or `@pid77` if it has one for the number.
    ///
    /// It sorts as labels do, in ASCII and in the languages' orders: `@` after the dot of the extension,
    /// numbers with so many digits that they seldom need more, and the number before the process.
    private func suffix(of label: LogFileLabel) -> String {
        let process = hasProcess ? nil : label.process
        let hasSuffix = !hasNumber && (label.number > 1 || process != nil)
        return (hasSuffix ? "@" + label.number.padded(to: 4) : "") + (process.map { "@pid\($0)" } ?? "")
    }

    func label(of name: String, _ application: String, _ zone: TimeZone) -> LogFileLabel? {
        guard name.hasSuffix(fileExtension) else { return nil }
        let text = name.dropLast(fileExtension.count)
        return read(stem[...], text, LogFileLabel(createdAt: nil), application, zone)
    }

    /// Reads the rest of a name as the rest of the pieces.
    private func read(
        _ pieces: ArraySlice<Piece>, _ text: Substring, _ known: LogFileLabel, _ application: String,
        _ zone: TimeZone
    ) -> LogFileLabel? {
        var rest = text
        var label = known
        for (index, piece) in zip(pieces.indices, pieces) {
            switch piece {
            case .literal(let text):
                guard rest.skip(text) else { return nil }
            case .application:
                guard rest.skip(application) else { return nil }
            case .date(let pattern):
                guard let moment = pattern.read(&rest, zone) else { return nil }
                label.createdAt = moment
            case .number:
                guard let number = NameTemplate.number(&rest) else { return nil }
                label.number = number
            case .process:
                guard let number = NameTemplate.number(&rest) else { return nil }
                label.process = Int32(exactly: number).flatMap { $0 == 0 ? nil : $0 }
            case .variant:
                // As short as possible, so that the rest can be read.
                let most = rest.prefix { NameTemplate.isOfVariant($0) }.count
                for count in 0...min(most, NameTemplate.variantLimit) {
                    label.variant = String(rest.prefix(count))
                    let after = pieces[(index + 1)...]
                    let found = read(after, rest.dropFirst(count), label, application, zone)
                    if let found { return found }
                }
                return nil
            }
        }
        if !hasNumber, rest.skip("@") {
            guard let number = NameTemplate.number(&rest) else { return nil }
            label.number = number
        }
        if !hasProcess, rest.skip("@pid") {
            guard let number = NameTemplate.number(&rest), let process = Int32(exactly: number), process > 0
            else { return nil }
            label.process = process
        }
        return rest.isEmpty ? label : nil
    }

    /// Reads the digits at the beginning; nil where no digit is there, or too many for a number.
    private static func number(_ text: inout Substring) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), number <= LogFileLabel.greatestNumber else { return nil }
        text.removeFirst(digits.count)
        return number
    }

    private static let variantLimit = 64

    private static func isOfVariant(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._+".contains(character))
    }

    /// The text as it can be in a name.
    static func cleanedVariant(_ text: String) -> String {
        String(text.prefix(variantLimit).map { isOfVariant($0) ? $0 : "_" })
    }
}

/// A date in a file name: `yyyy-MM-dd--HH-mm-ss-SSS`, written and read back without loss.
///
/// Every field has a fixed width, so a text has at most one reading. `ZZZ` is the distance from UTC
/// (`+0200`); it makes names of the hour that a clock shows twice distinct.
struct DatePattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case literal(String)
        case year, month, day, hour, minute, second, millisecond, offset
    }

    /// The fields, and how a pattern names them; each but the last needs those before it.
    private static let fields: [(piece: Piece, name: String)] = [
        (.year, "yyyy"), (.month, "MM"), (.day, "dd"), (.hour, "HH"), (.minute, "mm"), (.second, "ss"),
        (.millisecond, "SSS"), (.offset, "ZZZ"),
    ]

    static let standard = known("yyyy-MM-dd--HH-mm-ss-SSS")
    static let standardWithOffset = known("yyyy-MM-dd--HH-mm-ss-SSSZZZ")

    private let pieces: [Piece]

    private static func known(_ text: String) -> DatePattern {
        guard let pattern = DatePattern(text) else {
            preconditionFailure("The date pattern \(text) must be parsable")
        }
        return pattern
    }

    /// Reads a pattern; nil for an unknown letter, a field twice, or a field without all greater ones.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let next = rest.first {
            if let field = DatePattern.fields.first(where: { rest.hasPrefix($0.name) }) {
                guard !pieces.contains(field.piece) else { return nil }
                pieces.append(field.piece)
                rest.removeFirst(field.name.count)
                continue
            }
            guard !next.isLetter || next == "T" else { return nil }
            if case .literal(let before)? = pieces.last {
                pieces[pieces.count - 1] = .literal(before + String(next))
            } else {
                pieces.append(.literal(String(next)))
            }
            rest.removeFirst()
        }
        // A date without its year or its day cannot be ordered.
        let units = DatePattern.fields.dropLast().map(\.piece)
        let count = units.prefix { pieces.contains($0) }.count
        guard count >= 1, !units.dropFirst(count).contains(where: pieces.contains) else { return nil }
        self.pieces = pieces
    }

    /// Writes a moment as the zone's clock shows it.
    func format(_ moment: LogTimestamp, _ zone: TimeZone) -> String {
        var offset = zone.secondsFromGMT(for: moment.date)
        // A name tells whole minutes; before about 1900 zones were ahead by seconds as well.
        if pieces.contains(.offset) { offset -= offset % 60 }
        let civil = CivilTime(moment, offset: offset)
        return pieces.reduce(into: "") { text, piece in
            switch piece {
            case .literal(let literal): text += literal
            case .year: text += civil.year.padded(to: 4)
            case .month: text += civil.month.padded(to: 2)
            case .day: text += civil.day.padded(to: 2)
            case .hour: text += civil.hour.padded(to: 2)
            case .minute: text += civil.minute.padded(to: 2)
            case .second: text += civil.second.padded(to: 2)
            case .millisecond: text += (civil.nanosecond / 1_000_000).padded(to: 3)
            case .offset:
                let minutes = abs(offset) / 60
                text += (offset < 0 ? "-" : "+") + (minutes / 60 * 100 + minutes % 60).padded(to: 4)
            }
        }
    }

    /// Reads a date at the beginning of `text`, and removes it there; the first moment that has this date.
    ///
    /// Returns nil, with `text` as it was, where no moment has it.
    func read(_ text: inout Substring, _ zone: TimeZone) -> LogTimestamp? {
        var rest = text
        var civil = CivilTime(year: 1970, month: 1, day: 1)
        var millisecond = 0
        var offset: Int?
        for piece in pieces {
            let isRead =
                switch piece {
                case .literal(let literal): rest.skip(literal)
                case .year: rest.readNumber(4, &civil.year)
                case .month: rest.readNumber(2, &civil.month)
                case .day: rest.readNumber(2, &civil.day)
                case .hour: rest.readNumber(2, &civil.hour)
                case .minute: rest.readNumber(2, &civil.minute)
                case .second: rest.readNumber(2, &civil.second)
                case .millisecond: rest.readNumber(3, &millisecond)
                case .offset: rest.readOffset(&offset)
                }
            guard isRead else { return nil }
        }
        civil.nanosecond = millisecond * 1_000_000
        guard civil.isValid else { return nil }
        text = rest
        return offset.map { civil.moment(offset: $0) } ?? zone.moment(of: civil)
    }
}

extension Substring {
    fileprivate mutating func skip(_ prefix: String) -> Bool {
        guard hasPrefix(prefix) else { return false }
        removeFirst(prefix.count)
        return true
    }

    /// Reads a number of exactly so many digits.
    fileprivate mutating func readNumber(_ width: Int, _ number: inout Int) -> Bool {
        let digits = prefix(width)
        guard digits.utf8.count == width, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let value = Int(digits)
        else { return false }
        removeFirst(width)
        number = value
        return true
    }

    /// Reads a distance from UTC, such as `+0200`.
    fileprivate mutating func readOffset(_ offset: inout Int?) -> Bool {
        let isNegative = hasPrefix("-")
        var value = 0
        guard skip(isNegative ? "-" : "+"), readNumber(4, &value), value % 100 < 60, value < 2400
        else { return false }
        offset = (value / 100 * 3600 + value % 100 * 60) * (isNegative ? -1 : 1)
        return true
    }
}
