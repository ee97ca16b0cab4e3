package import Heartwood

/// The dates of HTTP header fields: `Sun, 06 Nov 1994 08:49:37 GMT` and the two older forms that must be
/// understood.
package enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The moment that `text` names, or nil; what it says about the day of the week is not looked at.
    package static func parse(_ text: String) -> LogTimestamp? {
        let words = text.split { " ,-".contains($0) }.map { $0.lowercased() }
        switch words.count {
        case 6 where words[5] == "gmt" || words[5] == "utc":  // Sun, 06 Nov 1994 08:49:37 GMT
            return moment(day: words[1], month: words[2], year: words[3], time: words[4])
        case 5:  // Sun Nov  6 08:49:37 1994
            return moment(day: words[2], month: words[1], year: words[4], time: words[3])
        default: return nil
        }
    }

    private static func moment(day: String, month: String, year: String, time: String) -> LogTimestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0, upTo: 60) }
        guard let day = number(day[...], upTo: 31), day >= 1, let month = months.firstIndex(of: month),
            let year = number(year[...], upTo: 9999), clock.count == 3, let hour = clock[0], hour < 24,
            let minute = clock[1], minute < 60, let second = clock[2]
        else { return nil }
        let fullYear = year >= 100 ? year : year + (year < 70 ? 2000 : 1900)
        guard fullYear >= 1678 else { return nil }
        // Beyond what 64 bits of nanoseconds can say: as far as they go, which is far enough for any limit.
        if fullYear >= 2262 { return LogTimestamp(nanoseconds: .max) }
        let seconds =
            CivilTime.days(fullYear, month + 1, day) * 86_400 + hour * 3600 + minute * 60 + second
        return LogTimestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
    }

    private static func number(_ text: Substring, upTo limit: Int) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }),
            let value = Int(text), value <= limit
        else { return nil }
        return value
    }
}

/// The `Retry-After` field, in its two forms: seconds, or a date.
package enum RetryAfter {
    /// How long from `now` the server asks to be left alone; nil where the field cannot be understood.
    ///
    /// A date that has passed asks for nothing. A number too large for the clock counts as a century.
    package static func parse(_ text: String, now: LogTimestamp) -> Duration? {
        let text = text.trimmingBlanks()
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
            return .seconds(min(Int64(text) ?? .max, 3_155_760_000))
        }
        return HTTPDate.parse(text).map { max(.zero, $0 - now) }
    }
}
