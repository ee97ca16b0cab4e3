/// All settings of the engine at one moment.
struct FileSettings: Sendable {
    var naming: LogFileNaming
    var scheme = LogFileScheme()
    var rolling = RollingPolicy()
    var retention = RetentionPlan()
    var fileMode: UInt32 = 0o600
    var protection = LogFileProtection.untilFirstUnlock
    var reusesFiles = true
    var isShared = false
    var sync = LogSyncPolicy.never
    var waitingLimit = 1 << 20
    var minimumFreeSpace = 0
    var repairsTornLines = true
    var currentLink: String?
    /// Whether files begin with a line of their own that the settings name.
    var hasHeader = false
    /// Whether what is written is encrypted.
    var isEncrypted = false
    /// Where the key comes from.
    var key: (any SecretProvider)?

    /// When files are rolled, with the limit that the quota allows.
    var effectiveRolling: RollingPolicy {
        var policy = rolling
        policy.maximumSize = retention.effectiveFileSize(policy.maximumSize)
        return policy
    }

    /// What the next file is encrypted with; nil for plain text.
    func cipher() throws -> FrameCipher? { isEncrypted ? try FrameCipher(ofLogs: key) : nil }
}
