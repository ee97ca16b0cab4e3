#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    func format(_ moment: LogTimestamp, _ zone: LogTimeZone) -> String {
        var offset = zone.offset(at: moment.wholeSeconds)
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
    func read(_ text: inout Substring, _ zone: LogTimeZone) -> LogTimestamp? {
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
    mutating func skip(_ prefix: String) -> Bool {
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
