import Heartwood

extension LogConfiguration {
    /// Reads the level from the configuration of a program that was written with Girders.
    ///
    /// The key is `logLevel`, a whole number: 0 verbose, 1 debug, 2 info, 3 warning, 4 error. Any other value
    /// is `debug`; without the key the level is `warning`. With the environment `dev`,
    /// `Configuration-dev.plist` is read as well, and wins; without one, as in a release, the first file
    /// counts alone. Files that are missing are empty, and all other keys are the program's own.
    ///
    /// ```swift
    /// try LogConfiguration.girders("Configuration.plist", environment: "dev").apply()
    /// ```
    ///
    /// - Parameters:
    ///   - path: The property list, or JSON.
    ///   - environment: The environment; nil, the default, for none.
    /// - Returns: a configuration that sets the level of all categories and nothing else; put others over it.
    /// - Throws: ``LogConfigurationError`` for a file that cannot be read or understood.
    public static func girders(
        _ path: String = "Configuration.plist", environment: String? = nil
    ) throws(LogConfigurationError) -> LogConfiguration {
        var program = LogConfiguration()
        for file in [path, environment.map { overlayPath(path, $0, separator: "-") }].compactMap(\.self) {
            guard let bytes = try contents(file) else { continue }
            program.merge(try LogConfiguration(bytes: bytes, name: file))
        }
        guard let setting = program["logLevel"] else { return ["level": "warning"] }
        let names: [LogSetting] = ["verbose", "debug", "info", "warning", "error"]
        guard case .integer(let number) = setting.value, names.indices.contains(Int(clamping: number)) else {
            return ["level": "debug"]
        }
        return ["level": names[Int(number)]]
    }
}
