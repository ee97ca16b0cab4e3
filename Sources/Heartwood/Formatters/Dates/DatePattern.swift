/// A date in a file name: `yyyy-MM-dd--HH-mm-ss-SSS`, written and read back without loss.
///
/// A ``DateLayout`` of some fields, each of which has a fixed width, so that a text has at most one reading.
/// `ZZZ` is the distance from UTC (`+0200`); it makes names of the hour that a clock shows twice distinct.
struct DatePattern: Sendable, Hashable {
    /// What a date can have; each needs those before it, but for the last, the distance from UTC.
    private static let units: [DateLayout.Piece] = [
        .field(.yyyy), .field(.MM), .field(.dd), .field(.HH), .field(.mm), .field(.ss), .fraction(3),
        .field(.ZZZ),
    ]

    static let standard = known("yyyy-MM-dd--HH-mm-ss-SSS")
    static let standardWithOffset = known("yyyy-MM-dd--HH-mm-ss-SSSZZZ")

    private let layout: DateLayout

    private static func known(_ text: String) -> DatePattern {
        guard let pattern = try? DatePattern(text) else {
            preconditionFailure("The date pattern \(text) must be parsable")
        }
        return pattern
    }

    /// Reads a pattern; nil for another field, a field twice, or a field without all greater ones.
    ///
    /// - Throws: ``PatternError`` where it is not a pattern at all.
    init?(_ text: String) throws(PatternError) {
        let layout = try DateLayout(text, literal: "T")
        let fields = layout.pieces.filter { if case .literal = $0 { false } else { true } }
        // A date without its year or its day cannot be ordered.
        let units = DatePattern.units.dropLast()
        let count = units.prefix { fields.contains($0) }.count
        guard count >= 1, !units.dropFirst(count).contains(where: fields.contains),
            Set(fields).count == fields.count, Set(fields).isSubset(of: DatePattern.units)
        else { return nil }
        self.layout = layout
    }

    /// Writes a moment as the zone's clock shows it.
    func format(_ moment: LogTimestamp, _ zone: LogTimeZone) -> String {
        var offset = zone.offset(at: moment.wholeSeconds)
        // A name tells whole minutes; before about 1900 zones were ahead by seconds as well.
        if layout.pieces.contains(.field(.ZZZ)) { offset -= offset % 60 }
        let civil = CivilTime(moment, offset: offset)
        var output = LogBuffer(capacity: 32)
        var holes: [(Int, Int)] = []
        layout.append(civil, offset: offset, to: &output, holes: &holes)
        for (start, digits) in holes {
            output.overwriteFraction(civil.nanosecond, digits: digits, at: start)
        }
        return output.text
    }

    /// Reads a date at the beginning of `text`, and removes it there; the first moment that has this date.
    ///
    /// Returns nil, with `text` as it was, where no moment has it.
    func read(_ text: inout Substring, _ zone: LogTimeZone) -> LogTimestamp? {
        var scanner = DateScanner(text)
        var civil = CivilTime(year: 1970, month: 1, day: 1)
        var offset: Int?
        for piece in layout.pieces {
            if case .literal(let literal) = piece {
                guard scanner.take(literal) else { return nil }
                continue
            }
            if piece == .field(.ZZZ) {
                offset = scanner.offset(allowsColon: false)
                if offset == nil { return nil }
                continue
            }
            guard let number = scanner.number(piece == .field(.yyyy) ? 4 : piece == .fraction(3) ? 3 : 2)
            else { return nil }
            switch piece {
            case .field(.yyyy): civil.year = number
            case .field(.MM): civil.month = number
            case .field(.dd): civil.day = number
            case .field(.HH): civil.hour = number
            case .field(.mm): civil.minute = number
            case .field(.ss): civil.second = number
            default: civil.nanosecond = number * 1_000_000
            }
        }
        guard civil.isValid else { return nil }
        text = text[text.utf8.index(text.endIndex, offsetBy: -scanner.rest.count)...]
        return offset.map { civil.moment(offset: $0) } ?? zone.moment(of: civil)
    }
}

extension Substring {
    mutating func skip(_ prefix: String) -> Bool {
        guard hasPrefix(prefix) else { return false }
        removeFirst(prefix.count)
        return true
    }
}
