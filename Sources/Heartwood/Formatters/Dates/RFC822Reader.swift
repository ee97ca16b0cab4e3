/// Reads `Thu, 09 May 2002 15:21:00 GMT` and what is near it.
enum RFC822Reader {
    private static let zones = [
        "gmt": 0, "ut": 0, "utc": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
        "pst": -8, "pdt": -7,
    ]

    static func timestamp(_ text: String) -> LogTimestamp? {
        var scanner = DateScanner(text)
        scanner.skipBlanks()
        if scanner.digits == 0 {
            // A weekday, right or wrong, and its comma.
            guard isWeekday(scanner.word()), scanner.take(",") else { return nil }
            scanner.skipBlanks()
        }
        guard let day = scanner.number(min(2, scanner.digits)) else { return nil }
        scanner.skipBlanks()
        guard let month = month(scanner.word()) else { return nil }
        scanner.skipBlanks()
        guard let year = year(&scanner) else { return nil }
        scanner.skipBlanks()
        guard let hour = scanner.number(min(2, scanner.digits)), scanner.take(":"),
            let minute = scanner.number(2)
        else { return nil }
        var second = 0
        if scanner.take(":") {
            guard let value = scanner.number(2) else { return nil }
            second = value
        }
        scanner.skipBlanks()
        guard let offset = zone(&scanner) else { return nil }
        scanner.skipBlanks()
        guard scanner.isAtEnd else { return nil }
        return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
            .checkedMoment(offset: offset)
    }

    private static func isWeekday(_ word: String) -> Bool {
        LogBuffer.weekdays.contains { $0.lowercased() == word || $0.prefix(3).lowercased() == word }
    }

    private static func month(_ word: String) -> Int? {
        LogBuffer.months.firstIndex { $0.lowercased() == word || $0.prefix(3).lowercased() == word }.map {
            $0 + 1
        }
    }

    private static func year(_ scanner: inout DateScanner) -> Int? {
        switch scanner.digits {
        case 4: scanner.number(4)
        case 2: scanner.number(2).map { $0 < 50 ? 2000 + $0 : 1900 + $0 }
        default: nil
        }
    }

    private static func zone(_ scanner: inout DateScanner) -> Int? {
        if scanner.isAtEnd { return 0 }
        let isNegative = scanner.next == UInt8(ascii: "-")
        if scanner.take("+") || scanner.take("-") {
            guard scanner.digits == 4, let hours = scanner.number(2), let minutes = scanner.number(2),
                minutes < 60
            else { return nil }
            return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
        }
        return zones[scanner.word()].map { $0 * 3600 }
    }
}
