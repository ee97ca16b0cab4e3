#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Heartwood

/// What an event's property may be: something that JSON can say.
///
/// The set is closed: whole numbers of any width, `Float`, `Double`, `Bool`, `String`, `Date`, `UUID`,
/// `Decimal`, optionals, arrays and string-keyed dictionaries of these, ``EventRecord``, and ``EventFields``
/// for dictionaries of several types. Anything else does not compile.
///
/// | value | JSON |
/// |---|---|
/// | nil | `null` |
/// | a number that is infinite or none | the string `"inf"`, `"-inf"` or `"nan"` |
/// | `Date` | a string in UTC with milliseconds, `"2026-11-20T10:20:30.123Z"`; `null` for an infinite one |
/// | `UUID` | a string in lower case |
/// | `Decimal` | a string, so that no digit is lost |
/// | a dictionary | an object, its keys sorted |
/// | what lies deeper than 32 levels | the string `"<too deep>"` |
public protocol EventValue: Sendable {
    /// The value as it is stored.
    var eventValue: StoredEventValue { get }
}

extension LogValue {
    /// In the place of what lies too deep.
    static let tooDeep = LogValue.string("<too deep>")

    /// A number as events have it: text where JSON has no such number.
    static func event(_ value: Double) -> LogValue {
        value.isFinite ? LogValue(value) : .string(value.description)
    }

    /// A number as events have it: in the fewest digits that say it.
    static func event(_ value: Float) -> LogValue {
        value.isFinite ? LogValue(value) : .string(value.description)
    }

    /// A moment as events have it.
    static func event(_ value: LogTimestamp) -> LogValue { .string(value.description) }

    /// A date as events have it: null where it has no day.
    static func event(_ value: Date) -> LogValue {
        value.hasDay ? .string(LogValue.date(value).description) : .null
    }
    /// A UUID as events have it.
    static func event(_ value: UUID) -> LogValue { .string(value.uuidString.lowercased()) }
    /// A decimal number as events have it.
    static func event(_ value: Decimal) -> LogValue { .string(value.description) }

    /// The value as JSON.
    var eventJSON: String {
        var buffer = LogBuffer()
        buffer.append(json: self)
        return buffer.text
    }
}
