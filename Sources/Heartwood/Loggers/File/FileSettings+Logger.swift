extension FileSettings {
    /// The settings of a logger that are in effect; `naming` is the one that can be used.
    init(of logger: FileLogger, naming: LogFileNaming) {
        self.init(naming: naming)
        scheme = logger.scheme
        rolling = RollingPolicy(
            maximumSize: logger.maximumFileSize.bytes, interval: logger.rollingInterval,
            boundary: logger.rollingBoundary, zone: logger.timeZone)
        retention = RetentionPlan(
            maximumCount: logger.maximumFileCount, quota: logger.diskQuota.bytes,
            maximumAge: logger.maximumFileAge)
        fileMode = UInt32(logger.fileMode) & 0o777
        protection = logger.fileProtection
        reusesFiles = logger.reusesFiles
        isShared = logger.isShared
        sync = logger.syncPolicy
        waitingLimit = logger.waitingLimit.bytes
        minimumFreeSpace = logger.minimumFreeSpace.bytes
        repairsTornLines = logger.repairsTornLines
        currentLink = logger.currentLink
        hasHeader = logger.fileHeader != nil
        isEncrypted = logger.archiveFormat.stage == .encrypted
        key = logger.archiveKey
    }
}

extension FileArchiver.Settings {
    /// The settings of a logger that are in effect.
    init(of logger: FileLogger) {
        self.init()
        format = logger.archiveFormat.stage
        key = logger.archiveKey
        mode = UInt32(logger.fileMode) & 0o777
        processor = logger.archiveProcessor
    }
}
