package import Heartwood

/// Reads the times that lines have, in the spellings of the programs that write them.
///
/// A time without a zone is UTC, one without a year the latest that is not more than a day ahead. The zone's
/// abbreviation is read where it means one zone; with any other, there is a time, but its moment is unknown.
struct LineTime: Sendable {
    typealias Bytes = UnsafeRawBufferPointer

    /// A time that was read.
    struct Found {
        /// Nil where the zone is unknown, or the day.
        var moment: LogTimestamp?
        /// Where it ends.
        var end: Int
        /// Whether the zone is one that is unknown, or has several meanings.
        var hasUnknownZone = false
        /// Whether it is the time of a syslog line: without a year, or with `T` and a zone.
        var isOfSyslog = false
        /// Whether it is a day alone.
        var isDay = false
        /// Whether it says its zone.
        var hasZone = false
    }

    /// The latest moment that a time without a year may have: a day ahead.
    let latest: LogTimestamp
    private let year: Int

    init(now: LogTimestamp) {
        latest = now + .seconds(86_400)
        year = CivilTime(nanoseconds: now.nanoseconds).year
    }

    /// The spellings, but for RFC 3339 and its relatives, and for days of nothing but numbers.
    ///
    /// `Y` and `y` are years of four and two digits, `M` the month, `b` its name, `D` and `d` the day with
    /// and without a zero, `j` the day of the year, `h` `m` `s` two digits each, the hour also one digit with
    /// a colon, `H` `i` `S` one or two, `f` a fraction and half of the day if there are, `g` a fraction that
    /// must be there, `F` milliseconds after a colon, `z` a zone if there is one, `Q` a zone and a year if
    /// there are, `a` the name of a day or a zone if there is one.
    private static let numeric: [StaticString] = [
        "d/b/Y:h:m:sfz", "d/b/Y h:m:sfz", "D-b-Y h:m:sfz", "D-b-Y::h:m:sf", "DbY h:m:sf", "d b Y h:m:sfz",
        "d b h:m:sfQ", "d b y h:m:sfz", "Y b d h:m:sfz", "Y-b-D h:m:sfz", "D.M.Y h:m:sf", "Y-jTh:m:sfz",
        "YMDThmsfz", "YMD h:m:sfz", "YMD-H:i:SF", "YMD-h:m:sfz", "YMD:hmsf", "YMD.hmsf", "yMD hms",
        "yMD h:m:sf",
        "yMD H:i:S", "M-D h:m:sg",
    ]
    private static let bracketed: [StaticString] = ["M.D h:m:s"]
    private static let named: [StaticString] = [
        "ab d h:m:sfQ", "ab d Y h:m:sfz", "ab d, Y h:m:sfz", "ab d, Y, h:m:sfz", "ad b Y h:m:sfz",
        "ad b y h:m:sfz",
    ]

    /// The time that begins at a place, if one does.
    func read(_ line: Bytes, at start: Int) -> Found? {
        guard start < line.count else { return nil }
        if line[start].isLetter {
            guard LineTime.isNameOfTime(line, start) else { return nil }
            return spelled(line, start, LineTime.named)
        }
        if line[start] == UInt8(ascii: "@") { return tai(line, start) }
        guard line[start].isDigit, start + 8 <= line.count else { return nil }
        if let found = iso(line, start) ?? spelled(line, start, LineTime.numeric) ?? numbers(line, start) {
            return found
        }
        if start > 0, line[start - 1] == UInt8(ascii: "["),
            let found = spelled(line, start, LineTime.bracketed)
        {
            return found
        }
        return timeOfDay(line, start)
    }

    /// The time that a value is, and nothing else.
    func moment(of value: Bytes) -> LogTimestamp? {
        let found = read(value, at: 0) ?? number(value, at: 0)
        guard let found, !found.isDay, found.end == value.count else { return nil }
        return found.moment
    }

    // MARK: Spellings

    /// A day, a clock and a zone that are the values of several members.
    struct Parts {
        private var day: Range<Int>?
        private var clock: Range<Int>?
        private var zone: Range<Int>?
        /// Whether one of them is a time whose zone is unknown.
        private(set) var hasUnknownZone = false

        /// Takes a value where it is one of these.
        mutating func take(_ line: Bytes, _ value: Range<Int>, _ times: LineTime, isZone: Bool = false) {
            if isZone { return zone = zone ?? value }
            let bytes = Bytes(rebasing: line[value])
            guard bytes.count > 7, let found = times.read(bytes, at: 0), found.end == bytes.count else {
                return
            }
            if found.hasUnknownZone {
                hasUnknownZone = true
            } else if found.isDay {
                day = day ?? value
            } else if found.moment == nil {
                clock = clock ?? value
            }
        }

