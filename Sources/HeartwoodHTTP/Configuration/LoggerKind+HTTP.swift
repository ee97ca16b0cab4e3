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
        settings.bind("interval", .time, to: \HTTPLogger.interval)
        settings.bind("backgroundInterval", .time, to: \HTTPLogger.backgroundInterval)
        settings.bind("jitter", .number(0...1), to: \HTTPLogger.jitter)
        settings.bind("threshold", .integer(), to: \HTTPLogger.threshold)
        settings.bind("weights", .weights, to: \HTTPLogger.weights)
        tunesLimit("countThreshold", .max, \HTTPLogger.countThreshold, settings)
        tunesLimit("maximumMessagesPerRequest", 32_000, \HTTPLogger.maximumMessagesPerRequest, settings)
        settings.bind("maximumBytesPerRequest", .size, to: \HTTPLogger.maximumBytesPerRequest)
        settings.bind("timeout", .time, to: \HTTPLogger.timeout)
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

extension LogSettingDecoder where Value == any RemoteEncoding {
    /// `"json"` or `"ndjson"`, or a table with `kind`.
    static var encoding: LogSettingDecoder {
        LogSettingDecoder.choice([("json", JSONArrayEncoding()), ("ndjson", NDJSONEncoding())])
            .or(
                .object("encoding", table), named: "encoding", write: "json, ndjson or an object with “kind”",
                when: { $0.members != nil })
    }

    private static let kinds = [
        "json", "ndjson", "otlp", "loki", "elasticsearch", "splunk", "datadog", "journal", "swiftyBeaver",
    ]

    private static func table(_ settings: LogSettings) throws -> (any RemoteEncoding)? {
        let kinds = LogSettingDecoder<String>.choice(kinds.map { ($0, $0) })
        switch settings.required("kind", kinds).content {
        case "json":
            return JSONArrayEncoding(
                wrappingKey: settings.optional("wrappingKey", .string),
                includesDevice: settings.optional("includesDevice", .bool) ?? false)
        case "ndjson": return NDJSONEncoding()
        case "otlp":
            let service = settings.required("service", .string)
            let resource = settings.optional("resource", .metadata) ?? [:]
            return service.content.map { OTLPEncoding(service: $0, resource: resource) }
        case "loki":
            let labels = settings.required("labels", .labels)
            let tenant = settings.optional("tenant", .string)
            let structured = settings.optional("structuredMetadata", .bool) ?? true
            return labels.content.map {
                LokiEncoding(labels: $0, tenant: tenant, structuredMetadata: structured)
            }
        case "elasticsearch":
            return settings.required("index", .string).content.map { ElasticsearchEncoding(index: $0) }
        case "splunk":
            return SplunkEncoding(
                host: settings.optional("host", .string), source: settings.optional("source", .string),
                sourceType: settings.optional("sourceType", .string) ?? "_json",
                index: settings.optional("index", .string), channel: settings.optional("channel", .string))
        case "datadog":
            let service = settings.required("service", .string)
            let source = settings.optional("source", .string) ?? "swift"
            let tags = settings.optional("tags", LogSettingDecoder<String>.string.list) ?? []
            let host = settings.optional("host", .string)
            return service.content.map {
                DatadogEncoding(service: $0, source: source, tags: tags, host: host)
            }
        case "journal":
            return settings.required("identifier", .string).content.map { JournalEncoding(identifier: $0) }
        case "swiftyBeaver":
            guard let key = settings.required("encryptionKey", .secret).content else { return nil }
            return settings.check("encryptionKey") { try SwiftyBeaverEncoding(encryptionKey: key.secret()) }
        default: return nil
        }
    }
}

extension LogSettingDecoder where Value == [String: String] {
    /// A table of texts.
    fileprivate static var labels: LogSettingDecoder {
        LogSettingDecoder("object of strings") { setting in
            guard let members = setting.members else {
                throw LogError(.setting, "expected an object of strings")
            }
            var labels: [String: String] = [:]
            for member in members {
                guard let text = member.setting.string else {
                    throw LogError(.setting, "“\(member.key)” must be a string")
                }
                labels[member.key] = text
            }
            return labels
        }
    }
}
