import Heartwood

/// Decodes a setting to a value of one type, and describes which values are valid.
///
/// A custom decoder is a name for messages and a function:
///
/// ```swift
/// extension LogSettingDecoder where Value == Character {
///     static var letter: LogSettingDecoder {
///         LogSettingDecoder("letter") { setting in
///             guard let text = setting.string, text.count == 1, let letter = text.first else {
///                 throw LogError(.setting, "one letter is needed")
///             }
///             return letter
///         }
///     }
/// }
/// ```
public struct LogSettingDecoder<Value>: Sendable {
    /// The name of the type in messages and in the reference, such as `size`.
    package let name: String
    /// What to write, for messages: `64 KiB, 10 MB or a number of bytes`; nil where that is not known.
    private let advice: String?
    let read: @Sendable (LogSetting, [String], ProblemCollector) -> Value?

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - read: Gives the value of a setting; what it throws is shown, at the setting's place.
    public init(_ name: String, _ read: @escaping @Sendable (LogSetting) throws -> Value) {
        self.name = name
        advice = nil
        self.read = { setting, path, collector in
            do {
                return try read(setting)
            } catch {
                collector.add(setting.place, path, "\(error)")
                return nil
            }
        }
    }

    /// Creates a decoder whose function returns nil for an invalid setting: `“x” is not a valid size; use …`.
    init(_ name: String, write hint: String, _ read: @escaping @Sendable (LogSetting) -> Value?) {
        self.name = name
        advice = hint
        self.read = { setting, path, collector in
            if let value = read(setting) { return value }
            collector.add(setting.place, path, "\(setting.shown) is not a valid \(name); use \(hint)")
            return nil
        }
    }

    /// Makes a form whose function collects problems itself.
    init(
        _ name: String, write hint: String,
        collecting read: @escaping @Sendable (LogSetting, [String], ProblemCollector) -> Value?
    ) {
        self.init(name, advice: hint, read)
    }

    private init(
        _ name: String, advice: String?,
        _ read: @escaping @Sendable (LogSetting, [String], ProblemCollector) -> Value?
    ) {
        self.name = name
        self.advice = advice
        self.read = read
    }

    /// What to write, for messages.
    var hint: String { advice.map { "use \($0)" } ?? "expected a \(name)" }

    /// Makes a decoder of an object with its own settings.
    public static func object(
        _ name: String, _ read: @escaping @Sendable (LogSettings) throws -> Value?
    ) -> LogSettingDecoder {
        LogSettingDecoder(name, write: "an object of settings") { setting, path, collector in
            let settings = LogSettings(setting, name: path.last ?? "", path: path, collector: collector)
            if setting.members == nil { return nil }
            let value = settings.check { try read(settings) }
            settings.finish()
            return value ?? nil
        }
    }

    /// Makes a decoder of one of several names.
    public static func choice(_ choices: [(name: String, value: Value)]) -> LogSettingDecoder
    where Value: Sendable {
        let names = choices.map(\.name)
        return LogSettingDecoder("choice", write: names.joined(separator: ", ")) { setting, path, collector in
            if let text = setting.string, let found = choices.first(where: { $0.name == text }) {
                return found.value
            }
            let near = setting.string.flatMap { Spelling.nearest(to: $0, among: names) }
            let hint =
                near.map { "did you mean “\($0)”?" } ?? "use one of \(names.joined(separator: ", "))"
            collector.add(setting.place, path, "\(setting.shown) is not a valid choice; \(hint)")
            return nil
        }
    }

    /// Returns a decoder that converts the value of this one.
    public func map<Result>(_ change: @escaping @Sendable (Value) -> Result) -> LogSettingDecoder<Result> {
        let read = self.read
        return LogSettingDecoder<Result>(name, advice: advice) { setting, path, collector in
            read(setting, path, collector).map(change)
        }
    }

    /// This form, and for text a function, whose failure becomes a problem.
    package func orText(_ read: @escaping @Sendable (String) throws -> Value) -> LogSettingDecoder {
        or(LogSettingDecoder(name) { try read($0.string ?? "") }, when: { $0.string != nil })
    }

    /// This form, and where the setting is of another shape, another one.
    package func or(
        _ other: LogSettingDecoder, named name: String? = nil, write hint: String? = nil,
        when isOther: @escaping @Sendable (LogSetting) -> Bool
    ) -> LogSettingDecoder {
        let (first, second) = (read, other.read)
        return LogSettingDecoder(name ?? self.name, advice: hint ?? advice) {
            setting, path, collector in
            (isOther(setting) ? second : first)(setting, path, collector)
        }
    }

    /// Makes a decoder of a limit: such a value, or `"none"` or 0 for no limit.
    package static func limit<Limit>(_ decoder: LogSettingDecoder<Limit>) -> LogSettingDecoder<Limit?>
    where Value == Limit? {
        let read = decoder.read
        return LogSettingDecoder(
            "\(decoder.name) or none", advice: decoder.advice.map { $0 + ", or none" }
        ) { setting, path, collector in
            if ["none", "0"].contains(setting.string) { return .some(nil) }
            if case .integer(0) = setting.value { return .some(nil) }
            let own = ProblemCollector()
            let value = read(setting, path, own)
            for problem in own.problems { collector.add(problem.place, path, problem.text + ", or none") }
            return value.map { .some($0) }
        }
    }

    /// A decoder of a list of such values; a single value counts as a list of one.
    public var list: LogSettingDecoder<[Value]> {
        let read = self.read
        return LogSettingDecoder<[Value]>("list of \(name)", write: "a list") { setting, path, collector in
            guard case .list(let elements) = setting.value else {
                return read(setting, path, collector).map { [$0] }
            }
            let values = elements.enumerated().map { read($1, path + ["\($0)"], collector) }
            return values.contains { $0 == nil } ? nil : values.compactMap { $0 }
        }
    }
}