        /// The moment, where there are a day and a clock.
        func moment(_ line: Bytes, _ times: LineTime) -> LogTimestamp? {
            guard let day, let clock else { return nil }
            var text = line.text(day) + " " + line.text(clock)
            if let zone { text += (line[zone.lowerBound].isLetter ? " " : "") + line.text(zone) }
            return text.withUTF8 { times.moment(of: Bytes($0)) }
        }
    }

    /// `2026-11-20 10:20:30.123Z`, also with `/` or `.`, and `T`, `-`, `_` or ` - ` in front of the clock.
    func iso(_ line: Bytes, _ start: Int) -> Found? {
        guard line.count - start >= 10, let year = line.number(start, 4) else { return nil }
        let separator = line[start + 4]
        guard separator == .hyphen || separator == .slash || separator == .period,
            line[start + 7] == separator,
            let month = line.number(start + 5, 2), let day = line.number(start + 8, 2)
        else { return nil }
        var civil = CivilTime(year: year, month: month, day: day)
        let join = start + 10 < line.count ? line[start + 10] : 0
        var index = start + 10
        if join.isOne(of: "Tt_") || join == .hyphen && index + 1 < line.count && line[index + 1].isDigit {
            index += 1
        } else {
            while index < line.count, index - start < 18, line[index].isOne(of: " \t,;|][\"-") { index += 1 }
        }
        if index > start + 10, let end = LineTime.clock(line, index, &civil) {
            guard civil.isValid else { return nil }
            var found = moment(civil, line, zoneAt: end)
            found.isOfSyslog = join == UInt8(ascii: "T") && found.end > end
            return found
        }
        let isDay = separator != .period && civil.isValid && !LineTime.isNamePart(line, start + 10)
        // A clock of another form follows: it is no midnight.
        guard isDay, index >= line.count || !line[index].isDigit, !hasClock(line, start + 10) else {
            return nil
        }
        return Found(moment: civil.moment(ahead: 0), end: start + 10, isDay: true)
    }

    /// Whether something like `1:20` is near.
    private func hasClock(_ line: Bytes, _ start: Int) -> Bool {
        (start..<max(start, min(line.count - 3, start + 20))).contains { index in
            line[index].isDigit && line[index + 1] == .colon && line[index + 2].isDigit
                && line[index + 3].isDigit
        }
    }

    private func spelled(_ line: Bytes, _ start: Int, _ forms: [StaticString]) -> Found? {
        for form in forms {
            if let found = form.withUTF8Buffer({ spelled(line, start, $0) }) { return found }
        }
        return nil
    }

