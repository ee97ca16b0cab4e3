import Heartwood

extension LogConfiguration {
    /// Names the environment: `dev` puts `logging.dev.json` over `logging.json`.
    static let environmentVariable = "HEARTWOOD_ENVIRONMENT"
    /// Names the file, in the place of the one that the program names.
    static let fileVariable = "HEARTWOOD_CONFIGURATION"
    /// Levels: `debug,net.*=verbose,Shop/Cart.swift=debug`.
    static let levelVariable = "HEARTWOOD_LEVEL"
    /// The directory of the journal.
    static let journalVariable = "HEARTWOOD_JOURNAL"

    /// Reads the settings from environment variables.
    ///
    /// It works without a configuration file.
    ///
    /// ```swift
    /// try LogConfiguration.environment().apply()  // HEARTWOOD_LEVEL=debug,net.*=verbose
    /// ```
    ///
    /// `HEARTWOOD_LEVEL` is a comma-separated list. A level applies to all categories, `net.*=verbose` to
    /// some of them, and a name with a slash, `Shop/Cart.swift=debug`, to a source file. `HEARTWOOD_JOURNAL`
    /// is the directory of the journal. Variables that are missing or empty have no effect.
    ///
    /// - Parameter variables: The variables; those of the process unless given.
    /// - Returns: The settings. Merge them into others, or apply them alone.
    /// - Throws: ``LogConfigurationError`` with the place of each mistake.
    public static func environment(
        _ variables: [String: String]? = nil
    ) throws(LogConfigurationError) -> LogConfiguration {
        let variables = variables ?? ProcessEnvironment.all
        var configuration = LogConfiguration()
        if let journal = variables[journalVariable], !journal.isEmpty {
            configuration["journal"] = LogSetting(.string(journal), at: LogSettingLocation(journalVariable))
        }
        if let levels = variables[levelVariable], !levels.isEmpty {
            try configuration.setLevels(from: levels)
        }
        return configuration
    }

    private mutating func setLevels(from text: String) throws(LogConfigurationError) {
        let collector = ProblemCollector()
        var column = 1
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let place = LogSettingLocation(LogConfiguration.levelVariable, column: column)
            column += part.unicodeScalars.count + 1
            let rule = part.trimmingBlanks()
            if rule.isEmpty { continue }
            let sides = rule.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let level = LogSetting(.string(sides.count == 2 ? sides[1].trimmingBlanks() : rule), at: place)
            _ = LogSettingDecoder<LogLevelMask>.levels.read(level, [], collector)
            let pattern = sides.count == 2 ? sides[0].trimmingBlanks() : nil
            switch pattern {
            case nil: self["level"] = level
            case "": collector.add(place, [], "missing name in front of “=”")
            case let pattern? where pattern.contains("/"): self["sources", pattern] = level
            case let pattern?: self["categories", pattern] = level
            }
        }
        if !collector.problems.isEmpty { throw LogConfigurationError(collector.problems) }
    }
}
