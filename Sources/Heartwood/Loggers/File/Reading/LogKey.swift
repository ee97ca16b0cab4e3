/// The names under which formats keep the time, the level and the like.
struct LogKey: Sendable {
    /// When.
    package static let time = LogKey(
        "time", "timestamp", "@timestamp", "ts", "t", "datetime", "date", "asctime", "__REALTIME_TIMESTAMP")
    /// How serious.
    package static let level = LogKey(
        "level", "severity", "log.level", "lvl", "loglevel", "levelname", "level_name", "PRIORITY")
    /// Of what kind.
    package static let category = LogKey(
        "category", "logger", "log.logger", "_category", "logger_name", "SYSLOG_IDENTIFIER")
    /// The text.
    package static let message = LogKey("message", "msg", "short_message", "MESSAGE")
    /// The object that holds the level in nested ECS.
    package static let log = LogKey("log")

    private let names: [StaticString]

    private init(_ names: StaticString...) {
        self.names = names
    }

    /// Whether the range of the line is one of the names.
    package func matches(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        for name in names where name.utf8CodeUnitCount == range.count {
            let isSame = name.withUTF8Buffer { name in
                for offset in 0..<name.count where name[offset] != line[range.lowerBound + offset] {
                    return false
                }
                return true
            }
            if isSame { return true }
        }
        return false
    }

    /// Whether a text is one of the names.
    package func contains(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { matches(UnsafeRawBufferPointer($0), 0..<$0.count) }
    }
}
