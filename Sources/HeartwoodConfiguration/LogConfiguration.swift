import Heartwood

/// A logging configuration as data: levels, loggers and their settings.
///
/// Read it from files and the environment, or make it in code; then merge and apply it. To change the
/// settings of a running process, apply another configuration.
///
/// ```swift
/// var configuration: LogConfiguration = [
///     "level": "info",
///     "loggers": ["console": ["kind": "console"]],
/// ]
/// try configuration.merge(.load("logging.json"))
/// configuration["loggers", "console", "level"] = "warning"
/// try configuration.apply()
/// ```
///
/// Later ones win, key by key: code, then file, then the file of the environment, then environment variables.
/// The keys are listed in `Docs/Configuration.md`. Relative paths are in the working directory that the
/// process had when the configuration was made; those of `defaults` in the one at the time of loading.
public struct LogConfiguration: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// All settings, as an object.
    public var settings: LogSetting
    /// Where relative paths are.
    var workingDirectory = String.workingDirectory

    /// Makes an empty configuration.
    ///
    /// When you apply it, the loggers of an earlier configuration are removed.
    public init() { settings = LogSetting(.object([])) }

    /// Makes a configuration from an object of settings.
    public init(_ settings: LogSetting) { self.settings = settings }

    /// Makes a configuration from literals.
    public init(dictionaryLiteral elements: (String, LogSetting)...) {
        settings = LogSetting(.object([]))
        for (key, setting) in elements { self[key] = setting }
    }

    /// Whether both have the same settings.
    public static func == (left: LogConfiguration, right: LogConfiguration) -> Bool {
        left.settings == right.settings
    }

    /// The setting at a path of keys, such as `configuration["loggers", "file", "level"]`.
    ///
    /// nil if no such setting exists. Setting nil removes the setting.
    public subscript(_ path: String...) -> LogSetting? {
        get { settings[path[...]] }
        set { settings[path[...]] = newValue }
    }

    /// Merges another configuration into this one, key by key; its settings take precedence.
    ///
    /// Null removes a setting. Lists are replaced as a whole, and so are objects with another `kind`.
    public mutating func merge(_ other: LogConfiguration) { settings.merge(other.settings) }

    /// Returns this configuration with another one merged into it, whose settings take precedence.
    public func merged(with other: LogConfiguration) -> LogConfiguration {
        var result = self
        result.merge(other)
        return result
    }

    /// The settings as JSON, with a key per line.
    ///
    /// Secrets are not in it: a configuration only says where they are.
    public var json: String {
        var text = ""
        LogConfiguration.append(settings, to: &text, indent: "")
        return text + "\n"
    }

    private static func append(_ setting: LogSetting, to text: inout String, indent: String) {
        func quoted(_ text: String) -> String {
            var buffer = LogBuffer()
            buffer.append(json: text)
            return buffer.text
        }
        let inner = indent + "  "
        switch setting.value {
        case .null: text += "null"
        case .bool(let flag): text += "\(flag)"
        case .integer(let number): text += "\(number)"
        case .number(let number): text += "\(number)"
        case .string(let content): text += quoted(content)
        case .list(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += ", " }
                append(element, to: &text, indent: inner)
            }
            text += "]"
        case .object(let members):
            if members.isEmpty { return text += "{}" }
            text += "{\n"
            for (index, member) in members.enumerated() {
                text += inner + quoted(member.key) + ": "
                append(member.setting, to: &text, indent: inner)
                text += index + 1 < members.count ? ",\n" : "\n"
            }
            text += indent + "}"
        }
    }
}
