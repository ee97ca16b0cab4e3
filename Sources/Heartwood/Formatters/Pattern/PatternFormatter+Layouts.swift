extension PatternFormatter {
    /// Writes lines like CocoaLumberjack's file logger: `2026/11/20 10:20:30:123  text`, in UTC.
    ///
    /// A newline in a text is escaped, unlike there.
    public static func cocoaLumberjackFile(privacy: LogPrivacyPolicy = .redact) -> PatternFormatter {
        layout("{utc:yyyy/MM/dd HH:mm:ss:SSS}  {message}", .utc, ThreadLabel(), privacy)
    }

    /// Writes lines like CocoaLumberjack's terminal logger: `2026-11-20 10:20:30:123 shop[512:513] text`, in
    /// local time.
    public static func cocoaLumberjackConsole(
        zone: LogTimeZone = .local, privacy: LogPrivacyPolicy = .redact
    ) -> PatternFormatter {
        layout(
            "{time:yyyy-MM-dd HH:mm:ss:SSS} {process}[{pid}:{threadID}] {message}", zone, ThreadLabel(),
            privacy)
    }

    /// Writes lines like CocoaLumberjack's dispatch-queue formatter: `2026-11-20 10:20:30:123 [main] text`.
    ///
    /// The label is the label of the queue, or the name or number of the thread. Messages do not contain
    /// their quality of service, so ` (QOS:…)` is missing.
    ///
    /// - Parameters:
    ///   - label: The lengths and replacements of the label; as in CocoaLumberjack unless given.
    ///   - zone: The time zone; local time unless given.
    ///   - privacy: How private values are written; redacted unless given.
    /// - Returns: The formatter.
    public static func dispatchQueue(
        label: ThreadLabel = ThreadLabel(), zone: LogTimeZone = .local, privacy: LogPrivacyPolicy = .redact
    ) -> PatternFormatter {
        layout("{time:yyyy-MM-dd HH:mm:ss:SSS} [{thread}] {message}", zone, label, privacy)
    }

    private static func layout(
        _ pattern: String, _ zone: LogTimeZone, _ label: ThreadLabel, _ privacy: LogPrivacyPolicy
    ) -> PatternFormatter {
        var options = Options()
        (options.zone, options.threadLabel, options.privacy) = (zone, label, privacy)
        do { return try PatternFormatter(pattern, options) } catch {
            preconditionFailure("Built-in pattern is invalid: \(error)")
        }
    }
}
