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
    enum Field: String, Sendable, CaseIterable {
        case year = "yyyy"
        case month = "MM"
        case day = "dd"
        case hour = "HH"
        case minute = "mm"
        case second = "ss"
        case millisecond = "SSS"
        case offset = "ZZZ"

        var width: Int { self == .offset ? 5 : rawValue.utf8.count }
    }

    private enum Piece: Sendable, Hashable {
        case field(Field)
        case literal(String)
    }

    private let pieces: [Piece]
    let text: String

    /// Reads a pattern.
    ///
    /// - Returns: nil where it has an unknown letter, a field twice, or a field without all greater ones.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var fields: Set<Field> = []
        var rest = text[...]
        scan: while let next = rest.first {
            for field in Field.allCases where rest.hasPrefix(field.rawValue) {
                guard fields.insert(field).inserted else { return nil }
                pieces.append(.field(field))
                rest.removeFirst(field.rawValue.count)
                continue scan
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
        let units: [Field] = [.year, .month, .day, .hour, .minute, .second, .millisecond]
        let count = units.prefix { fields.contains($0) }.count
        guard count >= 1, units.dropFirst(count).allSatisfy({ !fields.contains($0) }) else { return nil }
        self.pieces = pieces
        self.text = text
    }

    /// Writes a moment as the zone's clock shows it.
    func format(_ moment: LogTimestamp, _ zone: TimeZone) -> String {
        var offset = zone.secondsFromGMT(for: moment.date)
        // A name tells whole minutes; before about 1900 zones were ahead by seconds as well.
        if pieces.contains(.field(.offset)) { offset -= offset % 60 }
        let civil = CivilTime(moment, offset: offset)
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .field(.year): text += civil.year.padded(to: 4)
            case .field(.month): text += civil.month.padded(to: 2)
            case .field(.day): text += civil.day.padded(to: 2)
            case .field(.hour): text += civil.hour.padded(to: 2)
            case .field(.minute): text += civil.minute.padded(to: 2)
            case .field(.second): text += civil.second.padded(to: 2)
            case .field(.millisecond): text += (civil.nanosecond / 1_000_000).padded(to: 3)
            case .field(.offset):
                let minutes = abs(offset) / 60
                text += (offset < 0 ? "-" : "+") + (minutes / 60 * 100 + minutes % 60).padded(to: 4)
            }
        }
        return text
    }

    /// Reads a date at the beginning of `text`, and removes it there.
    ///
    /// - Returns: the first moment that has this date; nil, with `text` as it was, where no moment has it.
    func read(_ text: inout Substring, _ zone: TimeZone) -> LogTimestamp? {
        var rest = text
        var civil = CivilTime(year: 1970, month: 1, day: 1)
        var offset: Int?
        for piece in pieces {
            switch piece {
            case .literal(let literal):
                guard rest.hasPrefix(literal) else { return nil }
                rest.removeFirst(literal.count)
            case .field(let field):
                let digits = rest.prefix(field.width)
                guard digits.utf8.count == field.width else { return nil }
                rest.removeFirst(field.width)
                if field == .offset {
                    guard let value = DatePattern.offset(digits) else { return nil }
                    offset = value
                } else {
                    guard let value = DatePattern.number(digits) else { return nil }
                    civil.set(field, value)
                }
            }
        }
        guard civil.isValid else { return nil }
        text = rest
        return moment(of: civil, offset, zone)
    }

    private func moment(of civil: CivilTime, _ offset: Int?, _ zone: TimeZone) -> LogTimestamp {
        if let offset { return civil.moment(offset: offset) }
        return LocalTime(zone).moment(of: civil)
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (48...57).contains($0) } ? Int(digits) : nil
    }

    private static func offset(_ text: Substring) -> Int? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        guard let value = number(text.dropFirst()), value % 100 < 60, value < 2400 else { return nil }
        return (value / 100 * 3600 + value % 100 * 60) * (sign == "-" ? -1 : 1)
    }
}

extension CivilTime {
    fileprivate mutating func set(_ field: DatePattern.Field, _ value: Int) {
        switch field {
        case .year: year = value
        case .month: month = value
        case .day: day = value
        case .hour: hour = value
        case .minute: minute = value
        case .second: second = value
        case .millisecond: nanosecond = value * 1_000_000
        case .offset: break
        }
    }
}
