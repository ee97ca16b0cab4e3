extension LoggerKind {
    /// The kind of a ``ConsoleLogger``: `"console"`.
    public static let console = LoggerKind("console") { settings in
        settings.bind("stream", .stream, to: \ConsoleLogger.stream)
        settings.bind(
            "colors",
            LogSettingDecoder<ConsoleColorDepth>.choice([
                ("none", .none), ("16", .ansi), ("256", .palette), ("full", .full),
            ]), to: \ConsoleLogger.colorDepth)
        settings.bind("zone", .zone, to: \ConsoleLogger.zone)
        settings.bind("showsSource", .bool, to: \ConsoleLogger.showsSource)
        settings.bind("showsTime", .bool, to: \ConsoleLogger.showsTime)
        settings.bind("privacy", .privacy, to: \ConsoleLogger.privacy)
        settings.bind("escaping", .escaping, to: \ConsoleLogger.escaping)
        return { ConsoleLogger(name: settings.name) }
    }
}

extension LogSettingDecoder where Value == ConsoleLogger.Stream {
    /// `"output"`, `"error"`, or `{"errors": LEVELS}`: these to standard error, the others to standard
    /// output.
    static var stream: LogSettingDecoder {
        LogSettingDecoder.choice([("output", .standardOutput), ("error", .standardError)]).or(
            .object("stream") { settings in
                .split(errors: settings.required("errors", .levels).content ?? .off)
            }, named: "stream", when: { $0.members != nil })
    }
}
