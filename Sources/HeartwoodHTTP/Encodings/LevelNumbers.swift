import Heartwood

/// The standard levels in the numbers and names of other systems.
enum LevelNumbers {
    /// OTLP's `SeverityNumber`.
    static func otlp(_ level: LogLevel) -> Int { [21, 17, 13, 10, 9, 5, 1][min(6, level.index)] }
    /// SwiftyBeaver's level, which is 0 to 4: a fatal message is an error there.
    static func swiftyBeaver(_ level: LogLevel) -> Int { [4, 4, 3, 2, 2, 1, 0][min(6, level.index)] }
    /// Datadog's status.
    static func datadog(_ level: LogLevel) -> String {
        ["critical", "error", "warning", "notice", "info", "debug", "debug"][min(6, level.index)]
    }
}
