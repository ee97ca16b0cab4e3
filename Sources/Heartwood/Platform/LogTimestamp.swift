#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A time of the wall clock, in nanoseconds since 1970-01-01 00:00:00 UTC.
public struct LogTimestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970; negative before it.
    ///
    /// Reaches from 1677 to 2262.
    public var nanoseconds: Int64

    /// Makes a time stamp from nanoseconds since 1970.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Makes a time stamp from a date.
    ///
    /// A date out of range becomes the nearest valid one, and a date that is not a number becomes 1970. As a
    /// value or a field, log the `Date` itself, which keeps its moment.
    public init(_ date: Date) {
        // Whole microseconds: a date is not more exact than that, and one of 0.123 s shall not read 0.122.
        let value = (date.timeIntervalSince1970 * 1e6).rounded()
        nanoseconds = value.isNaN ? 0 : value >= 9.2e15 ? .max : value <= -9.2e15 ? .min : Int64(value) * 1000
    }

    /// The same time as a `Date`, exact to about 100 ns.
    public var date: Date { Date(timeIntervalSince1970: secondsSince1970) }

    /// Seconds since 1970, exact to about 100 ns.
    @inlinable
    package var secondsSince1970: Double { Double(nanoseconds) / 1e9 }

    /// Whether the left time is earlier.
    @inlinable
    public static func < (left: LogTimestamp, right: LogTimestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time that is `duration` later; stops at the end of the range.
    @inlinable
    public static func + (moment: LogTimestamp, duration: Duration) -> LogTimestamp {
        let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return LogTimestamp(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time from `earlier` to `later`.
    @inlinable
    public static func - (later: LogTimestamp, earlier: LogTimestamp) -> Duration {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(overflow ? (later < earlier ? Int64.min : Int64.max) : difference)
    }
}

extension LogTimestamp {
    /// A whole second after 1970; nil outside of the range.
    package init?(seconds: Int) {
        let (value, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return nil }
        self.init(nanoseconds: value)
    }

    /// The moment so many seconds and nanoseconds after 1970, or the end of the range that is nearest to it.
    package init(nearestTo seconds: Int, _ nanosecond: Int) {
        // Towards 1970, so that the first and the last second of the range, which are not whole, are exact.
        let (whole, rest) = seconds < 0 ? (seconds + 1, nanosecond - 1_000_000_000) : (seconds, nanosecond)
        let (value, overflow) = Int64(whole).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = value.addingReportingOverflow(Int64(rest))
        self.init(nanoseconds: overflow || carry ? (seconds < 0 ? .min : .max) : sum)
    }

    /// The whole second that the moment lies in.
    var wholeSeconds: Int { Int(nanoseconds.dividedDown(by: 1_000_000_000)) }
}
