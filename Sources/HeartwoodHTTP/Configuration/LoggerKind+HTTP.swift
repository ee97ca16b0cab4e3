import Heartwood
public import HeartwoodConfiguration

extension LoggerKind {
    /// A logger that sends messages to a server: an `HTTPLogger`.
    ///
    /// Register it before you load a configuration that uses it:
    ///
    /// ```swift
    /// LogConfiguration.register(.http)
    /// ```
    public static let http = LoggerKind("http") { settings in
        let spool = settings.optional("spool", .path)
        let encoding = settings.required("encoding", .encoding)
        let standard = HTTPSettings()
        let insecure = settings.optional(
            "allowsInsecureHTTP", .bool, standard: standard.allowsInsecureHTTP)
        let text = settings.required("url", .string)
        let address = text.content.flatMap { text in
            settings.check("url") { try HTTPAddress(text, allowsInsecureHTTP: insecure) }
        }
        settings.bind(
            together: [("url", "string"), ("allowsInsecureHTTP", "boolean")], \HTTPLogger.address, address)
        settings.bind(together: [("encoding", "encoding")], \HTTPLogger.encoding, encoding.content)
        let headers = settings.optional("headers", .headers)
        let authorization = settings.optional("authorization", .authorization)
        let all = (headers ?? []) + (authorization.map { [$0] } ?? [])
        settings.bind(
            together: [("headers", "headers"), ("authorization", "authorization")], \HTTPLogger.decorators,
            headers == nil && authorization == nil ? nil : all)
        let version = settings.optional("appVersion", .string, standard: standard.appVersion)
        let build = settings.optional("appBuild", .integer(), standard: standard.appBuild)
        let transport = transportOptions(settings)
        let bind = settings.members(of: HTTPLogger.self, standard: standard)
        bindSending(bind)
        bindStore(bind)
        return {
            var first = HTTPSettings(encoding: encoding.value, allowsInsecureHTTP: insecure)
            (first.appVersion, first.appBuild) = (version, build)
            first.transport = try transport.map { PlatformTransport(options: try $0.checked()) }
            return try HTTPLogger(text.value, settings: first, spool: spool, name: settings.name)
        }
    }

    /// Whom the logger trusts and who it is; nil where nothing is said about that.
    private static func transportOptions(_ settings: LogSettings) -> TransportOptions? {
        let options = TransportOptions(
            caCertificateFile: settings.optional("caCertificateFile", .path),
            clientCertificateFile: settings.optional("clientCertificateFile", .path),
            clientKeyFile: settings.optional("clientKeyFile", .path),
            pinnedPublicKeys: settings.optional("pinnedPublicKeys", LogSettingDecoder<String>.string.list)
                ?? [])
        return options == TransportOptions() ? nil : options
    }

    private static func bindSending(_ bind: LogSettingsMembers<HTTPLogger>) {
        bind("sendInterval", .time, \.sendInterval)
        bind("backgroundInterval", .time, \.backgroundInterval)
        bind("jitter", .number(HTTPSettings.jitters), \.jitter)
        bind("pointThreshold", .limit(.integer()), \.pointThreshold)
        bind("levelWeights", .weights, \.levelWeights)
        bind("countThreshold", .limit(.integer()), \.countThreshold)
        bind(
            "maximumMessagesPerRequest", .limit(.integer(0...BatchState.widestBatch)),
            \.maximumMessagesPerRequest)
        bind("maximumBytesPerRequest", .size, \.maximumBytesPerRequest)
        bind("requestTimeout", .time, \.requestTimeout)
        bind("compressionLevel", .integer(HTTPSettings.compressionLevels), \.compressionLevel)
        bind("maximumMessageSize", .size, \.maximumMessageSize)
        bind("privacy", .privacy, \.privacy)
        bind("isPaused", .bool, \.isPaused)
        bind("userName", .string, \.userName)
        bind("deviceFacts", .deviceFacts, \.deviceFacts)
        bind("retryPolicy", .retryPolicy, \.retryPolicy)
        bind("acknowledgementTimeout", .time, \.acknowledgementTimeout)
    }

    private static func bindStore(_ bind: LogSettingsMembers<HTTPLogger>) {
        bind("spoolLimit", .size, \.spoolSettings.maximumBytes)
        bind("spoolMaximumAge", .limit(.time), \.spoolSettings.maximumAge)
        bind("spoolOverflow", .spoolOverflow, \.spoolSettings.overflow)
        bind("spoolSynchronizes", .bool, \.spoolSettings.synchronizes)
        bind("saveDelay", .time, \.saveDelay)
        bind("deadLetterLimit", .size, \.deadLetterLimit)
        bind("flushWait", .time, \.flushWait)
        bind("exitWait", .time, \.exitWait)
    }
}

extension LogSettingDecoder where Value == SpoolOverflow {
    /// `"dropOldest"`, `"dropNewest"` or `{"dropBelow": "warning"}`.
    static var spoolOverflow: LogSettingDecoder {
        LogSettingDecoder.choice([("dropOldest", .dropOldest), ("dropNewest", .dropNewest)])
            .or(
                .object("spool overflow") { settings in
                    settings.required("dropBelow", .level).content.map { .dropBelow($0) }
                }, named: "spool overflow", write: "dropOldest, dropNewest or {\"dropBelow\": \"warning\"}",
                when: { $0.members != nil })
    }
}
