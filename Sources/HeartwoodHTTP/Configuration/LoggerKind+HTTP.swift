public import Heartwood

extension LoggerKind {
    /// A logger that sends to a server, ``HTTPLogger``; configurations know it when it has been registered.
    ///
    /// ```swift
    /// LogConfiguration.register(.http)
    /// ```
    public static let http = LoggerKind("http") { settings in
        let spool = settings.optional("spool", .path)
        let encoding = settings.required("encoding", .encoding)
        let insecure = settings.optional("allowsInsecureHTTP", .flag) ?? false
        let text = settings.required("url", .text)
        let address = text.content.flatMap { text in
            settings.check("url") { try HTTPAddress(text, allowsInsecureHTTP: insecure) }
        }
        settings.tunes(
            together: [("url", "text"), ("allowsInsecureHTTP", "flag")], \HTTPLogger.address, address)
        settings.tunes(together: [("encoding", "encoding")], \HTTPLogger.encoding, encoding.content)
        let headers = settings.optional("headers", .headers)
        let authorization = settings.optional("authorization", .authorization)
        let all = (headers ?? []) + (authorization.map { [$0] } ?? [])
        settings.tunes(
            together: [("headers", "headers"), ("authorization", "authorization")], \HTTPLogger.decorators,
            headers == nil && authorization == nil ? nil : all)
        let version = settings.optional("appVersion", .text)
        let build = settings.optional("appBuild", .integer())
        tunesSending(settings)
        tunesAnswers(settings)
        tunesStore(settings)
        return {
            try HTTPLogger(
                text.value, encoding: encoding.value, spool: spool, name: settings.name,
                allowsInsecureHTTP: insecure, appVersion: version, appBuild: build)
        }
    }

    private static func tunesSending(_ settings: LogSettings) {
        settings.tunes("interval", .time, \HTTPLogger.interval)
        settings.tunes("backgroundInterval", .time, \HTTPLogger.backgroundInterval)
        settings.tunes("jitter", .number(0...1), \HTTPLogger.jitter)
        settings.tunes("threshold", .integer(), \HTTPLogger.threshold)
        settings.tunes("weights", .weights, \HTTPLogger.weights)
        tunesLimit("countThreshold", .max, \HTTPLogger.countThreshold, settings)
        tunesLimit("maximumMessagesPerRequest", 32_000, \HTTPLogger.maximumMessagesPerRequest, settings)
        settings.tunes("maximumBytesPerRequest", .size, \HTTPLogger.maximumBytesPerRequest)
        settings.tunes("timeout", .time, \HTTPLogger.timeout)
        settings.tunes("compressionLevel", .integer(0...9), \HTTPLogger.compressionLevel)
        settings.tunes("maximumMessageSize", .size, \HTTPLogger.maximumMessageSize)
        settings.tunes("privacy", .privacy, \HTTPLogger.privacy)
        settings.tunes("isPaused", .flag, \HTTPLogger.isPaused)
        settings.tunes("userName", .text, \HTTPLogger.userName)
        settings.tunes("deviceFacts", .deviceFacts, \HTTPLogger.deviceFacts)
    }

    private static func tunesAnswers(_ settings: LogSettings) {
        settings.tunes("retryPolicy", .retryPolicy, \HTTPLogger.retryPolicy)
        settings.tunes("acknowledgementTimeout", .time, \HTTPLogger.acknowledgementTimeout)
    }

    /// A number that may be missing: 0 stands for nil.
    private static func tunesLimit(
        _ key: String, _ highest: Int, _ property: ReferenceWritableKeyPath<HTTPLogger, Int?>,
        _ settings: LogSettings
    ) {
        let number = settings.optional(key, .integer(0...highest))
        settings.tunes(together: [(key, "integer")], property, number.map { $0 == 0 ? nil : $0 })
    }

