/// The limit of a file's size unless set otherwise: 1 MiB.
public let kDDDefaultLogMaxFileSize: UInt64 = 1024 * 1024

/// How many seconds a file is written unless set otherwise: a day.
public let kDDDefaultLogRollingFrequency: TimeInterval = 60 * 60 * 24

/// The limit of the number of files unless set otherwise: 5.
public let kDDDefaultLogMaxNumLogFiles: UInt = 5

/// The limit of the size of all files together unless set otherwise: 20 MiB.
public let kDDDefaultLogFilesDiskQuota: UInt64 = 20 * 1024 * 1024
