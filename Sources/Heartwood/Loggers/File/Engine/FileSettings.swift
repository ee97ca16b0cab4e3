/// The settings of a ``FileLogger``, which has each as a property of the same name.
///
/// ```swift
/// var settings = FileSettings(naming: LogFileNaming(application: "shop"))
/// settings.maximumFileSize = .mebibytes(50)
/// let file = try FileLogger(directory: "/var/log/shop", settings: settings)
///
/// file.maximumFileCount = 20  // at any time
/// file.updateSettings { settings in  // several, which take effect together
///     settings.rollingBoundary = .day
///     settings.rollingInterval = nil
/// }
/// ```
///
/// Where a limit is optional, nil and zero both mean no limit.
public struct FileSettings: Sendable, Equatable {
    // MARK: Rolling

    /// The most bytes of a file.
    ///
    /// A line never makes a file exceed it, unless it is the only line.
    ///
    /// Default: 10 MiB
    public var maximumFileSize: ByteCount? = .mebibytes(10)

    /// How long a file is written after it was created, through restarts.
    ///
    /// Default: 24h
    public var rollingInterval: Duration? = .seconds(86_400)

    /// Where on the calendar a new file begins, in addition to ``rollingInterval``.
    ///
    /// Default: nil
    public var rollingBoundary: LogCalendarBoundary?

    /// The time zone of ``rollingBoundary``.
    ///
    /// Default: UTC
    public var zone = LogTimeZone.utc

    // MARK: Retention

    /// The most files, the one that is written included.
    ///
    /// Default: 10
    public var maximumFileCount: Int? = 10

    /// How long a file is kept after its last line.
    ///
    /// Default: nil
    public var maximumFileAge: Duration?

    /// The most bytes of all files together.
    ///
    /// It holds at every moment: older files are removed before a line is written, and a line that is larger
    /// than the whole quota is dropped and counted. With several processes in one directory, each counts what
    /// it saw when it last began a file.
    ///
    /// Default: nil
    public var diskQuota: ByteCount?

    // MARK: Files

    /// How files are named, and recognized.
    ///
    /// Default: `{app} {date}.log`
    public var naming: LogFileNaming

    /// Which files belong to the logger, how new ones are labeled and created, and in which order old ones
    /// are removed.
    public var filePolicy: LogFilePolicy

    /// The permissions of new files, whatever the umask.
    ///
    /// The active file always has the write permission of its owner; a finished one has no write permission.
    ///
    /// Default: 0600
    public var fileMode: FileMode = 0o600

    /// When new files can be read on Apple's devices (untested; no effect elsewhere).
    ///
    /// Default: untilFirstUnlock
    public var fileProtection = LogFileProtection.untilFirstUnlock

    /// Whether Apple's systems leave new files out of backups (untested; no effect elsewhere).
    ///
    /// Default: true
    public var isExcludedFromBackup = true

    /// Whether a run continues the newest earlier file that is not finished, full or too old.
    ///
    /// Default: true
    public var reusesFiles = true

    /// The first line of every file.
    ///
    /// A file of an earlier run that begins with a different line is finished, and a new one is created.
    /// Without a header, the first line of that file is not compared.
    ///
    /// Default: nil
    public var fileHeader: String?

    /// The name of a symbolic link, in the directory, to the file that is written.
    ///
    /// Default: nil
    public var currentLink: String?

    /// Whether several processes append to one file, instead of each to its own.
    ///
    /// All must use the same settings. Each write takes a lock, but does not wait long for its holder.
    ///
    /// Default: false
    public var isShared = false

    // MARK: Writing

    /// When lines are put on the disk itself, not just into the kernel.
    ///
    /// Default: never
    public var syncPolicy = LogSyncPolicy.never

    /// The most bytes of a message as the formatter writes it.
    ///
    /// The text of a longer one is cut at a character, and ends in `…[truncated 1234 bytes]`; then fields are
    /// left out, and counted as well, if need be. Limits below 256 bytes count as 256.
    ///
    /// Default: 64 KiB
    public var maximumMessageSize: ByteCount? = .kibibytes(64)

    /// The most bytes of lines that wait in memory while the file cannot be written; more are dropped and
    /// counted.
    ///
    /// Default: 1 MiB
    public var waitingLimit = ByteCount.mebibytes(1)