    private func spelled(_ line: Bytes, _ start: Int, _ form: UnsafeBufferPointer<UInt8>) -> Found? {
        var civil = CivilTime(year: 0, month: 1, day: 1)
        var index = start
        var found: Found?
        var front = Zone.none
        for code in form {
            switch code {
            case UInt8(ascii: "Y"):
                guard let year = line.number(index, 4), (1970...2200).contains(year) else { return nil }
                civil.year = year
                index += 4
            case UInt8(ascii: "y"):
                guard let year = line.number(index, 2) else { return nil }
                civil.year = year < 70 ? 2000 + year : 1900 + year
                index += 2
            case UInt8(ascii: "b"):
                guard let month = LineTime.month(line, index) else { return nil }
                civil.month = month
                index = LineTime.afterMonth(line, index, month)
            case UInt8(ascii: "j"):
                guard let day = line.number(index, 3), (1...366).contains(day) else { return nil }
                civil = CivilTime(
                    nanoseconds: civil.nanosecondsSince1970 + Int64(day - 1) * 86_400_000_000_000)
                index += 3
            case UInt8(ascii: "h") where LineTime.isShortHour(line, index):
                while line[index] == .space { index += 1 }
                civil.hour = Int(line[index] - 0x30)
                index += 1
            case UInt8(ascii: "M"), UInt8(ascii: "D"), UInt8(ascii: "h"), UInt8(ascii: "m"),
                UInt8(ascii: "s"):
                guard let number = line.number(index, 2) else { return nil }
                civil.set(code, number)
                index += 2
            case UInt8(ascii: "d"), UInt8(ascii: "H"), UInt8(ascii: "i"), UInt8(ascii: "S"):
                if code == UInt8(ascii: "d"), index < line.count, line[index] == .space { index += 1 }
                guard let number = line.shortNumber(&index) else { return nil }
                civil.set(code, number)
            case UInt8(ascii: "f"), UInt8(ascii: "g"):
                let start = index
                LineTime.fraction(line, &index, &civil)
                if code == UInt8(ascii: "g"), index == start { return nil }
                LineTime.half(line, &index, &civil)
            case UInt8(ascii: "F"):
                guard index + 1 < line.count, line[index] == .colon, line[index + 1].isDigit else {
                    return nil
                }
                var digits = index + 1
                guard let number = line.shortNumber(&digits, 3),
                    digits >= line.count || line[digits] != .period
                else { return nil }
                civil.nanosecond = number * 1_000_000
                index = digits
            case UInt8(ascii: "z"):
                guard civil.isValid else { return nil }
                var (zone, end) = LineTime.zone(line, index)
                if case .none = zone { zone = front }
                found = moment(civil, zone, end)
                index = end
            case UInt8(ascii: "Q"):
                var (zone, end) = LineTime.zone(line, index)
                if case .none = zone { end = index }
                if let year = LineTime.year(line, end) {
                    civil.year = year
                    end += 5
                } else if let word = LineTime.afterCapitals(line, index + 1),
                    LineTime.year(line, word) != nil
                {
                    // An abbreviation that is in no table.
                    return Found(moment: nil, end: word + 5, hasUnknownZone: true)
                }
                if case .none = zone { zone = front }
                found = moment(civil, zone, end)
                index = end
            case UInt8(ascii: "a"):
                guard let end = LineTime.nameOfDay(line, index, &front) else { return nil }
                index = end
            default:
                guard index < line.count, line[index] == code else { return nil }
                index += 1
            }
        }
        if var found {
            if form[1] == .space, form[0] == UInt8(ascii: "Y") { found.isOfSyslog = true }
            return found.moment == nil && !found.hasUnknownZone ? nil : found
        }
        guard !(index < line.count && line[index].isDigit) else { return nil }
        let result = moment(civil, .none, index)
        return result.moment == nil ? nil : result
    }

    /// `11/20/2026 10:20:30 AM`, `20-11-2026 10:20`, `26/11/20 10:20:30`, `11/20 10:20:30`.
    ///
    /// Where two of the numbers could be the day, the moment is unknown.
    private func numbers(_ line: Bytes, _ start: Int) -> Found? {
        var index = start
        guard let first = line.shortNumber(&index), index < line.count, line[index].isOne(of: "/-") else {
            return nil
        }
        let separator = line[index]
        index += 1
        guard let second = line.shortNumber(&index), index < line.count else { return nil }
        var year = 0
        var third: Int?
        if line[index] == separator {
            index += 1
            third = separator == .slash ? line.number(index, 2) : nil
            if let number = line.number(index, 4) { (year, third) = (number, nil) }
            guard year > 0 || third != nil else { return nil }
            index += year > 0 ? 4 : 2
        } else if separator != .slash {
            return nil
        }
        if index < line.count, line[index] == .comma { index += 1 }
        guard index < line.count, line[index].isOne(of: " \t:T-") else { return nil }
        index += 1
        while index < line.count, line[index] == .space { index += 1 }
        var civil = CivilTime(year: 0, month: 1, day: 1)
        guard let end = LineTime.clock(line, index, &civil), year > 0 || end >= index + 7 else { return nil }
        let hasHalf = line[end - 1] | 0x20 == UInt8(ascii: "m") || line[end - 1] == .period
        let (zone, zoneEnd) = LineTime.zone(line, end)
        func moment(_ year: Int, _ month: Int, _ day: Int) -> LogTimestamp? {
            (civil.year, civil.month, civil.day) = (year, month, day)
            let moment = self.moment(civil, zone, zoneEnd).moment
            return third != nil && moment ?? latest > latest ? nil : moment
        }
        if case .unknown = zone { return Found(moment: nil, end: zoneEnd, hasUnknownZone: true) }
        let whole = third.map(LineTime.century) ?? year
        var found = moment(whole, first, second)
        let other = hasHalf ? nil : moment(whole, second, first)
        let isClear = found == nil || other == nil || found == other
        found = found ?? other
        // With the year in front, as log4j has it.
        if let third, let sorted = moment(LineTime.century(first), second, third) {
            return Found(moment: sorted >= max(found ?? sorted, other ?? sorted) ? sorted : nil, end: zoneEnd)
        }
        if found == nil { return nil }
        return Found(moment: isClear ? found : nil, end: zoneEnd)
    }

