public import Heartwood
public import HeartwoodHTTP

/// What an ``EventStore`` is opened with.
///
/// ```swift
/// var settings = EventSettings(user: "anna", prefix: "audit")
/// settings.upload.sendInterval = .seconds(10)
/// let store = try EventStore(
///     "https://collector.example.com/events", directory: "/var/lib/app/events", settings: settings)
/// ```
public struct EventSettings: Sendable {
    /// Whose events they are: the name of a directory.
    ///
    /// Default: default
    public var user: String

    /// The name of this row of partitions: another prefix is another store.
    ///
    /// Default: events
    public var prefix: String

    /// The first value of ``EventStore/partitionSize``.
    ///
    /// Default: 256 MiB
    public var partitionSize = ByteCount.mebibytes(256)

    /// The first settings of ``EventStore/uploader``.
    ///
    /// Change its members. A new `HTTPSettings` has other defaults than an event store, which sends an array
    /// of the events and keeps up to 4 GiB of them. With another encoding, an event's fields are its entry's
    /// metadata. `overflow` and `maximumFiles` of its `spoolSettings` have no effect.
    public var upload: HTTPSettings

    /// Called, on a queue of the store's own, with each error that no completion gets: events that could not
    /// be stored, scopes that were released, files that cannot be opened.
    ///
    /// Without one they go to the dispatcher's diagnostics. Nothing ever aborts.
    ///
    /// Default: nil
    public var errorHandler: (@Sendable (any Error) -> Void)?

    /// Makes the default settings.
    ///
    /// - Parameters:
    ///   - user: Whose events they are.
    ///   - prefix: The name of this row of partitions.
    ///   - encoding: The form of requests.
    public init(
        user: String = "default", prefix: String = "events", encoding: any RemoteEncoding = EventEncoding()
    ) {
        self.user = user
        self.prefix = prefix
        upload = HTTPSettings(encoding: encoding)
        upload.spoolSettings.maximumBytes = .gibibytes(4)
    }

    func check() throws {
        try EventSettings.check("prefix", prefix)
        try EventSettings.check("user", user)
    }

    /// A name that can be a directory's.
    private static func check(_ kind: String, _ name: String) throws {
        if name.isEmpty {
            throw LogError(
                .setting,
                kind == "prefix"
                    ? "Audit partition prefix must not be empty" : "the \(kind) must not be empty")
        }
        if name.contains(where: { $0 == "/" || $0 == "\\" || $0 == "\0" }) || name == "." || name == ".." {
            throw LogError(
                .setting,
                "the \(kind) “\(name)” is not valid: it must not contain slashes, or be “.” or “..”")
        }
    }
}