    private static func tunesStore(_ settings: LogSettings) {
        settings.tunes("spoolLimit", .size, \HTTPLogger.spoolSettings.maximumBytes)
        settings.tunes("spoolMaximumAge", .time, \HTTPLogger.spoolSettings.maximumAge)
        settings.tunes("spoolOverflow", .spoolOverflow, \HTTPLogger.spoolSettings.overflow)
        settings.tunes("spoolSynchronizes", .flag, \HTTPLogger.spoolSettings.synchronizes)
        settings.tunes("saveDelay", .time, \HTTPLogger.saveDelay)
        settings.tunes("deadLetterLimit", .size, \HTTPLogger.deadLetterLimit)
        settings.tunes("flushWait", .time, \HTTPLogger.flushWait)
        settings.tunes("exitWait", .time, \HTTPLogger.exitWait)
    }
}

extension LogSettingForm where Value == SpoolOverflow {
    /// `"dropOldest"` or `"dropNewest"`.
    static var spoolOverflow: LogSettingForm {
        .choice([("dropOldest", .dropOldest), ("dropNewest", .dropNewest)])
    }
}

extension LogSettingForm where Value == any RemoteEncoding {
    /// `"json"` or `"ndjson"`, or a table with `kind`.
    static var encoding: LogSettingForm {
        LogSettingForm.choice([("json", JSONArrayEncoding()), ("ndjson", NDJSONEncoding())])
            .or(
                .table("encoding", table), named: "encoding", write: "json, ndjson or a table with “kind”",
                when: { $0.members != nil })
    }

    private static let kinds = [
        "json", "ndjson", "otlp", "loki", "elasticsearch", "splunk", "datadog", "journal", "swiftyBeaver",
    ]

    private static func table(_ settings: LogSettings) throws -> (any RemoteEncoding)? {
        let kinds = LogSettingForm<String>.choice(kinds.map { ($0, $0) })
        switch settings.required("kind", kinds).content {
        case "json":
            return JSONArrayEncoding(
                wrappingKey: settings.optional("wrappingKey", .text),
                includesDevice: settings.optional("includesDevice", .flag) ?? false)
        case "ndjson": return NDJSONEncoding()
        case "otlp":
            let service = settings.required("service", .text)
            let resource = settings.optional("resource", .metadata) ?? [:]
            return service.content.map { OTLPEncoding(service: $0, resource: resource) }
        case "loki":
            let labels = settings.required("labels", .labels)
            let tenant = settings.optional("tenant", .text)
            return labels.content.map { LokiEncoding(labels: $0, tenant: tenant) }
        case "elasticsearch":
            return settings.required("index", .text).content.map { ElasticsearchEncoding(index: $0) }
        case "splunk":
            return SplunkEncoding(
                host: settings.optional("host", .text), source: settings.optional("source", .text),
                sourceType: settings.optional("sourceType", .text) ?? "_json",
                index: settings.optional("index", .text), channel: settings.optional("channel", .text))
        case "datadog":
            let service = settings.required("service", .text)
            let source = settings.optional("source", .text) ?? "swift"
            let tags = settings.optional("tags", LogSettingForm<String>.text.list) ?? []
            let host = settings.optional("host", .text)
            return service.content.map {
                DatadogEncoding(service: $0, source: source, tags: tags, host: host)
            }
        case "journal":
            return settings.required("identifier", .text).content.map { JournalEncoding(identifier: $0) }
        case "swiftyBeaver":
            guard let key = settings.required("encryptionKey", .secret).content else { return nil }
            return settings.check("encryptionKey") { try SwiftyBeaverEncoding(encryptionKey: key.secret()) }
        default: return nil
        }
    }
}

extension LogSettingForm where Value == [String: String] {
    /// A table of texts.
    fileprivate static var labels: LogSettingForm {
        LogSettingForm("table of texts") { setting in
            guard let members = setting.members else {
                throw LogError(.setting, "a table of texts is needed")
            }
            var labels: [String: String] = [:]
            for member in members {
                guard let text = member.setting.text else {
                    throw LogError(.setting, "“\(member.key)” must be text")
                }
                labels[member.key] = text
            }
            return labels
        }
    }
}