    /// The year of two digits.
    private static func century(_ year: Int) -> Int { year < 70 ? 2000 + year : 1900 + year }

    /// `10:20:30.123`: of an unknown day.
    private func timeOfDay(_ line: Bytes, _ start: Int) -> Found? {
        var civil = CivilTime(year: 2000, month: 1, day: 1)
        guard line[start + 2] == .colon, line[start + 5] == .colon,
            let end = LineTime.clock(line, start, &civil),
            civil.isValid, !LineTime.isNamePart(line, end)
        else { return nil }
        return Found(moment: nil, end: end)
    }

    /// `@40000000433225833b6e1a8c`: TAI64N, as multilog writes it.
    private func tai(_ line: Bytes, _ start: Int) -> Found? {
        guard start + 25 <= line.count, line[start + 1] == UInt8(ascii: "4"),
            line[start + 2] == UInt8(ascii: "0")
        else {
            return nil
        }
        var values = (seconds: UInt64(0), nanoseconds: UInt64(0))
        for index in start + 1..<start + 25 {
            let byte = line[index]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
            if index < start + 17 {
                values.seconds = values.seconds << 4 | UInt64(digit)
            } else {
                values.nanoseconds = values.nanoseconds << 4 | UInt64(digit)
            }
        }
        let seconds = Int64(bitPattern: values.seconds &- 0x4000_0000_0000_000A)
        guard (0...4_102_444_800).contains(seconds), values.nanoseconds < 1_000_000_000 else { return nil }
        return Found(
            moment: LogTimestamp(nanoseconds: seconds * 1_000_000_000 + Int64(values.nanoseconds)),
            end: start + 25)
    }

    /// `1763634030.123`: a number since 1970, in the unit that makes it a time between 1990 and 2100.
    func number(_ line: Bytes, at start: Int) -> Found? {
        var index = start
        var whole = 0
        while index < line.count, line[index].isDigit, index - start < 19 {
            whole = whole &* 10 &+ Int(line[index] - 0x30)
            index += 1
        }
        let unit: Int
        switch index - start {
        case 9, 10: unit = 1_000_000_000
        case 12, 13: unit = 1_000_000
        case 15, 16: unit = 1000
        case 18, 19: unit = 1
        default: return nil
        }
        let (nanoseconds, isTooLarge) = whole.multipliedReportingOverflow(by: unit)
        if isTooLarge { return nil }
        var fraction = 0
        if index + 1 < line.count, line[index] == .period, line[index + 1].isDigit {
            var scale = unit / 10
            index += 1
            while index < line.count, line[index].isDigit {
                fraction += Int(line[index] - 0x30) * scale
                scale /= 10
                index += 1
            }
        }
        let (sum, isBeyond) = nanoseconds.addingReportingOverflow(fraction)
        guard !isBeyond, (631_152_000_000_000_000...4_102_444_800_000_000_000).contains(sum) else {
            return nil
        }
        if LineTime.isNamePart(line, index) { return nil }
        return Found(moment: LogTimestamp(nanoseconds: Int64(sum)), end: index)
    }

    /// `1120 10:20:30.123456`, or with a year, after the letter of glog.
    func google(_ line: Bytes, _ start: Int, _ digits: Int) -> Found? {
        spelled(line, start, [digits == 4 ? "MD h:m:sf" : "YMD h:m:sf"])
    }

    // MARK: Moments

    /// The moment of a day and a clock with the zone that follows.
    private func moment(_ civil: CivilTime, _ line: Bytes, zoneAt index: Int) -> Found {
        let (zone, end) = LineTime.zone(line, index)
        return moment(civil, zone, end)
    }

    private func moment(_ civil: CivilTime, _ zone: Zone, _ end: Int) -> Found {
        guard civil.year == 0 else {
            switch zone {
            case .none: return Found(moment: civil.isValid ? civil.moment(ahead: 0) : nil, end: end)
            case .offset(let offset):
                return Found(
                    moment: civil.isValid ? civil.moment(ahead: offset) : nil, end: end, hasZone: true)
            case .unknown: return Found(moment: nil, end: end, hasUnknownZone: true)
            }
        }
        var found = Found(moment: nil, end: end, isOfSyslog: true)
        switch zone {
        case .none: found.moment = latest(civil, 0)
        case .offset(let offset): found.moment = latest(civil, offset)
        case .unknown: found.hasUnknownZone = true
        }
        return found
    }

