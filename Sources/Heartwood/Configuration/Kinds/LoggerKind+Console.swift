extension LoggerKind {
    /// A ``ConsoleLogger``.
    public static let console = LoggerKind("console") { settings in
        settings.tunes("stream", .stream, \ConsoleLogger.stream)
        settings.tunes(
            "colors",
            LogSettingForm<ConsoleColorDepth>.choice([
                ("none", .none), ("16", .ansi), ("256", .palette), ("full", .full),
            ]), \ConsoleLogger.colorDepth)
        settings.tunes("zone", .zone, \ConsoleLogger.zone)
        settings.tunes("showsPlace", .flag, \ConsoleLogger.showsPlace)
        settings.tunes("privacy", .privacy, \ConsoleLogger.privacy)
        settings.tunes("escaping", .escaping, \ConsoleLogger.escaping)
        return { ConsoleLogger(name: settings.name) }
    }
}

extension LogSettingForm where Value == ConsoleLogger.Stream {
    /// `"output"`, `"error"`, or `{"errors": LEVELS}`: these to standard error, the others to standard output.
    static var stream: LogSettingForm {
        LogSettingForm.choice([("output", .standardOutput), ("error", .standardError)]).or(
            .table("stream") { settings in
                .split(errors: settings.required("errors", .levels).content ?? .off)
            }, named: "stream", when: { $0.members != nil })
    }
}
