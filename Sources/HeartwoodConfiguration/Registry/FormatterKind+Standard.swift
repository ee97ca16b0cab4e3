import Heartwood

extension FormatterKind {
    /// The kinds that come with the framework.
    static let standard: [FormatterKind] = [
        text, line, pattern, json, ecs, gelf, logfmt, syslog, swiftyBeaver, cocoaLumberjackFile,
        cocoaLumberjackConsole,
    ]

    /// The text alone; a console's own layout.
    static let text = FormatterKind("text") { _ in nil }

    static let line = FormatterKind("line") { settings in
        var options = LineFormatter.Options()
        settings.read("zone", .zone, &options.zone)
        settings.read("showsTime", .bool, &options.showsTime)
        settings.read("showsSource", .bool, &options.showsSource)
        settings.read("showsMetadata", .bool, &options.showsMetadata)
        settings.read("privacy", .privacy, &options.privacy)
        settings.read("escaping", .escaping, &options.escaping)
        return LineFormatter(options)
    }

    static let pattern = FormatterKind("pattern") { settings in
        let pattern = settings.required("pattern", .string)
        var options = PatternFormatter.Options()
        settings.read("zone", .zone, &options.zone)
        settings.read("privacy", .privacy, &options.privacy)
        settings.read("escaping", .escaping, &options.escaping)
        settings.read("trimsEnd", .bool, &options.trimsEnd)
        settings.read("threadLength", .integer(1...1000), &options.threadLabel.maximumLength)
        guard let text = pattern.content else { return nil }
        return settings.check("pattern") { try PatternFormatter(text, options) }
    }

    static let json = FormatterKind("json") { settings in
        JSONLinesFormatter(settings.json(JSONLinesFormatter.Options()))
    }

    static let ecs = FormatterKind("ecs") { settings in
        JSONLinesFormatter(
            settings.json(
                .ecs(
                    service: settings.optional("service", .string),
                    environment: settings.optional("environment", .string),
                    version: settings.optional("version", .string),
                    dataset: settings.optional("dataset", .string)
                )))
    }

    static let gelf = FormatterKind("gelf") { settings in
        JSONLinesFormatter(settings.json(.gelf(host: settings.optional("host", .string))))
    }

    static let logfmt = FormatterKind("logfmt") { settings in
        var options = LogfmtFormatter.Options()
        settings.read("includesSource", .bool, &options.includesSource)
        settings.read("includesThread", .bool, &options.includesThread)
        settings.read("includesSequence", .bool, &options.includesSequence)
        settings.read("privacy", .privacy, &options.privacy)
        return LogfmtFormatter(options)
    }

    static let syslog = FormatterKind("syslog") { settings in
        var options = SyslogFormatter.Options()
        settings.read("facility", .facility, &options.facility)
        settings.read("host", .string, &options.host)
        settings.read("program", .string, &options.program)
        settings.read("elementName", .string, &options.elementName)
        settings.read("includesFields", .bool, &options.includesFields)
        settings.read("includesSequence", .bool, &options.includesSequence)
        settings.read("privacy", .privacy, &options.privacy)
        return SyslogFormatter(options)
    }

    static let swiftyBeaver = FormatterKind("swiftyBeaver") { settings in
        let format = settings.optional("format", .string) ?? "$DHH:mm:ss.SSS$d $C$L$c $N.$F:$l - $M"
        let privacy = settings.optional("privacy", .privacy) ?? .redact
        return settings.check("format") { try LogFormatter.swiftyBeaver(format, privacy: privacy) }
    }

    static let cocoaLumberjackFile = FormatterKind("cocoaLumberjackFile") { settings in
        PatternFormatter.cocoaLumberjackFile(privacy: settings.optional("privacy", .privacy) ?? .redact)
    }

    static let cocoaLumberjackConsole = FormatterKind("cocoaLumberjackConsole") { settings in
        PatternFormatter.cocoaLumberjackConsole(
            zone: settings.optional("zone", .zone) ?? .local,
            privacy: settings.optional("privacy", .privacy) ?? .redact)
    }
}

extension LogSettings {
    /// Puts a setting, where it is given, into a variable.
    func read<Value>(_ key: String, _ form: LogSettingDecoder<Value>, _ variable: inout Value) {
        if let value = optional(key, form) { variable = value }
    }

    /// The same for a variable that may be nil.
    func read<Value>(_ key: String, _ form: LogSettingDecoder<Value>, _ variable: inout Value?) {
        if let value = optional(key, form) { variable = value }
    }

    /// The options that all formatters of JSON share.
    fileprivate func json(_ start: JSONLinesFormatter.Options) -> JSONLinesFormatter.Options {
        var options = start
        read("includesSource", .bool, &options.includesSource)
        read("includesThread", .bool, &options.includesThread)
        read("privacy", .privacy, &options.privacy)
        return options
    }
}

extension LogSettingDecoder where Value == SyslogFormatter.Facility {
    static var facility: LogSettingDecoder {
        .choice([
            ("user", .user), ("mail", .mail), ("daemon", .daemon), ("auth", .auth),
            ("authPrivate", .authPrivate),
            ("local0", .local0), ("local1", .local1), ("local2", .local2), ("local3", .local3),
            ("local4", .local4), ("local5", .local5), ("local6", .local6), ("local7", .local7),
        ])
    }
}

extension LogSettingDecoder where Value == LogFormatter? {
    /// The name of a kind, a pattern with braces, or a table with `kind` and the settings of that kind.
    static var formatter: LogSettingDecoder {
        LogSettingDecoder("formatter", write: "a formatter name, a pattern or an object with “kind”") {
            setting, path, collector in
            let settings: LogSetting
            switch setting.value {
            case .string(let text):
                let key = LogSetting.Member(
                    "kind", at: setting.place, LogSetting(.string("pattern"), at: setting.place))
                let pattern = LogSetting.Member("pattern", at: setting.place, setting)
                let kind = LogSetting.Member("kind", at: setting.place, setting)
                settings = LogSetting(
                    .object(text.contains("{") ? [key, pattern] : [kind]), at: setting.place)
            case .object: settings = setting
            default:
                collector.add(
                    setting.place, path,
                    "\(setting.shown) is not a valid formatter; "
                        + "use a formatter name, a pattern or an object with “kind”"
                )
                return nil
            }
            return read(settings, path, collector)
        }
    }

    private static func read(
        _ setting: LogSetting, _ path: [String], _ collector: ProblemCollector
    ) -> LogFormatter?? {
        let settings = LogSettings(setting, name: "formatter", path: path, collector: collector)
        guard let name = settings.required("kind", .string).content else { return nil }
        guard let kind = KindRegistry.formatter(name) else {
            let hint = Spelling.hint(for: name, among: KindRegistry.formatterNames)
            settings.problem("unknown formatter “\(name)”\(hint)", at: "kind")
            return nil
        }
        let before = collector.problems.count
        let formatter = settings.check { try kind.read(settings) }
        settings.finish()
        guard let formatter, collector.problems.count == before else { return nil }
        return .some(formatter)
    }
}