    /// The latest moment of this day and time that is not more than a day ahead.
    private func latest(_ civil: CivilTime, _ offset: Int) -> LogTimestamp? {
        var civil = civil
        civil.year = year + 1
        for _ in 0..<6 {
            if civil.isValid {
                let moment = civil.moment(ahead: offset)
                if moment <= latest { return moment }
            }
            civil.year -= 1
        }
        return nil
    }

    // MARK: Parts

    /// Reads `10:20:30.123`, `10.20.30.123` or `10:20`; returns where it ends.
    private static func clock(_ line: Bytes, _ start: Int, _ civil: inout CivilTime) -> Int? {
        guard start + 5 <= line.count else { return nil }
        let hourEnd = line[start + 1] == .colon ? start + 1 : start + 2
        let separator = line[hourEnd]
        guard separator == .colon || separator == .period, let hour = line.number(start, hourEnd - start),
            let minute = line.number(hourEnd + 1, 2)
        else { return nil }
        (civil.hour, civil.minute) = (hour, minute)
        var index = hourEnd + 3
        if index < line.count, line[index] == separator, let second = line.number(index + 1, 2) {
            civil.setSecond(second)
            index += 3
        } else if separator == .period {
            return nil
        }
        fraction(line, &index, &civil)
        half(line, &index, &civil)
        return index
    }

    /// Reads ` AM`, ` p.m.`, where there is a half of the day.
    private static func half(_ line: Bytes, _ index: inout Int, _ civil: inout CivilTime) {
        var place = index
        if place < line.count, line[place] == .space { place += 1 }
        guard place + 1 < line.count, (1...12).contains(civil.hour) else { return }
        let letter = line[place] | 0x20
        guard letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p") else { return }
        let hasDots = line[place + 1] == .period
        place += hasDots ? 2 : 1
        guard place < line.count, line[place] | 0x20 == UInt8(ascii: "m"), !isNamePart(line, place + 1) else {
            return
        }
        civil.hour = civil.hour % 12 + (letter == UInt8(ascii: "p") ? 12 : 0)
        index = place + (hasDots && place + 1 < line.count && line[place + 1] == .period ? 2 : 1)
    }

    /// Reads `.123` or `,123456`, and `:123`.
    private static func fraction(_ line: Bytes, _ index: inout Int, _ civil: inout CivilTime) {
        guard index + 1 < line.count, line[index + 1].isDigit else { return }
        if line[index] == .colon {
            guard let number = line.number(index + 1, 3), !isNamePart(line, index + 4) else { return }
            civil.nanosecond += number * 1_000_000
            index += 4
            return
        }
        guard line[index] == .period || line[index] == .comma && !isColumn(line, index + 1) else { return }
        var scale = 100_000_000
        index += 1
        while index < line.count, line[index].isDigit {
            civil.nanosecond += Int(line[index] - 0x30) * scale
            scale /= 10
            index += 1
        }
    }

    /// Whether the digits after a comma are a column of their own, and no fraction.
    private static func isColumn(_ line: Bytes, _ start: Int) -> Bool {
        var end = start
        while end < line.count, line[end].isDigit { end += 1 }
        if end < line.count, line[end].isOne(of: "Zz+-") { return false }
        return !(end - start).isMultiple(of: 3) || end - start > 9 || end < line.count && line[end] == .comma
    }

    enum Zone { case none, offset(Int), unknown }

    /// Reads `Z`, `+0100`, ` -01:30`, ` -03`, `GMT+3`, an abbreviation, or nothing.
    static func zone(_ line: Bytes, _ start: Int) -> (zone: Zone, end: Int) {
        var index = start
        guard index < line.count else { return (.none, start) }
        if line[index] == UInt8(ascii: "Z") || line[index] == UInt8(ascii: "z"), !isNamePart(line, index + 1)
        {
            return (.offset(0), index + 1)
        }
        let isApart = line[index] == .space
        if isApart { index += 1 }
        if let (offset, end) = offset(line, index) {
            // `-05 degrees` is no zone.
            let isNumber = isApart && end == index + 3 && isSentence(line, end)
            return isNumber ? (.none, start) : (.offset(offset), afterNameOfZone(line, end))
        }
        var isEnclosed = false
        while index < line.count, index < start + 3, line[index].isOne(of: " [(<|,") {
            isEnclosed = isEnclosed || line[index] != .space
            index += 1
        }
        if let place = place(line, index) { return (.unknown, place + (isEnclosed ? 1 : 0)) }
        var end = index
        while end < line.count, line[end] &- 0x41 < 26, end - index < 6 { end += 1 }
        guard end > index else { return (.none, start) }
        if isEnclosed {
            guard end < line.count, line[end].isOne(of: " ])>|,"),
                let seconds = zones.value(line, index..<end)
            else {
                return (.none, start)
            }
            return (
                seconds == severalMeanings ? .unknown : .offset(seconds), line[end] == .space ? end : end + 1
            )
        }
        // They all end with one of these letters, which the words for levels do not.
        if line[end - 1].isOne(of: "TCABK"), let seconds = zones.value(line, index..<end) {
            // `GMT+3`, and longer names.
            if seconds == 0, let (offset, end) = offset(line, end) {
                return (.offset(offset), afterNameOfZone(line, end))
            }
            guard !isNamePart(line, end) else {
                return (isApart && !line[end].isDigit ? .none : .unknown, start)
            }
            if words.value(line, index..<end) != nil, isSentence(line, end) { return (.none, start) }
            return (seconds == severalMeanings ? .unknown : .offset(seconds), end)
        }
        if isApart, index + 1 < line.count, line[index + 1] &- 0x61 < 26, isNameOfZone(line, index) {
            return (.unknown, start)
        }
        // Letters right after the clock are a zone, whatever it is; behind a space they are the next word.
        return isApart || end - index < 2 || isNamePart(line, end) ? (.none, start) : (.unknown, end)
    }

