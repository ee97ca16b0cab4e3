/// Takes digits, letters and signs off the front of an ASCII text; all readers of dates are made of it, but
/// for that of logs' lines, which looks at millions of them.
struct DateScanner {
    private(set) var rest: ArraySlice<UInt8>

    init(_ text: some StringProtocol) { rest = ArraySlice(text.utf8) }

    var isAtEnd: Bool { rest.isEmpty }
    var next: UInt8? { rest.first }

    /// How many digits come next.
    var digits: Int { rest.prefix(while: \.isDigit).count }

    /// A number of exactly so many digits.
    mutating func number(_ width: Int) -> Int? {
        guard width > 0, digits >= width else { return nil }
        defer { rest = rest.dropFirst(width) }
        return rest.prefix(width).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// A character, if it is next.
    mutating func take(_ character: Character) -> Bool {
        guard let byte = character.asciiValue, rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Bytes, if they are next.
    mutating func take(_ bytes: [UInt8]) -> Bool {
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
        return true
    }

    mutating func skipBlanks() { rest = rest.drop { $0 == .space || $0 == .tab } }

    /// The letters that come next, in small ones.
    mutating func word() -> String {
        let letters = rest.prefix(while: \.isLetter)
        rest = rest.dropFirst(letters.count)
        return String(decoding: letters, as: UTF8.self).lowercased()
    }

    /// The number of a month that is named, in English, in full or by three letters.
    mutating func month() -> Int? { DateScanner.index(of: word(), in: LogBuffer.months).map { $0 + 1 } }

    /// Whether a day of the week is next, in English, in full or by three letters.
    mutating func takeWeekday() -> Bool { DateScanner.index(of: word(), in: LogBuffer.weekdays) != nil }

    private static func index(of word: String, in names: [String]) -> Int? {
        names.firstIndex { $0.lowercased() == word || $0.prefix(3).lowercased() == word }
    }

    /// The seconds ahead of UTC that `+0100` says, or `+01:00`, or `+01` where the hours alone will do.
    mutating func offset(allowsColon: Bool = true, allowsHours: Bool = false) -> Int? {
        let isNegative = next == UInt8(ascii: "-")
        guard take("+") || take("-"), let hours = number(2), hours < 24 else { return nil }
        var minutes = 0
        if allowsColon && take(":") || digits > 0 {
            guard let value = number(2), value < 60 else { return nil }
            minutes = value
        } else if !allowsHours {
            return nil
        }
        return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
    }

    /// The nanoseconds of a fraction: one digit at least, those after the ninth are cut off.
    mutating func fraction() -> Int? {
        let count = digits
        guard count > 0 else { return nil }
        let kept = min(count, 9)
        var value = rest.prefix(kept).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        for _ in kept..<9 { value *= 10 }
        rest = rest.dropFirst(count)
        return value
    }
}

extension CivilTime {
    /// The moment of a date and time that were read, `offset` seconds ahead of UTC; nil for one that does not
    /// exist.
    ///
    /// A leap second, 60, is the moment after it.
    package func checkedMoment(offset: Int) -> LogTimestamp? {
        var time = self
        if second == 60 { time.second = 59 }
        guard time.isValid, abs(offset) <= 86_400 else { return nil }
        let moment = time.moment(offset: offset)
        return second == 60 ? moment + .seconds(1) : moment
    }
}
