import Heartwood

/// Compression and encryption of logs, and keys for private values.
///
/// Code that uses `LogArchiveFormat.gzip`, `LogArchiveFormat.encrypted` or `PrivacyKey` needs nothing but the import. Call
/// ``register()`` where none of these is used by name: before a configuration is loaded that asks for compression or
/// encryption, and before a `LogFileReader` reads compressed or encrypted files.
///
/// ```swift
/// import Heartwood
/// import HeartwoodArchive
///
/// LogArchives.register()
/// try LogConfiguration.load("/etc/shop/logging.json").apply()
/// ```
public enum LogArchives {
    /// Makes compression and encryption available to the whole program.
    ///
    /// Any thread may call it, any number of times; only the first call has an effect.
    public static func register() { _ = registration }

    private static let registration: Void = {
        SystemCrypto.keepUntilExit()
        ArchiveLibraries.register(SystemArchiveLibrary())
    }()
}
