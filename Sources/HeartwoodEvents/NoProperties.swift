import Heartwood

/// The properties of a log that has none: for those who record scopes and custom events only.
public enum NoProperties: RawRepresentable, Sendable {
    /// Always nil: there are no properties.
    public init?(rawValue: String) { nil }
    /// Never asked for.
    public var rawValue: String { switch self {} }
}
