/// The default size limit of a file: 1 MiB.
public let kDDDefaultLogMaxFileSize: UInt64 = 1024 * 1024

/// The default time after which a new file is started: a day, in seconds.
public let kDDDefaultLogRollingFrequency: TimeInterval = 60 * 60 * 24

/// The default number of files: 5.
public let kDDDefaultLogMaxNumLogFiles: UInt = 5

/// The default size limit of all files together: 20 MiB.
public let kDDDefaultLogFilesDiskQuota: UInt64 = 20 * 1024 * 1024