    /// Abbreviations that are words as well.
    private static let words = WordTable<Bool>(["cat eat art west met wat wit pkt ict": true])

    /// Whether a word of a sentence follows.
    private static func isSentence(_ line: Bytes, _ end: Int) -> Bool {
        end + 1 < line.count && line[end] == .space && line[end + 1] &- 0x61 < 26
    }

    /// Where the name of a zone ends whose offset is in front: `UTC m=+0.1` of Go, `(CEST)`.
    private static func afterNameOfZone(_ line: Bytes, _ end: Int) -> Int {
        guard end + 4 < line.count, line[end] == .space else { return end }
        if line[end + 1] == UInt8(ascii: "(") {
            var close = end + 2
            while close < line.count, line[close].isLetter || line[close] == .space { close += 1 }
            let isName = line.has("Time", at: close - 4, before: close)
            guard isName || zones.value(line, end + 2..<close) != nil, close < line.count,
                line[close] == .closeParenthesis
            else { return end }
            return close + 1
        }
        guard let word = afterCapitals(line, end + 1), zones.value(line, end + 1..<word) != nil else {
            return end
        }
        guard line.has(" m=", at: word, before: line.count) else { return word }
        return line[(word + 1)...].firstIndex(of: .space) ?? line.count
    }

    /// `Central Standard Time`, as Windows names zones.
    private static func isNameOfZone(_ line: Bytes, _ start: Int) -> Bool {
        let end = min(line.count, start + 48)
        var index = start
        for place in 0..<4 {
            while index < end, line[index] == .space { index += 1 }
            let first = index
            while index < end, line[index].isLetter { index += 1 }
            guard index > first, index == end || line[index] == .space, line[first] &- 0x41 < 26 else {
                return false
            }
            if index - first == 4, line.has("Time", at: first, before: index) { return place > 0 }
        }
        return end - index == 5 && line.has(" Time", at: index, before: end)
    }

    /// `+01:00`, `-0330`, `+3` after letters, `-03`; in seconds ahead of UTC.
    private static func offset(_ line: Bytes, _ start: Int) -> (Int, Int)? {
        guard start + 1 < line.count, line[start] == .plus || line[start] == .hyphen else { return nil }
        let sign = line[start] == .hyphen ? -1 : 1
        var index = start + 1
        var hours = line.number(index, 2)
        var minutes = 0
        if hours != nil {
            index += 2
            let colon = index < line.count && line[index] == .colon ? 1 : 0
            if let number = line.number(index + colon, 2), number < 60 {
                minutes = number
                index += 2 + colon
            }
        } else if start > 0, line[start - 1].isLetter {
            hours = line.number(index, 1)
            index += 1
        }
        guard let hours, hours <= 14, !isNamePart(line, index) else { return nil }
        return (sign * (hours * 3600 + minutes * 60), index)
    }

    /// The end of ` Europe/Berlin`.
    private static func place(_ line: Bytes, _ start: Int) -> Int? {
        var index = start
        while index < line.count, line[index].isLetter { index += 1 }
        guard index + 3 < line.count, line[index] == .slash, line[index + 1] &- 0x41 < 26,
            areas.value(line, start..<index) != nil
        else { return nil }
        while index < line.count, line[index].isLetter || line[index] == .underscore || line[index] == .slash
        {
            index += 1
        }
        return index
    }

