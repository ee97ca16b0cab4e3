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
        let insecure = settings.optional("allowsInsecureHTTP", .bool) ?? false
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
        let version = settings.optional("appVersion", .string)
        let build = settings.optional("appBuild", .integer())
        let transport = transportOptions(settings)
        tunesSending(settings)
        tunesAnswers(settings)
        tunesStore(settings)
        return {
            try HTTPLogger(
                text.value, encoding: encoding.value, spool: spool, name: settings.name,
                allowsInsecureHTTP: insecure, appVersion: version, appBuild: build,
                transport: try transport.map { PlatformTransport.make(options: try $0.checked()) })
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

    private static func tunesSending(_ settings: LogSettings) {
        settings.bind("sendInterval", formerly: "interval", .time, to: \HTTPLogger.sendInterval)
        settings.bind("backgroundInterval", .time, to: \HTTPLogger.backgroundInterval)
        settings.bind("jitter", .number(0...1), to: \HTTPLogger.jitter)
        settings.bind("pointThreshold", formerly: "threshold", .integer(), to: \HTTPLogger.pointThreshold)
        settings.bind("levelWeights", formerly: "weights", .weights, to: \HTTPLogger.levelWeights)
        tunesLimit("countThreshold", .max, \HTTPLogger.countThreshold, settings)
        tunesLimit(
            "maximumMessagesPerRequest", BatchState.widestBatch, \HTTPLogger.maximumMessagesPerRequest,
            settings)
        settings.bind("maximumBytesPerRequest", .size, to: \HTTPLogger.maximumBytesPerRequest)
        settings.bind("requestTimeout", formerly: "timeout", .time, to: \HTTPLogger.requestTimeout)
        settings.bind("compressionLevel", .integer(0...9), to: \HTTPLogger.compressionLevel)
        settings.bind("maximumMessageSize", .size, to: \HTTPLogger.maximumMessageSize)
        settings.bind("privacy", .privacy, to: \HTTPLogger.privacy)
        settings.bind("isPaused", .bool, to: \HTTPLogger.isPaused)
        settings.bind("userName", .string, to: \HTTPLogger.userName)
        settings.bind("deviceFacts", .deviceFacts, to: \HTTPLogger.deviceFacts)
    }

    private static func tunesAnswers(_ settings: LogSettings) {
        settings.bind("retryPolicy", .retryPolicy, to: \HTTPLogger.retryPolicy)
        settings.bind("acknowledgementTimeout", .time, to: \HTTPLogger.acknowledgementTimeout)
    }

    /// A number that may be missing: 0 stands for nil.
    private static func tunesLimit(
        _ key: String, _ highest: Int, _ property: ReferenceWritableKeyPath<HTTPLogger, Int?>,
        _ settings: LogSettings
    ) {
        let number = settings.optional(key, .integer(0...highest))
        settings.bind(together: [(key, "integer")], property, number.map { $0 == 0 ? nil : $0 })
    }

    private static func tunesStore(_ settings: LogSettings) {
        settings.bind("spoolLimit", .size, to: \HTTPLogger.spoolSettings.maximumBytes)
        settings.bind("spoolMaximumAge", .time, to: \HTTPLogger.spoolSettings.maximumAge)
        settings.bind("spoolOverflow", .spoolOverflow, to: \HTTPLogger.spoolSettings.overflow)
        settings.bind("spoolSynchronizes", .bool, to: \HTTPLogger.spoolSettings.synchronizes)
        settings.bind("saveDelay", .time, to: \HTTPLogger.saveDelay)
        settings.bind("deadLetterLimit", .size, to: \HTTPLogger.deadLetterLimit)
        settings.bind("flushWait", .time, to: \HTTPLogger.flushWait)
        settings.bind("exitWait", .time, to: \HTTPLogger.exitWait)
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
