public import Heartwood

/// A kind of formatter for configurations.
///
/// ```swift
/// LogConfiguration.register(FormatterKind("shout") { _ in shout })
/// ```
public struct FormatterKind: Sendable {
    /// The value of `kind` in a configuration.
    package let name: String
    let read: @Sendable (LogSettings) throws -> LogFormatter?

    /// Makes a kind.
    ///
    /// - Parameters:
    ///   - name: What `kind` says in a configuration.
    ///   - reading: Asks for the settings and makes the formatter; nil means the text alone, or the layout
    ///     that a console has of its own. Where a setting is wrong, what it gives is not used.
    public init(_ name: String, reading: @escaping @Sendable (LogSettings) throws -> LogFormatter?) {
        self.name = name
        read = reading
    }
}