    private static let areas = WordTable<Bool>([
        "africa america antarctica arctic asia atlantic australia europe indian pacific etc": true,
        "us canada brazil mexico chile": true,
    ])

    private static let severalMeanings = Int.max

    /// Seconds ahead of UTC, of the abbreviations that mean one zone in today's zone database; the others
    /// are known to be zones.
    private static let zones = WordTable<Int>([
        "utc gmt uct wet": 0, "bst cet wat": 3600, "west met": 3600, "cest eet cat sast mest": 7200,
        "eest msk eat trt": 10_800, "pkt": 18_000, "wib ict": 25_200, "hkt awst wita sgt": 28_800,
        "jst kst wit": 32_400, "acst": 34_200, "aest": 36_000, "acdt": 37_800, "aedt": 39_600, "nzst": 43_200,
        "nzdt": 46_800, "nst": -12_600, "ndt": -9000, "art brt clst adt": -10_800, "edt clt": -14_400,
        "est cdt": -18_000, "mdt": -21_600, "mst pdt": -25_200, "pst akdt": -28_800, "akst": -32_400,
        "hst": -36_000, "cst ist ast sst gst amt": severalMeanings,
        "irst irdt almt uyt yekt lmt pyt gft bnt mmt npt uzt tmt tjt kgt azt amst brst sbt wakt fkt galt gyt":
            severalMeanings, "hovt krat omst novt vlat magt pett sakt yakt irkt samt": severalMeanings,
    ])

    private static func month(_ line: Bytes, _ start: Int) -> Int? {
        guard start + 3 <= line.count else { return nil }
        let packed = UInt32(line[start]) << 16 | UInt32(line[start + 1]) << 8 | UInt32(line[start + 2])
        switch packed {
        case 0x4A616E: return 1
        case 0x466562: return 2
        case 0x4D6172: return 3
        case 0x417072: return 4
        case 0x4D6179: return 5
        case 0x4A756E: return 6
        case 0x4A756C: return 7
        case 0x417567: return 8
        case 0x536570: return 9
        case 0x4F6374: return 10
        case 0x4E6F76: return 11
        case 0x446563: return 12
        default: return nil
        }
    }

    /// Where the name of a month ends, which may be written out.
    private static func afterMonth(_ line: Bytes, _ start: Int, _ month: Int) -> Int {
        let rest: StaticString =
            switch month {
            case 1: "uary"
            case 2: "ruary"
            case 3: "ch"
            case 4: "il"
            case 6: "e"
            case 7: "y"
            case 8: "ust"
            case 9: "tember"
            case 10: "ober"
            case 11, 12: "ember"
            default: ""
            }
        let end = start + 3
        return line.has(rest, at: end, before: line.count) ? end + rest.utf8CodeUnitCount : end
    }

    private static let days = WordTable<Bool>([
        "mon tue wed thu fri sat sun tues thur thurs": true,
        "monday tuesday wednesday thursday friday saturday sunday": true,
    ])

    /// Where a date begins that may have the name of a day, or a zone, in front of it.
    private static func nameOfDay(_ line: Bytes, _ start: Int, _ zone: inout Zone) -> Int? {
        if month(line, start) != nil { return start }
        var end = start
        while end < line.count, line[end].isLetter { end += 1 }
        let word = start..<end
        if days.value(line, word) != nil {
            if end < line.count, line[end] == .comma { end += 1 }
        } else if let seconds = zones.value(line, word), seconds != severalMeanings {
            zone = .offset(seconds)
        } else if word.count == 3, LevelWord.meaning(line, word) == nil, line[start] & 0x20 == 0 {
            zone = .unknown
        } else {
            return nil
        }
        return end < line.count && line[end] == .space ? end + 1 : nil
    }

    /// Whether the name of a month, or a word in front of a date, is here.
    private static func isNameOfTime(_ line: Bytes, _ start: Int) -> Bool {
        if month(line, start) != nil { return true }
        var end = start + 3
        let last = min(line.count - 8, start + 9)
        while end < last, line[end].isLetter { end += 1 }
        guard end < last else { return false }
        let hasComma = line[end] == .comma
        if hasComma { end += 1 }
        return line[end] == .space && (month(line, end + 1) != nil || hasComma && line[end + 1].isDigit)
    }

    /// The year after a blank.
    private static func year(_ line: Bytes, _ index: Int) -> Int? {
        guard index < line.count, line[index] == .space, let year = line.number(index + 1, 4),
            (1970...2200).contains(year), !isNamePart(line, index + 5)
        else { return nil }
        return year
    }

