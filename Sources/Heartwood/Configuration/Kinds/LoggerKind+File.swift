#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LoggerKind {
    /// A ``FileLogger``.
    public static let file = LoggerKind("file") { settings in
        let directory = settings.required("directory", .path)
        let directoryMode = settings.optional("directoryMode", .permissions)
        let acceptsShared = settings.optional("acceptsSharedDirectory", .flag)
        settings.tunes("naming", .naming, \FileLogger.naming)
        settings.tunes("maximumFileSize", .size, \FileLogger.maximumFileSize)
        settings.tunes("rollingInterval", .time, \FileLogger.rollingInterval)
        settings.tunes(
            "rollingBoundary", .choice(LogCalendarBoundary.allCases.map { ($0.rawValue, $0) }),
            \FileLogger.rollingBoundary)
        settings.tunes("timeZone", .timeZone, \FileLogger.timeZone)
        settings.tunes("maximumFileCount", .integer(), \FileLogger.maximumFileCount)
        settings.tunes("diskQuota", .size, \FileLogger.diskQuota)
        settings.tunes("maximumFileAge", .time, \FileLogger.maximumFileAge)
        settings.tunes("fileMode", .permissions, \FileLogger.fileMode)
        settings.tunes("reusesFiles", .flag, \FileLogger.reusesFiles)
        settings.tunes("fileHeader", .text, \FileLogger.fileHeader)
        settings.tunes("currentLink", .text, \FileLogger.currentLink)
        settings.tunes("isShared", .flag, \FileLogger.isShared)
        settings.tunes("syncPolicy", .syncPolicy, \FileLogger.syncPolicy)
        settings.tunes("maximumMessageSize", .size, \FileLogger.maximumMessageSize)
        settings.tunes("waitingLimit", .size, \FileLogger.waitingLimit)
        settings.tunes("minimumFreeSpace", .size, \FileLogger.minimumFreeSpace)
        settings.tunes(
            "archiveFormat", .choice([("plain", .plain), ("gzip", .gzip), ("encrypted", .encrypted)]),
            \FileLogger.archiveFormat)
        settings.tunes(
            "archiveKey", LogSettingForm<SecretReference>.secret.map { $0 as any SecretProvider },
            \FileLogger.archiveKey)
        if settings.setting["archiveFormat"]?.text == "encrypted", settings.setting["archiveKey"] == nil {
            settings.problem("“encrypted” needs the setting “archiveKey”", at: "archiveFormat")
        }
        return {
            try FileLogger(
                directory: directory.value, name: settings.name, directoryMode: directoryMode ?? 0o700,
                acceptsSharedDirectory: acceptsShared ?? false)
        }
    }
}

extension LogSettingForm where Value == LogFileNaming {
    /// A template, or a table of `application`, `template`, `activeName` and `timeZone`.
    static var naming: LogSettingForm {
        LogSettingForm.table("naming") { settings in
            try LogFileNaming(
                application: settings.optional("application", .text),
                template: settings.optional("template", .text) ?? "{app} {date}.log",
                timeZone: settings.optional("timeZone", .timeZone) ?? .gmt,
                activeName: settings.optional("activeName", .text))
        }.or(
            LogSettingForm("naming") { try LogFileNaming(template: $0.text ?? $0.shown) },
            when: { $0.members == nil })
    }
}

extension LogSettingForm where Value == TimeZone {
    /// `"UTC"`, or the name of a zone such as `"Europe/Berlin"`.
    static var timeZone: LogSettingForm {
        LogSettingForm("time zone", write: "UTC or Europe/Berlin; others than UTC need import Foundation") {
            setting in
            guard let text = setting.text else { return nil }
            return text.lowercased() == "utc" ? .gmt : TimeZone(identifier: text)
        }
    }
}

extension LogSettingForm where Value == LogSyncPolicy {
    /// `"never"`, `"everyBatch"`, a time, or `{"levels": LEVELS}`.
    static var syncPolicy: LogSettingForm {
        LogSettingForm(
            "sync policy", write: "never, everyBatch, a time such as 5s, or {\"levels\": \"error\"}"
        ) {
            setting, path, collector in
            switch setting.text {
            case "never": return .never
            case "everyBatch": return .everyBatch
            default: break
            }
            if setting.members != nil {
                return LogSettingForm.table("sync policy") { settings in
                    settings.required("levels", .levels).content.map { .levels($0) }
                }.read(setting, path, collector)
            }
            return LogSettingForm<Duration>.time.read(setting, path, collector).map { .interval($0) }
        }
    }
}
