/// All settings of a ``FileLogger`` as one value, to be kept, compared, or changed together.
///
/// The properties of the same names describe each.
///
/// ```swift
/// file.updateSettings { settings in
///     settings.maximumFileSize = .mebibytes(50)
///     settings.maximumFileCount = 20
/// }
/// ```
public struct FileSettings: Sendable, Equatable {
    /// The most bytes of a file; zero for no limit.
    public var maximumFileSize = ByteCount.mebibytes(10)
    /// How long a file is written; zero for no limit.
    public var rollingInterval = Duration.seconds(86_400)
    /// Where on the calendar a new file begins; nil for nowhere.
    public var rollingBoundary: LogCalendarBoundary?
    /// The zone whose calendar ``rollingBoundary`` means.
    public var zone = LogTimeZone.utc
    /// The most files; zero for no limit.
    public var maximumFileCount = 10
    /// The most bytes of all files together; zero for no limit.
    public var diskQuota = ByteCount.zero
    /// How long a file is kept after its last line; zero for forever.
    public var maximumFileAge = Duration.zero
    /// How files are named, and known again.
    public var naming: LogFileNaming
    /// Which files belong to the logger, how new ones are labeled, and in which order old ones go.
    public var scheme: LogFileScheme
    /// The permissions of new files.
    public var fileMode: UInt16 = 0o600
    /// When new files can be read on Apple's devices.
    public var fileProtection = LogFileProtection.untilFirstUnlock
    /// Whether Apple's systems put new files into backups.
    public var isInBackup = false
    /// Whether a run continues the newest file of an earlier one.
    public var reusesFiles = true
    /// The first line of every file; nil for none.
    public var fileHeader: String?
    /// The name of a symbolic link to the file that is written; nil for none.
    public var currentLink: String?
    /// Whether several processes append to one file.
    public var isShared = false
    /// When lines are put on the disk itself.
    public var syncPolicy = LogSyncPolicy.never
    /// The most bytes of a message as the formatter writes it; zero for no limit.
    public var maximumMessageSize = ByteCount.kibibytes(64)
    /// How many bytes of lines wait in memory while no file takes them.
    public var waitingLimit = ByteCount.mebibytes(1)
    /// The space on the file system that is left to others; zero for none.
    public var minimumFreeSpace = ByteCount.mebibytes(64)
    /// How finished files are kept.
    public var archiveFormat = LogArchiveFormat.plain
    /// Where the key of encrypted logs comes from; equal only to itself and its copies in settings.
    public var archiveKey: (any SecretProvider)? {
        get { key?.provider }
        set { key = newValue.map(KeySource.init) }
    }
    /// Does something with every finished file; nil for nothing.
    public var archiveProcessor: LogArchiveProcessor?
    /// Whether files are files of lines, which end in a newline.
    var repairsTornLines = true
    private var key: KeySource?

    /// Compared by identity, since providers need not be comparable.
    private final class KeySource: Sendable {
        let provider: any SecretProvider
        init(_ provider: any SecretProvider) { self.provider = provider }
    }

    /// Makes settings that are all as they are unless set.
    ///
    /// - Parameters:
    ///   - naming: How files are named.
    ///   - scheme: Which files belong to the logger, and in which order old ones go.
    public init(naming: LogFileNaming = LogFileNaming(), scheme: LogFileScheme = LogFileScheme()) {
        self.naming = naming
        self.scheme = scheme
    }

    /// Whether all settings are equal; namings, schemes, keys and processors are if they are the same object.
    public static func == (left: FileSettings, right: FileSettings) -> Bool {
        left.rollingPolicy == right.rollingPolicy && left.retentionPlan == right.retentionPlan
            && left.naming === right.naming
            && left.scheme === right.scheme && left.fileMode == right.fileMode
            && left.fileProtection == right.fileProtection && left.isInBackup == right.isInBackup
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
            maximumSize: maximumFileSize.bytes, interval: rollingInterval, boundary: rollingBoundary,
            zone: zone)
    }

    /// Which files are removed.
    var retentionPlan: RetentionPlan {
        RetentionPlan(maximumCount: maximumFileCount, quota: diskQuota.bytes, maximumAge: maximumFileAge)
    }

    /// When files are rolled, with the limit that the quota allows.
    var effectiveRolling: RollingPolicy {
        var policy = rollingPolicy
        policy.maximumSize = retentionPlan.effectiveFileSize(policy.maximumSize)
        return policy
    }

    /// The permissions of new files, and nothing else.
    var permissions: UInt16 { fileMode & 0o777 }

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
