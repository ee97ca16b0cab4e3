import Heartwood

extension LoggerKind {
    /// The kind of a `FileLogger`: `"file"`.
    public static let file = LoggerKind("file") { settings in
        let directory = settings.required("directory", .path)
        let directoryMode = settings.optional("directoryMode", .permissions)
        let acceptsShared = settings.optional("acceptsSharedDirectory", .bool)
        settings.bind("naming", .naming, to: \FileLogger.naming)
        settings.bind("maximumFileSize", .size, to: \FileLogger.maximumFileSize)
        settings.bind("rollingInterval", .time, to: \FileLogger.rollingInterval)
        settings.bind(
            "rollingBoundary", .choice(LogCalendarBoundary.allCases.map { ($0.rawValue, $0) }),
            to: \FileLogger.rollingBoundary)
        settings.bind("zone", formerly: "timeZone", .zone, to: \FileLogger.zone)
        settings.bind("maximumFileCount", .integer(), to: \FileLogger.maximumFileCount)
        settings.bind("diskQuota", .size, to: \FileLogger.diskQuota)
        settings.bind("maximumFileAge", .time, to: \FileLogger.maximumFileAge)
        settings.bind("fileMode", .permissions, to: \FileLogger.fileMode)
        settings.bind("reusesFiles", .bool, to: \FileLogger.reusesFiles)
        settings.bind("fileHeader", .string, to: \FileLogger.fileHeader)
        settings.bind("currentLink", .string, to: \FileLogger.currentLink)
        settings.bind("isShared", .bool, to: \FileLogger.isShared)
        settings.bind("syncPolicy", .syncPolicy, to: \FileLogger.syncPolicy)
        settings.bind("maximumMessageSize", .size, to: \FileLogger.maximumMessageSize)
        settings.bind("waitingLimit", .size, to: \FileLogger.waitingLimit)
        settings.bind("minimumFreeSpace", .size, to: \FileLogger.minimumFreeSpace)
        settings.bind(
            "archiveFormat",
            .choice([("plain", .plain), ("gzip", .init(.gzip)), ("encrypted", .init(.encrypted))]),
            to: \FileLogger.archiveFormat)
        settings.bind(
            "archiveKey", LogSettingDecoder<SecretReference>.secret.map { $0 as any SecretProvider },
            to: \FileLogger.archiveKey)
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
                directory: directory.value, name: settings.name, directoryMode: directoryMode ?? 0o700,
                acceptsSharedDirectory: acceptsShared ?? false)
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
                zone: settings.optional("zone", formerly: "timeZone", .zone) ?? .utc,
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
