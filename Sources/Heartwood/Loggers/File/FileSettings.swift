/// All settings of the engine at one moment.
struct FileSettings: Sendable {
    package var naming: LogFileNaming
    package var scheme = LogFileScheme()
    package var rolling = RollingPolicy()
    var retention = RetentionPlan()
    package var fileMode: UInt32 = 0o600
    var protection = LogFileProtection.untilFirstUnlock
    package var reusesFiles = true
    package var isShared = false
    package var sync = LogSyncPolicy.never
    package var waitingLimit = 1 << 20
    package var minimumFreeSpace = 0
    package var repairsTornLines = true
    package var currentLink: String?
    /// Whether files begin with a line of their own that the settings name.
    package var hasHeader = false
    /// Whether what is written is encrypted.
    var isEncrypted = false
    /// Where the key comes from.
    package var key: (any SecretProvider)?

    init(naming: LogFileNaming) {
        self.naming = naming
    }
}
