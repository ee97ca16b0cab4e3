import Heartwood

extension LoggerKind {
    /// The kind of a `FileLogger`: `"file"`.
    public static let file = LoggerKind("file") { settings in
        let directory = settings.required("directory", .path)
        let standard = LogDirectoryPolicy()
        let mode = settings.optional("directoryMode", .permissions, standard: standard.mode)
        let acceptsShared = settings.optional(
            "acceptsSharedDirectory", .bool, standard: standard.acceptsShared)
        let bind = settings.members(of: FileLogger.self, standard: FileSettings())
        bind("naming", .naming, \.naming)
        bind("maximumFileSize", .limit(.size), \.maximumFileSize)
        bind("rollingInterval", .limit(.time), \.rollingInterval)
        bind(
            "rollingBoundary", .choice(LogCalendarBoundary.allCases.map { ($0.rawValue, $0) }),
            \.rollingBoundary)
        bind("zone", .zone, \.zone)
        bind("maximumFileCount", .limit(.integer()), \.maximumFileCount)
        bind("diskQuota", .limit(.size), \.diskQuota)
        bind("maximumFileAge", .limit(.time), \.maximumFileAge)
        bind("fileMode", .permissions, \.fileMode)
        bind("reusesFiles", .bool, \.reusesFiles)
        bind("fileHeader", .string, \.fileHeader)
        bind("currentLink", .string, \.currentLink)
        bind("isShared", .bool, \.isShared)
        bind("syncPolicy", .syncPolicy, \.syncPolicy)
        bind("maximumMessageSize", .limit(.size), \.maximumMessageSize)
        bind("waitingLimit", .size, \.waitingLimit)
        bind("minimumFreeSpace", .size, \.minimumFreeSpace)
        bind(
            "archiveFormat",
            .choice([("plain", .plain), ("gzip", .init(.gzip)), ("encrypted", .init(.encrypted))]),
            \.archiveFormat)
        bind(
            "archiveKey", LogSettingDecoder<SecretReference>.secret.map { $0 as any SecretProvider },
            \.archiveKey)
        let format = settings.setting["archiveFormat"]?.string
        if let format, ["gzip", "encrypted"].contains(format), !ArchiveLibraries.isRegistered {
            settings.problem(ArchiveLibraries.missing("“\(format)”"), at: "archiveFormat")
        }
        let isEncrypted = format == "encrypted"
        if isEncrypted, settings.setting["archiveKey"] == nil {
            settings.problem("“encrypted” requires the setting “archiveKey”", at: "archiveFormat")
        }
        let isShared = if case .bool(true)? = settings.setting["isShared"]?.value { true } else { false }
        return {
            let file = try FileLogger(
                directory: directory.value, name: settings.name,
                policy: LogDirectoryPolicy(mode: mode, acceptsShared: acceptsShared))
            try file.check(isShared: isShared, isEncrypted: isEncrypted)
            return file
        }
    }
}

extension LogSettingDecoder where Value == LogFileNaming {
    /// A template, or a table of `application`, `template`, `activeName` and `zone`.
    static var naming: LogSettingDecoder {
        LogSettingDecoder.object("naming") { settings in
            try LogFileNaming(
                application: settings.optional("application", .string),
                template: settings.optional("template", .string) ?? "{app} {date}.log",
                zone: settings.optional("zone", .zone) ?? .utc,
                activeName: settings.optional("activeName", .string))
        }.or(
            LogSettingDecoder("naming") { try LogFileNaming(template: $0.string ?? $0.shown) },
            when: { $0.members == nil })
    }
}

extension LogSettingDecoder where Value == LogSyncPolicy {
    /// `"never"`, `"everyBatch"`, a time, or `{"levels": LEVELS}`.
    static var syncPolicy: LogSettingDecoder {
        LogSettingDecoder(
            "sync policy", write: "never, everyBatch, a time such as 5s, or {\"levels\": \"error\"}"
        ) {
            setting, path, collector in
            switch setting.string {
            case "never": return .never
            case "everyBatch": return .everyBatch
            default: break
            }
            if setting.members != nil {
                return LogSettingDecoder.object("sync policy") { settings in
                    settings.required("levels", .levels).content.map { .levels($0) }
                }.read(setting, path, collector)
            }
            return LogSettingDecoder<Duration>.time.read(setting, path, collector).map { .interval($0) }
        }
    }
}
