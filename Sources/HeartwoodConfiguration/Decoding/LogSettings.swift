package import Heartwood

/// The settings of one logger or formatter, read key by key.
///
/// A custom kind of logger reads each of its settings and says how it is used:
///
/// ```swift
/// extension LoggerKind {
///     static let pager = LoggerKind("pager") { settings in
///         let address = settings.required("address", .string)
///         settings.bind("service", .string, to: \PagerLogger.service)
///         return { PagerLogger(name: settings.name, address: address.value) }
///     }
/// }
/// ```
///
/// What is asked for are the keys there are: all others are errors, with the nearest of these as a
/// suggestion. Everything that is wrong is collected, so reading goes on after a mistake. For one thread,
/// while a configuration is read.
public final class LogSettings {
    /// The name of the logger; for other settings, the name of the object.
    public let name: String
    /// The object that is read.
    public let setting: LogSetting

    let path: [String]
    let collector: ProblemCollector
    /// The keys that were asked for, with what they take.
    private(set) var asked: [LogConfiguration.KnownKey] = []
    /// Settings that are properties of a logger.
    private(set) var tunings: [SettingTuning] = []
    /// Settings that are given to the initializer; a change of one needs another logger.
    private(set) var fixed: [String: LogSetting] = [:]
    private var acceptsAnything = false

    init(_ setting: LogSetting, name: String, path: [String], collector: ProblemCollector) {
        self.setting = setting
        self.name = name
        self.path = path
        self.collector = collector
        if setting.members == nil { problem("expected an object, found \(setting.shown)") }
    }

    // MARK: Reading

    /// Reads a required setting, for the initializer of the logger.
    ///
    /// If the setting changes, the running logger is replaced.
    public func required<Value>(
        _ key: String, _ decoder: LogSettingDecoder<Value>
    ) -> LogRequiredSetting<Value> {
        note(key, decoder.name, isRequired: true)
        guard let given = setting[key] else {
            if setting.members != nil { problem("missing setting “\(key)”; \(decoder.hint)") }
            return LogRequiredSetting(content: nil)
        }
        fixed[key] = given
        return LogRequiredSetting(content: decoder.read(given, path + [key], collector))
    }

    /// Reads an optional setting, for the initializer of the logger; nil if it is missing.
    ///
    /// A running logger is replaced when it changes.
    public func optional<Value>(_ key: String, _ decoder: LogSettingDecoder<Value>) -> Value? {
        note(key, decoder.name)
        guard let given = setting[key] else { return nil }
        fixed[key] = given
        return decoder.read(given, path + [key], collector)
    }

    /// Reads an optional setting with a default, for the initializer of the logger.
    package func optional<Value>(
        _ key: String, _ decoder: LogSettingDecoder<Value>, standard: Value
    ) -> Value {
        note(key, decoder.name, standard: SettingValue.text(of: standard))
        return setting[key].flatMap { given in
            fixed[key] = given
            return decoder.read(given, path + [key], collector)
        } ?? standard
    }

    /// Reads an optional setting whose default may be nil, for the initializer of the logger.
    package func optional<Value>(
        _ key: String, _ decoder: LogSettingDecoder<Value>, standard: Value?
    ) -> Value? {
        optional(key, decoder.map { .some($0) }, standard: standard)
    }

    /// Binds a setting to a property of the logger.
    ///
    /// The property is set when the logger is created and whenever the setting changes while the logger runs.
    /// When the setting is removed, the property returns to the value that the initializer gave it.
    ///
    /// - Parameters:
    ///   - key: The setting's name.
    ///   - decoder: What the setting may be, for instance `.size`.
    ///   - property: The property to set.
    public func bind<Target: AnyObject, Value>(
        _ key: String, _ decoder: LogSettingDecoder<Value>,
        to property: ReferenceWritableKeyPath<Target, Value>
    ) {
        note(key, decoder.name)
        tune([key], property, setting[key].flatMap { decoder.read($0, path + [key], collector) })
    }

    /// Binds a setting whose default is known.
    package func bind<Target: AnyObject, Value>(
        _ key: String, _ decoder: LogSettingDecoder<Value>,
        to property: ReferenceWritableKeyPath<Target, Value>, standard: Value
    ) {
        note(key, decoder.name, standard: SettingValue.text(of: standard))
        tune([key], property, setting[key].flatMap { decoder.read($0, path + [key], collector) })
    }

    /// A function that binds settings to members of the logger's settings, whose defaults are in `standard`.
    package func members<Target: ConfigurableLogger>(
        of logger: Target.Type, standard: Target.Settings
    ) -> LogSettingsMembers<Target> {
        LogSettingsMembers(settings: self, standard: standard)
    }