    /// The space on the file system that is left to others, 1 % of it at most.
    ///
    /// Default: 64 MiB
    public var minimumFreeSpace = ByteCount.mebibytes(64)

    // MARK: Archives

    /// How finished files are kept.
    ///
    /// Files that are finished already become archives as well. `encrypted` begins at once, with a new file:
    /// no line is written unencrypted after it was set. What was encrypted stays so when it is taken back.
    ///
    /// Default: plain
    public var archiveFormat = LogArchiveFormat.plain

    /// Where the key of encrypted logs comes from: the secret `log-archive-key`, 32 bytes or 64 hex digits.
    ///
    /// Asked whenever a file is created or archived, or a setting is changed, so that a key may be replaced;
    /// not for each line. Called on the logging queues, and should not take long. Equal only to itself and
    /// its copies in settings.
    ///
    /// Default: nil
    public var archiveKey: (any SecretProvider)? {
        get { key?.provider }
        set { key = newValue.map(KeySource.init) }
    }

    /// Does something with every finished file, in the background.
    ///
    /// Default: nil
    public var archiveProcessor: LogArchiveProcessor?

    /// Whether files are files of lines, which end in a newline.
    var repairsTornLines = true
    private var key: KeySource?

    /// Compared by identity, since providers need not be comparable.
    private final class KeySource: Sendable {
        let provider: any SecretProvider
        init(_ provider: any SecretProvider) { self.provider = provider }
    }

    /// Makes the default settings.
    ///
    /// - Parameters:
    ///   - naming: How files are named, and recognized.
    ///   - filePolicy: Which files belong to the logger, and in which order old ones are removed.
    public init(naming: LogFileNaming = LogFileNaming(), filePolicy: LogFilePolicy = LogFilePolicy()) {
        self.naming = naming
        self.filePolicy = filePolicy
    }

    /// Whether all settings are equal; namings, file policies, keys and processors are if they are the same
    /// object.
    public static func == (left: FileSettings, right: FileSettings) -> Bool {
        left.rollingPolicy == right.rollingPolicy && left.retentionPlan == right.retentionPlan
            && left.naming === right.naming
            && left.filePolicy === right.filePolicy && left.fileMode == right.fileMode
            && left.fileProtection == right.fileProtection
            && left.isExcludedFromBackup == right.isExcludedFromBackup
            && left.reusesFiles == right.reusesFiles && left.fileHeader == right.fileHeader
            && left.currentLink == right.currentLink && left.isShared == right.isShared
            && left.syncPolicy == right.syncPolicy && left.maximumMessageSize == right.maximumMessageSize
            && left.waitingLimit == right.waitingLimit && left.minimumFreeSpace == right.minimumFreeSpace
            && left.archiveFormat == right.archiveFormat && left.key === right.key
            && left.archiveProcessor === right.archiveProcessor
            && left.repairsTornLines == right.repairsTornLines
    }

    // MARK: What follows from them

    /// When files are rolled.
    var rollingPolicy: RollingPolicy {
        RollingPolicy(
            maximumSize: maximumFileSize.limit ?? 0, interval: rollingInterval.limit ?? .zero,
            boundary: rollingBoundary,
            zone: zone)
    }

    /// Which files are removed.
    var retentionPlan: RetentionPlan {
        RetentionPlan(
            maximumCount: maximumFileCount.limit ?? 0, quota: diskQuota.limit ?? 0,
            maximumAge: maximumFileAge.limit ?? .zero)
    }

    /// When files are rolled, with the limit that the quota allows.
    var effectiveRolling: RollingPolicy {
        var policy = rollingPolicy
        policy.maximumSize = retentionPlan.effectiveFileSize(policy.maximumSize)
        return policy
    }

    /// Whether what is written is encrypted.
    var encrypts: Bool { archiveFormat.stage == .encrypted }

    /// What the next file is encrypted with; nil for plain text.
    func cipher() throws -> FrameCipher? { encrypts ? try FrameCipher(ofLogs: archiveKey) : nil }
}

/// When written lines are put on the disk itself, so that they survive a power cut.
///
/// Whatever the policy, lines that were handed to the kernel survive the death of the process.
public enum LogSyncPolicy: Hashable, Sendable {
    /// When the operating system likes to.
    case never
    /// After each batch.
    case everyBatch
    /// After batches that hold a message of one of these levels.
    case levels(LogLevelMask)
    /// When lines have waited for so long.
    case interval(Duration)
}
