import Heartwood

extension LoggerKind {
    /// The kind of a `ConsoleLogger`: `"console"`.
    public static let console = LoggerKind("console") { settings in
        let bind = settings.members(of: ConsoleLogger.self, standard: ConsoleSettings())
        bind("stream", .stream, \.stream)
        bind(
            "colors",
            LogSettingDecoder<ConsoleColorDepth>.choice([
                ("none", .none), ("16", .ansi), ("256", .palette), ("full", .full),
            ]), \.colorDepth)
        bind("zone", .zone, \.zone)
        bind("showsSource", .bool, \.showsSource)
        bind("showsTime", .bool, \.showsTime)
        bind("privacy", .privacy, \.privacy)
        bind("escaping", .escaping, \.escaping)
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

extension LoggerKind {
    /// The kind of a `MemoryLogger`: `"memory"`.
    public static let memory = LoggerKind("memory") { settings in
        let bind = settings.members(of: MemoryLogger.self, standard: MemorySettings())
        bind("maximumCount", .limit(.integer()), \.maximumCount)
        bind("maximumSize", .limit(.size), \.maximumSize)
        return { MemoryLogger(name: settings.name) }
    }
}

extension LoggerKind {
    /// The kind of a `SystemLogger`: `"system"`.
    public static let system = LoggerKind("system") { settings in
        let bind = settings.members(of: SystemLogger.self, standard: SystemSettings())
        bind("destination", .destination, \.destination)
        bind("facility", .facility, \.facility)
        bind("program", .string, \.program)
        bind("host", .string, \.host)
        bind("privacy", .privacy, \.privacy)
        bind("maximumMessageSize", .size, \.maximumMessageSize)
        bind("waitingLimit", .size, \.waitingLimit)
        bind("sendTimeout", .time, \.sendTimeout)
        return { SystemLogger(name: settings.name) }
    }
}

extension LogSettingDecoder where Value == SystemLogger.Destination {
    /// A name, or a table that says by which way and to whom.
    static var destination: LogSettingDecoder {
        LogSettingDecoder.choice([
            ("automatic", .automatic), ("journal", .journal()), ("syslog", .local()),
            ("unifiedLog", .unifiedLog()),
        ]).or(.object("destination", way), named: "destination", when: { $0.members != nil })
    }

    /// One of `journal`, `syslog`, `udp`, `tcp` and `unifiedLog`, with what goes with it.
    @Sendable private static func way(_ settings: LogSettings) -> SystemLogger.Destination? {
        let journal = settings.optional("journal", .path)
        let syslog = settings.optional("syslog", .path)
        let udp = settings.optional("udp", .string)
        let tcp = settings.optional("tcp", .string)
        let subsystem = settings.optional("unifiedLog", .string)
        guard [journal, syslog, udp, tcp, subsystem].count(where: { $0 != nil }) == 1 else {
            settings.problem("use one of journal, syslog, udp, tcp, unifiedLog")
            return nil
        }
        let port = udp != nil || tcp != nil ? settings.optional("port", .integer(1...65_535)) ?? 514 : 514
        let format: SystemLogger.SyslogFormat? =
            journal != nil || subsystem != nil
            ? nil : settings.optional("format", .choice([("rfc5424", .rfc5424), ("rfc3164", .rfc3164)]))
        let framing: SystemLogger.Framing? =
            syslog == nil && tcp == nil
            ? nil
            : settings.optional(
                "framing", .choice([("octetCounting", .octetCounting), ("newline", .newline)]))
        if let journal { return .journal(socket: journal) }
        if let syslog {
            return .local(socket: syslog, format: format ?? .rfc3164, framing: framing ?? .newline)
        }
        if let udp { return .udp(host: udp, port: port, format: format ?? .rfc5424) }
        if let tcp {
            return .tcp(host: tcp, port: port, format: format ?? .rfc5424, framing: framing ?? .octetCounting)
        }
        return .unifiedLog(subsystem: subsystem)
    }
}
