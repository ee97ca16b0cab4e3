import Heartwood

/// The keys that there are, for the reference in `Docs/Configuration.md` and the test that keeps it right.
extension LogConfiguration {
    /// The keys of a table with nothing in it: asked for, and not found.
    private static func keys(_ read: (LogSettings) throws -> Void) -> [KnownKey] {
        let settings = LogSettings(
            LogSetting(.object([])), name: "", path: [], collector: ProblemCollector())
        try? read(settings)
        return settings.asked
    }

    /// The keys of the whole.
    package static var keys: [KnownKey] {
        [
            KnownKey(name: "level", form: "levels", isRequired: false),
            KnownKey(name: "categories", form: "object of levels", isRequired: false),
            KnownKey(name: "sources", form: "object of levels", isRequired: false),
            KnownKey(name: "loggers", form: "object of loggers", isRequired: false),
        ] + keys { ConfigurationPlan.readDispatcher($0) }
    }

    /// The keys that all loggers share.
    package static var sharedKeys: [KnownKey] {
        [
            KnownKey(name: "kind", form: "string", isRequired: true),
            KnownKey(name: "enabled", form: "boolean", isRequired: false),
        ] + keys { LoggerKind.readShared($0) }
    }

    /// The keys of a kind of logger beside the shared ones.
    package static func keys(of kind: LoggerKind) -> [KnownKey] { keys { _ = kind.read($0) } }

    /// The names of the formatters, with the keys of each.
    package static var formatterKeys: [(name: String, keys: [KnownKey])] {
        KindRegistry.formatterNames.map { name in
            (name, keys { settings in _ = try KindRegistry.formatter(name)?.read(settings) })
        }
    }
}
