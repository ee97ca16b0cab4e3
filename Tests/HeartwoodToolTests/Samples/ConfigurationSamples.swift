import Heartwood
import HeartwoodConfiguration
import HeartwoodHTTP
import HeartwoodSQLite

// The code of Docs/Configuration.md and of the comments of the configuration, word for word; `SampleTests` compares them.

private final class PagerLogger: AbstractLogger, @unchecked Sendable {
    @Ordered var service = "on call"
    let address: String

    init(name: String, address: String) {
        self.address = address
        super.init(name: name)
    }
}

private func configurationPageLoad() throws {
    // sample: Docs/Configuration.md
    LogConfiguration.register(.http)  // kinds of loggers that are in other modules, where they are used
    try LogConfiguration.load("/etc/shop/logging.json").apply()
    // end
}

private func configurationPageCode() throws {
    // sample: Docs/Configuration.md
    var configuration = try LogConfiguration.load(
        "logging.json", environment: "dev", defaults: ["loggers": ["console": ["kind": "console"]]])
    configuration["loggers", "console", "showsSource"] = false
    try configuration.apply()
    // end
}

private func configurationPageEnvironment() throws {
    // sample: Docs/Configuration.md
    try LogConfiguration.environment().apply()
    // end
}

private func configurationPageWatch() throws {
    // sample: Docs/Configuration.md
    let watch = try LogConfigurationWatch("/etc/shop/logging.json", reloadsOnHangup: true)
    // end
    watch.stop()
}

private func configurationPageKinds() {
    // sample: Docs/Configuration.md
    LogConfiguration.register(
        LoggerKind("pager") { settings in
            let address = settings.required("address", .string)
            settings.bind("service", .string, to: \PagerLogger.service)
            return { PagerLogger(name: settings.name, address: address.value) }
        })
    LogConfiguration.register(FormatterKind("shout") { _ in shout })
    // end
}

private func settingSample() -> LogSetting {
    // sample: Sources/HeartwoodConfiguration/LogSetting.swift
    let setting: LogSetting = ["kind": "file", "directory": "/var/log/shop", "maximumFileCount": 20]
    // end
    return setting
}

private func configurationSample() throws {
    // sample: Sources/HeartwoodConfiguration/LogConfiguration.swift
    var configuration: LogConfiguration = [
        "level": "info",
        "loggers": ["console": ["kind": "console"]],
    ]
    try configuration.merge(.load("logging.json"))
    configuration["loggers", "console", "level"] = "warning"
    try configuration.apply()
    // end
}

private func environmentSample() throws {
    // sample: Sources/HeartwoodConfiguration/Decoding/LogConfiguration+Environment.swift
    try LogConfiguration.environment().apply()  // HEARTWOOD_LEVEL=debug,net.*=verbose
    // end
}

private func watchSample() throws {
    // sample: Sources/HeartwoodConfiguration/Watching/LogConfigurationWatch.swift
    let watch = try LogConfigurationWatch("/etc/shop/logging.json", reloadsOnHangup: true)
    // end
    watch.stop()
}

private func kindSample() {
    // sample: Sources/HeartwoodConfiguration/Registry/LoggerKind.swift
    LogConfiguration.register(
        LoggerKind("pager") { settings in
            let address = settings.required("address", .string)
            settings.bind("service", .string, to: \PagerLogger.service)
            return { PagerLogger(name: settings.name, address: address.value) }
        })
    // end
    // sample: Sources/HeartwoodConfiguration/Registry/FormatterKind.swift
    LogConfiguration.register(FormatterKind("shout") { _ in shout })
    // end
}

// sample: Sources/HeartwoodConfiguration/Decoding/LogSettings.swift
extension LoggerKind {
    static let pager = LoggerKind("pager") { settings in
        let address = settings.required("address", .string)
        settings.bind("service", .string, to: \PagerLogger.service)
        return { PagerLogger(name: settings.name, address: address.value) }
    }
}
// end

// sample: Sources/HeartwoodConfiguration/Decoding/LogSettingDecoder.swift
extension LogSettingDecoder where Value == Character {
    static var letter: LogSettingDecoder {
        LogSettingDecoder("letter") { setting in
            guard let text = setting.string, text.count == 1, let letter = text.first else {
                throw LogError(.setting, "one letter is needed")
            }
            return letter
        }
    }
}
// end

private func httpKindSample() {
    // sample: Sources/HeartwoodHTTP/Configuration/LoggerKind+HTTP.swift
    LogConfiguration.register(.http)
    // end
}

private func sqliteKindSample() {
    // sample: Sources/HeartwoodSQLite/LoggerKind+SQLite.swift
    LogConfiguration.register(.sqlite)
    // end
}