    /// Where a word of three to five capitals ends that has a blank in front of it.
    private static func afterCapitals(_ line: Bytes, _ start: Int) -> Int? {
        guard start > 0, start < line.count, line[start - 1] == .space else { return nil }
        var end = start
        while end < line.count, line[end] &- 0x41 < 26 { end += 1 }
        return (3...5).contains(end - start) && !isNamePart(line, end) ? end : nil
    }

    /// Whether an hour of one digit is here, also after further blanks.
    private static func isShortHour(_ line: Bytes, _ start: Int) -> Bool {
        var index = start
        while index < line.count, line[index] == .space, index - start < 4 { index += 1 }
        return index + 4 < line.count && line[index].isDigit && line[index + 1] == .colon
    }

    /// Whether a letter or a digit is here, so that what is in front is only a part of something.
    private static func isNamePart(_ line: Bytes, _ index: Int) -> Bool {
        index < line.count && (line[index].isLetter || line[index].isDigit || line[index] == .underscore)
    }
}

/// Reads a time that a person writes.
package enum LineClock {
    /// Reads `2026-11-20`, `2026-11-20 10:20:30.123Z`, with `T` or a blank, any fraction, and a zone or
    /// nothing (UTC) after it; `@1763634030`, and a number of at least nine digits, in seconds or
    /// smaller units since 1970; nil for all else, and where the zone is unknown.
    package static func moment(of text: String) -> LogTimestamp? {
        guard let first = text.utf8.first, first.isDigit || first == UInt8(ascii: "@"), text.utf8.count < 48
        else {
            return nil
        }
        return Array(text.utf8).withUnsafeBytes { bytes in
            let times = LineTime(now: LogTimestamp(nanoseconds: 0))
            if first == UInt8(ascii: "@") {
                if let seconds = bytes.number(1, bytes.count - 1), seconds < 4_102_444_800 {
                    return LogTimestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
                }
                guard let found = times.number(bytes, at: 1), found.end == bytes.count else { return nil }
                return found.moment
            }
            guard let found = times.iso(bytes, 0) ?? times.number(bytes, at: 0), found.end == bytes.count
            else {
                return nil
            }
            return found.moment
        }
    }
}

extension CivilTime {
    /// Sets the part of the day or the clock that a code of a spelling means.
    fileprivate mutating func set(_ code: UInt8, _ number: Int) {
        switch code {
        case UInt8(ascii: "M"): month = number
        case UInt8(ascii: "D"), UInt8(ascii: "d"): day = number
        case UInt8(ascii: "h"), UInt8(ascii: "H"): hour = number
        case UInt8(ascii: "m"), UInt8(ascii: "i"): minute = number
        default: setSecond(number)
        }
    }

    /// A leap second is the one before and a thousand million nanoseconds.
    fileprivate mutating func setSecond(_ number: Int) {
        let isLeap = number == 60 && minute == 59
        second = isLeap ? 59 : number
        nanosecond = isLeap ? 1_000_000_000 : 0
    }

    /// The moment that a clock shows so, so many seconds ahead of UTC.
    fileprivate func moment(ahead offset: Int) -> LogTimestamp {
        guard nanosecond >= 1_000_000_000 else { return moment(offset: offset) }
        var civil = self
        civil.nanosecond -= 1_000_000_000
        return civil.moment(offset: offset - 1)
    }
}

extension UInt8 {
    /// Whether it is one of some ASCII characters.
    @inline(__always)
    func isOne(of characters: StaticString) -> Bool {
        let start = characters.utf8Start
        for index in 0..<characters.utf8CodeUnitCount where start[index] == self { return true }
        return false
    }
}

extension UnsafeRawBufferPointer {
    /// So many digits as a number; nil where they are not all digits.
    @inline(__always)
    func number(_ start: Int, _ count: Int) -> Int? {
        guard start >= 0, count > 0, start + count <= self.count else { return nil }
        var value = 0
        for index in start..<start + count {
            guard self[index].isDigit else { return nil }
            value = value &* 10 &+ Int(self[index] &- 0x30)
        }
        return value
    }

    /// One to `limit` digits; the index is after them then.
    func shortNumber(_ index: inout Int, _ limit: Int = 2) -> Int? {
        var value = 0
        let start = index
        while index < count, self[index].isDigit, index - start < limit {
            value = value * 10 + Int(self[index] &- 0x30)
            index += 1
        }
        return index > start && !(index < count && self[index].isDigit) ? value : nil
    }
}
