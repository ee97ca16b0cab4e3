public import Heartwood

/// A kind of logger for configurations: its name, its settings, and a function that makes the logger.
///
/// ```swift
/// LogConfiguration.register(
///     LoggerKind("pager") { settings in
///         let address = settings.required("address", .string)
///         settings.bind("service", .string, to: \PagerLogger.service)
///         return { PagerLogger(name: settings.name, address: address.value) }
///     })
/// ```
///
/// Every kind also has the settings that all loggers share: `kind`, `enabled`, `level`, `formatter`,
/// `filter`, `redaction`, `duplicateSuppression`, `flightRecorder`, `backlogLimit` and `overflow`.
public struct LoggerKind: Sendable {
    /// The value of `kind` in a configuration.
    package let name: String
    let read: @Sendable (LogSettings) -> () throws -> AbstractLogger
    /// Settings are neither known nor checked: for a tool that reads the configuration of another program.
    let isUnknown: Bool

    /// Makes a kind.
    ///
    /// - Parameters:
    ///   - name: What `kind` says in a configuration.
    ///   - reading: Asks for the settings, and gives the function that makes the logger, with the name of
    ///     `settings`. It has no effects: it is called to check a configuration, too. The function is called
    ///     when everything in the configuration has been found right; what it throws keeps the configuration
    ///     from being applied.
    public init(
        _ name: String,
        reading: @escaping @Sendable (LogSettings) -> () throws -> AbstractLogger
    ) {
        self.name = name
        read = reading
        isUnknown = false
    }

    /// Makes a kind that accepts any settings, for a tool that checks the configuration of another program.
    ///
    /// Its own settings are accepted as they are; it makes no logger.
    public static func unknown(_ name: String) -> LoggerKind { LoggerKind(unknown: name) }

    private init(unknown name: String) {
        self.name = name
        isUnknown = true
        read = { settings in
            settings.acceptAnything()
            return { throw LogError(.setting, "the logger kind “\(name)” has no known settings") }
        }
    }

    /// Reads the settings that all loggers share.
    static func readShared(_ settings: LogSettings) {
        settings.bind("level", .levels, to: \AbstractLogger.levels)
        settings.bind("formatter", .formatter, to: \AbstractLogger.formatter)
        settings.bind("filter", .filter, to: \AbstractLogger.filter)
        settings.bind("redaction", .redaction, to: \AbstractLogger.redaction)
        settings.bind(
            "duplicateSuppression",
            LogSettingDecoder<Duration>.time.map { DuplicateSuppression(interval: $0) },
            to: \AbstractLogger.duplicateSuppression)
        settings.bind("flightRecorder", .flightRecorder, to: \AbstractLogger.flightRecorder)
        settings.bind("backlogLimit", .limit(.size), to: \AbstractLogger.backlogLimit)
        settings.bind("overflow", .overflow, to: \AbstractLogger.overflowPolicy)
    }
}

extension LogConfiguration {
    /// Registers a kind of logger, which configurations can use from now on.
    ///
    /// A kind with the same name is replaced.
    ///
    /// `console`, `file`, `system` and `memory` are there from the beginning; those of other modules must be
    /// registered: `LogConfiguration.register(.http)` after `import HeartwoodHTTP`.
    public static func register(_ kind: LoggerKind) { KindRegistry.register(kind) }

    /// Registers a kind of formatter, which configurations can use from now on.
    ///
    /// A kind with the same name is replaced.
    public static func register(_ kind: FormatterKind) { KindRegistry.register(kind) }
}
