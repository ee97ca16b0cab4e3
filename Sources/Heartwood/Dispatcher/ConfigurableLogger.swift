/// A logger whose settings are one value, and at the same time properties of the logger.
///
/// Each setting is declared once, in a struct. The logger reads and sets its members as its own properties:
///
/// ```swift
/// final class SlackLogger: AbstractLogger, ConfigurableLogger, @unchecked Sendable {
///     struct Settings {
///         var channel = "#ops"
///         var timeout = Duration.seconds(5)
///     }
///     let orderedSettings = Ordered(wrappedValue: Settings())
///
///     override func log(_ message: LogMessage) {
///         guard let text = formatted(message) else { return }
///         post(text, to: self.channel)
///     }
/// }
///
/// let slack = SlackLogger()
/// slack.channel = "#billing"
/// ```
///
/// Like a property that is marked ``Ordered``, a setting takes effect in order with the messages. Inside the
/// class and its subclasses, write `self.` before its name, as in the sample.
@dynamicMemberLookup
public protocol ConfigurableLogger: AbstractLogger {
    /// The struct of the settings.
    associatedtype Settings: Sendable

    /// Where the settings are; a constant of the class.
    var orderedSettings: Ordered<Settings> { get }
}

extension ConfigurableLogger {
    /// All settings as they are.
    public var settings: Settings { orderedSettings.value(in: self) }

    /// Reads or sets one setting; any thread.
    public subscript<Value>(dynamicMember member: WritableKeyPath<Settings, Value>) -> Value {
        get { orderedSettings.value(in: self)[keyPath: member] }
        set { updateSettings { $0[keyPath: member] = newValue } }
    }

    /// Changes several settings at once, which take effect together; any thread.
    ///
    /// What other threads set meanwhile is kept, and `change` is called again if they did.
    ///
    /// - Parameter change: Changes the settings; without side effects.
    public func updateSettings(_ change: (inout Settings) -> Void) {
        orderedSettings.update(of: self, change)
    }
}

// The limit that an optional setting sets, or nil for no limit. Zero and negative values set no limit.
extension ByteCount? {
    package var limit: Int? { (self?.bytes).limit }
}
extension Int? {
    package var limit: Int? { flatMap { $0 > 0 ? $0 : nil } }
}
extension Duration? {
    package var limit: Duration? { flatMap { $0 > .zero ? $0 : nil } }
}

/// The value of a setting as people write it in a configuration or an option.
package enum SettingValue {
    /// The text: `10 MiB`, `24h`, `0640`, `none` for nil; nil for a value without a short text.
    package static func text(of value: Any?) -> String? {
        // Generic code hands over a nil inside another optional.
        if let value, case let mirror = Mirror(reflecting: value), mirror.displayStyle == .optional {
            return text(of: mirror.children.first?.value)
        }
        switch value {
        case nil: return "none"
        case let duration as Duration: return duration.shortText
        case let value as any BinaryInteger: return "\(value)"
        case let value as Double: return "\(value)"
        case let value as Bool: return "\(value)"
        case let size as ByteCount: return size.description
        case let mode as FileMode: return mode.description
        case let text as String: return text
        case let zone as LogTimeZone: return zone == .utc ? "UTC" : zone == .local ? "local" : nil
        case let value as any RawRepresentable: return value.rawValue as? String ?? name(of: value)
        case let value?: return name(of: value)
        }
    }

    /// The name of a case without values.
    private static func name(of value: Any) -> String? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .enum && mirror.children.isEmpty ? "\(value)" : nil
    }
}
