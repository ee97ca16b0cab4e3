import Heartwood

/// A configuration that was read and found right: what is to be made and set.
///
/// Reading has no effects. What can go wrong after it is only the making of loggers.
struct ConfigurationPlan {
    /// A logger that is wanted.
    struct Logger {
        let name: String
        let kind: String
        let place: LogSettingLocation
        /// What its initializer is given: when one of these changes, it is replaced.
        let fixed: [String: LogSetting]
        let tunings: [SettingTuning]
        let make: () throws -> AbstractLogger
    }

    private(set) var loggers: [Logger] = []
    private(set) var categoryRules: [LogLevelRule] = []
    private(set) var sourceRules: [LogLevelRule] = []
    private(set) var dispatcher: [SettingTuning] = []

    /// - Throws: everything that is wrong.
    init(_ configuration: LogConfiguration) throws(LogConfigurationError) {
        let collector = ProblemCollector(workingDirectory: configuration.workingDirectory)
        let settings = LogSettings(configuration.settings, name: "", path: [], collector: collector)
        read(settings)
        if !collector.problems.isEmpty { throw LogConfigurationError(collector.sorted) }
    }

    private mutating func read(_ settings: LogSettings) {
        if let levels = settings.optional("level", .levels) {
            categoryRules.append(LogLevelRule("*", levels))
        }
        categoryRules += settings.optional("categories", .rules) ?? []
        sourceRules = settings.optional("sources", .rules) ?? []
        ConfigurationPlan.readDispatcher(settings)
        dispatcher = settings.tunings
        loggers = settings.optional("loggers", .loggers) ?? []
        settings.finish()
    }

    /// The settings of the dispatcher itself; the journal first, so that what is logged next is in it.
    static func readDispatcher(_ settings: LogSettings) {
        settings.bind(
            "journal",
            LogSettingDecoder<LogJournal>.object("journal") { settings in
                let directory = settings.required("directory", .path).content
                let key = settings.optional("key", .secret)
                return directory.map { LogJournal(directory: $0, key: key) }
            }.or(LogSettingDecoder<String>.path.map { LogJournal.file($0) }, when: { $0.members == nil }),
            to: \LogDispatcher.configuredJournal)
        settings.bind("recordsFatalSignals", .bool, to: \LogDispatcher.recordsFatalSignals)
        settings.bind("overflow", .overflow, to: \LogDispatcher.overflowPolicy)
        settings.bind("synchronousLevels", .levels, to: \LogDispatcher.synchronousLevels)
        settings.bind("synchronousTimeout", .time, to: \LogDispatcher.synchronousTimeout)
        settings.bind("metadata", .metadata, to: \LogDispatcher.metadata)
    }
}

extension LogDispatcher {
    /// The journal; setting it to what it is does nothing.
    fileprivate var configuredJournal: LogJournal? {
        get { journal }
        set { if newValue != journal { journal = newValue } }
    }
}

extension LogSettingDecoder where Value == [LogLevelRule] {
    /// A table of patterns and levels.
    static var rules: LogSettingDecoder {
        LogSettingDecoder("object of levels", write: "an object of patterns and levels") {
            setting, path, collector in
            guard let members = setting.members else {
                collector.add(
                    setting.place, path,
                    "expected an object such as {\"net.*\": \"debug\"}, found \(setting.shown)")
                return nil
            }
            return members.compactMap { member in
                if member.setting.isNull || member.key.hasPrefix("//") { return nil }
                if member.key.isEmpty {
                    collector.add(member.place, path, "the pattern is empty; use * for all categories")
                }
                let levels = LogSettingDecoder<LogLevelMask>.levels.read(
                    member.setting, path + [member.key], collector)
                return levels.map { LogLevelRule(member.key, $0) }
            }
        }
    }
}

extension LogSettingDecoder where Value == [ConfigurationPlan.Logger] {
    /// A table of names and loggers.
    static var loggers: LogSettingDecoder {
        LogSettingDecoder("object of loggers", write: "an object of names and loggers") {
            setting, path, collector in
            guard let members = setting.members else {
                collector.add(
                    setting.place, path,
                    "expected an object such as {\"console\": {\"kind\": \"console\"}}, "
                        + "found \(setting.shown)")
                return nil
            }
            return members.compactMap { member in
                if member.setting.isNull || member.key.hasPrefix("//") { return nil }
                return logger(member, path + [member.key], collector)
            }
        }
    }

    private static func logger(
        _ member: LogSetting.Member, _ path: [String], _ collector: ProblemCollector
    ) -> ConfigurationPlan.Logger? {
        let settings = LogSettings(member.setting, name: member.key, path: path, collector: collector)
        if member.key.isEmpty { collector.add(member.place, path, "the logger's name is empty") }
        guard let name = settings.required("kind", .string).content else { return nil }
        guard let kind = KindRegistry.logger(name) else {
            settings.problem(hint(name), at: "kind")
            return nil
        }
        let isEnabled = settings.optional("enabled", .bool) ?? true
        LoggerKind.readShared(settings)
        let make = kind.read(settings)
        settings.finish()
        guard isEnabled else { return nil }
        var fixed = settings.fixed
        fixed["enabled"] = nil
        return ConfigurationPlan.Logger(
            name: member.key, kind: name, place: member.place, fixed: fixed, tunings: settings.tunings,
            make: make)
    }

    /// Kinds that other modules have, by their names.
    private static let elsewhere = ["http": "HeartwoodHTTP", "sqlite": "HeartwoodSQLite"]

    private static func hint(_ name: String) -> String {
        if let module = elsewhere[name] {
            return "the logger kind “\(name)” is not registered; "
                + "import \(module) and call LogConfiguration.register(.\(name)) before"
        }
        let hint = Spelling.hint(for: name, among: KindRegistry.loggerNames)
        return "unknown logger kind “\(name)”\(hint)"
    }
}
