// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// Installs the handler of the program.
public enum LoggingSystem {
    nonisolated(unsafe) private static var factory: @Sendable (String) -> any LogHandler = { _ in
        SwiftLogNoOpLogHandler()
    }

    /// Installs a handler; called once, before anything is logged.
    public static func bootstrap(_ factory: @escaping @Sendable (String) -> any LogHandler) {
        self.factory = factory
    }

    /// Installs a handler and what gives fields to each message.
    public static func bootstrap(
        _ factory: @escaping @Sendable (String, Logger.MetadataProvider?) -> any LogHandler,
        metadataProvider: Logger.MetadataProvider?
    ) {
        self.factory = { factory($0, metadataProvider) }
    }

    static func handler(_ label: String) -> any LogHandler { factory(label) }
}