    /// Binds a setting to an optional property of the logger, as the other `bind(_:_:to:)` does.
    ///
    /// - Parameters:
    ///   - key: The setting's name.
    ///   - decoder: What the setting may be, for instance `.size`.
    ///   - property: The property to set.
    public func bind<Target: AnyObject, Value>(
        _ key: String, _ decoder: LogSettingDecoder<Value>,
        to property: ReferenceWritableKeyPath<Target, Value?>
    ) {
        note(key, decoder.name)
        let value = setting[key].flatMap { decoder.read($0, path + [key], collector) }
        tune([key], property, value.map(Optional.some))
    }

    /// A property that several settings make together; nil leaves it as the initializer made it.
    package func bind<Target: AnyObject, Value>(
        together keys: [(key: String, form: String)], _ property: ReferenceWritableKeyPath<Target, Value>,
        _ value: Value?
    ) {
        for (key, form) in keys where !asked.contains(where: { $0.name == key }) { note(key, form) }
        for (key, _) in keys { fixed[key] = nil }
        tune(keys.map(\.key), property, value)
    }

    /// Reports a problem with a setting, or with the object as a whole.
    public func problem(_ text: String, at key: String? = nil) {
        let member = setting.members?.last { $0.key == key }
        collector.add(member?.setting.place ?? setting.place, path + (key.map { [$0] } ?? []), text)
    }

    /// Runs a function that may throw; its error becomes a problem of the setting.
    public func check<Value>(_ key: String? = nil, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch let error as LogConfigurationError {
            collector.add(error)
        } catch {
            problem("\(error)", at: key)
        }
        return nil
    }

    // MARK: Inside

    private func note(_ key: String, _ form: String, isRequired: Bool = false, standard: String? = nil) {
        asked.append(
            LogConfiguration.KnownKey(name: key, form: form, isRequired: isRequired, standard: standard))
    }

    private func tune<Target: AnyObject, Value>(
        _ keys: [String], _ property: ReferenceWritableKeyPath<Target, Value>, _ value: Value?
    ) {
        let given = keys.compactMap { key in setting[key].map { LogSetting.Member(key, $0) } }
        tunings.append(
            SettingTuning(
                key: keys.joined(separator: "+"), setting: given.isEmpty ? nil : LogSetting(.object(given)),
                set: value.map { value in { ($0 as? Target)?[keyPath: property] = value } },
                keep: { target in
                    guard let before = (target as? Target)?[keyPath: property] else { return { _ in } }
                    return { ($0 as? Target)?[keyPath: property] = before }
                }))
    }

    /// Takes the settings as they are, unread.
    func acceptAnything() { acceptsAnything = true }

    /// Reports all unknown keys; keys that start with `//` are comments.
    func finish() {
        if acceptsAnything { return }
        let known = asked.map(\.name)
        for member in setting.members ?? [] where !known.contains(member.key) {
            if member.key.hasPrefix("//") { continue }
            let hint = Spelling.hint(for: member.key, among: known)
            collector.add(member.place, path, "unknown setting “\(member.key)”\(hint)")
        }
    }
}

/// Binds settings to the members of a logger's settings.
///
/// Called as a function: `bind("maximumFileSize", .size, \.maximumFileSize)`.
package struct LogSettingsMembers<Target: ConfigurableLogger> {
    fileprivate let settings: LogSettings
    fileprivate let standard: Target.Settings

    package func callAsFunction<Value>(
        _ key: String, _ decoder: LogSettingDecoder<Value>, _ member: WritableKeyPath<Target.Settings, Value>
    ) {
        settings.bind(
            key, decoder, to: \Target[dynamicMember: member], standard: standard[keyPath: member])
    }

    package func callAsFunction<Value>(
        _ key: String, _ decoder: LogSettingDecoder<Value>, _ member: WritableKeyPath<Target.Settings, Value?>
    ) {
        self(key, decoder.map { .some($0) }, member)
    }
}

/// A setting that is a property: how to set it, and how to get back to what it was.
struct SettingTuning {
    let key: String
    /// What is given; nil where nothing is.
    let setting: LogSetting?
    /// Sets the property; nil where nothing is given.
    let set: ((AnyObject) -> Void)?
    /// Notes what the property is, to set it again.
    let keep: (AnyObject) -> (AnyObject) -> Void
}

/// A required setting, whose value is available after all settings were read.
public struct LogRequiredSetting<Value> {
    /// The value; nil if the setting is missing or not valid, which was reported.
    public let content: Value?

    /// The value.
    ///
    /// - Precondition: The setting is present and valid. Use it only in the function that makes the logger,
    ///   which is called after all settings were found to be valid.
    public var value: Value {
        guard let content else {
            preconditionFailure(
                "Use the value of a required setting only inside the returned closure, "
                    + "which runs once all settings are valid"
            )
        }
        return content
    }
}

extension LogConfiguration {
    /// A key, what it takes, and whether it must be there.
    package struct KnownKey: Hashable, Sendable {
        package let name: String
        package let form: String
        package let isRequired: Bool
        /// What holds without it, where that is a short text.
        package var standard: String?
    }
}
