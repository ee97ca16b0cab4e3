import Foundation

@testable import Heartwood

/// A moment from its ISO 8601 text, for tables.
func moment(_ text: String) -> LogTimestamp {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions =
        text.contains(".") ? [.withInternetDateTime, .withFractionalSeconds] : [.withInternetDateTime]
    guard let date = formatter.date(from: text) else { fatalError("\(text) is no date") }
    return LogTimestamp(nanoseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()) * 1_000_000)
}

func zone(_ name: String) -> TimeZone {
    guard let zone = TimeZone(identifier: name) else { fatalError("\(name) is no zone") }
    return zone
}
