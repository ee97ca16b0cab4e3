import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

/// Goal G17: boundaries of the calendar, through changes of daylight-saving time both ways.
@Suite(.inTurn) struct CalendarBoundaryTests {
    @Test(
        "The next boundary is where the wall's calendar has it",
        arguments: [
            (LogCalendarBoundary.hour, "UTC", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"),
            (.hour, "UTC", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"),
            // Clocks go from 02:00 to 03:00: the hour from 01:00 to 03:00 of the wall has 60 minutes.
            (.hour, "Europe/Paris", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"),
            // Clocks go from 03:00 back to 02:00: that hour comes twice.
            (.hour, "Europe/Paris", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z"),
            (.hour, "Europe/Paris", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"),
            // Half an hour of daylight-saving time, and a zone of half hours.
            (.hour, "Australia/Lord_Howe", "2026-04-04T14:45:00Z", "2026-04-04T15:30:00Z"),
            (.hour, "Asia/Kolkata", "2026-04-04T14:45:00Z", "2026-04-04T15:30:00Z"),
            (.day, "UTC", "2026-02-28T23:59:59Z", "2026-03-01T00:00:00Z"),
            (.day, "UTC", "2028-02-28T00:00:00Z", "2028-02-29T00:00:00Z"),
            // A day of 23 hours, and one of 25.
            (.day, "Europe/Paris", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
            (.day, "Europe/Paris", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
            (.day, "America/New_York", "2026-03-08T12:00:00Z", "2026-03-09T04:00:00Z"),
            // Midnight is leapt over: the day begins at 01:00.
            (.day, "Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z"),
            (.day, "America/Havana", "2026-03-07T12:00:00Z", "2026-03-08T05:00:00Z"),
            // Midnight comes twice: only the first one counts.
            (.day, "America/Havana", "2026-10-31T12:00:00Z", "2026-11-01T04:00:00Z"),
            (.day, "America/Havana", "2026-11-01T04:30:00Z", "2026-11-02T05:00:00Z"),
            (.day, "America/Havana", "2026-11-01T05:30:00Z", "2026-11-02T05:00:00Z"),
            // A whole day was left out here.
            (.day, "Pacific/Apia", "2011-12-30T09:00:00Z", "2011-12-30T10:00:00Z"),
            (.week, "UTC", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z"),
            (.week, "UTC", "2026-01-05T00:00:00Z", "2026-01-12T00:00:00Z"),
            (.week, "Europe/Paris", "2026-10-23T00:00:00Z", "2026-10-25T23:00:00Z"),
            (.week, "UTC", "1969-12-31T00:00:00Z", "1970-01-05T00:00:00Z"),
            (.month, "UTC", "2026-12-15T00:00:00Z", "2027-01-01T00:00:00Z"),
            (.month, "Europe/Paris", "2026-10-01T00:00:00Z", "2026-10-31T23:00:00Z"),
            (.month, "Europe/Paris", "2026-03-15T00:00:00Z", "2026-03-31T22:00:00Z"),
        ])
    func next(_ boundary: LogCalendarBoundary, _ zoneName: String, _ now: String, _ expected: String) {
        let next = boundary.next(after: moment(now), in: zone(zoneName))
        #expect(next == moment(expected), "\(next.date)")
    }

    @Test(
        "From boundary to boundary through two years, each is later, and as far from the last as it can be",
        arguments: LogCalendarBoundary.allCases,
        [
            "UTC", "Europe/Paris", "America/Havana", "Africa/Cairo", "Africa/Casablanca",
            "Australia/Lord_Howe", "Pacific/Apia",
        ])
    func walk(_ boundary: LogCalendarBoundary, _ zoneName: String) {
        let limits: [LogCalendarBoundary: ClosedRange<Int>] = [
            .hour: 1800...5400, .day: 22 * 3600...26 * 3600, .week: 6 * 86_400...8 * 86_400,
            .month: 27 * 86_400...32 * 86_400,
        ]
        let zone = zone(zoneName)
        let end = moment("2027-01-01T00:00:00Z")
        var now = boundary.next(after: moment("2025-01-01T00:00:00Z"), in: zone)
        while now < end {
            let next = boundary.next(after: now, in: zone)
            let length = next.wholeSeconds - now.wholeSeconds
            #expect(limits[boundary]?.contains(length) == true, "\(now.date) → \(next.date)")
            if length <= 0 { break }
            // From anywhere between, the same boundary is found.
            let between = LogTimestamp(nanoseconds: now.nanoseconds + (next - now).nanoseconds / 2)
            #expect(boundary.next(after: between, in: zone) == next)
            now = next
        }
    }
}
