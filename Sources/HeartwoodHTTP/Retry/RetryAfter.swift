package import Heartwood
import HeartwoodSystem

/// The `Retry-After` field, in its two forms: seconds, or a date.
package enum RetryAfter {
    /// How long from `now` the server asks to be left alone; nil where the field cannot be understood.
    ///
    /// A date that has passed asks for nothing. A number too large for the clock counts as a century.
    package static func parse(_ text: String, now: LogTimestamp) -> Duration? {
        let text = text.trimmingBlanks()
        if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) {
            return .seconds(min(Int64(text) ?? .max, 3_155_760_000))
        }
        return date(text).map { max(.zero, $0 - now) }
    }

    /// The moment of a date as HTTP has it; one after 2262 is the last moment that a time stamp can say.
    static func date(_ text: String) -> LogTimestamp? {
        guard case (var time, let offset)? = RFC822Reader.read(text) else { return nil }
        let isFar = time.year > 2261
        if isFar { time.year = 2000 }
        return time.checkedMoment(offset: offset).map { isFar ? LogTimestamp(nanoseconds: .max) : $0 }
    }
}
