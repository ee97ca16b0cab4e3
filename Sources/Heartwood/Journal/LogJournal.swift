/// Where the record ring of a dispatcher is kept, so that it survives the process.
public struct LogJournal: Hashable, Sendable {
    /// The path of the directory.
    package let directory: String
    /// The source of the key that messages are encrypted with in the file; nil if they are in clear.
    ///
    /// `file(_:key:)` of the product `HeartwoodArchive` sets it.
    package let key: (any SecretProvider)?

    /// Makes a journal in a directory, encrypted if there is a key.
    package init(directory: String, key: (any SecretProvider)? = nil) {
        self.directory = directory.absolutePath()
        self.key = key
    }

    /// Whether both have the same directory, and both or neither a key.
    public static func == (left: LogJournal, right: LogJournal) -> Bool {
        left.directory == right.directory && (left.key == nil) == (right.key == nil)
    }

    /// Hashes the directory.
    public func hash(into hasher: inout Hasher) { hasher.combine(directory) }

    /// A file in a directory, which is made, with mode 0700, if it is missing.
    ///
    /// Several processes may use one directory; it needs room for the ring and 1.4 MiB for each of them. A
    /// file of a process that has ended is removed by the next that uses the directory. Messages are in clear
    /// in the file, private values included; `file(_:key:)` of the product `HeartwoodArchive` encrypts them.
    public static func file(_ directory: String) -> LogJournal { LogJournal(directory: directory) }

    /// What the environment says: `HEARTWOOD_JOURNAL` names the directory.
    static var inEnvironment: LogJournal? {
        ProcessEnvironment.all["HEARTWOOD_JOURNAL"].flatMap { $0.isEmpty ? nil : .file($0) }
    }

    /// The state of a journal that was asked for.
    public enum Status: Equatable, Sendable {
        /// None is wanted.
        case off
        /// The ring is in this file.
        case active(path: String)
        /// The ring is in memory, because of this.
        ///
        /// While messages are logged, it is tried again after a second, and then less and less often, down to
        /// once a minute; not if the reason is a setting.
        case unavailable(LogError)

        /// Whether both are the same.
        public static func == (left: Status, right: Status) -> Bool {
            switch (left, right) {
            case (.off, .off): true
            case (.active(let left), .active(let right)): left == right
            case (.unavailable(let left), .unavailable(let right)): left.description == right.description
            default: false
            }
        }
    }
}
