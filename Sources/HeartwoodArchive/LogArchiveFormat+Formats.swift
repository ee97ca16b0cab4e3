public import Heartwood

extension LogArchiveFormat {
    /// Compressed with gzip, in the background.
    public static var gzip: LogArchiveFormat {
        LogArchives.register()
        return LogArchiveFormat(.gzip)
    }

    /// Encrypted with AES-256-GCM from their first line on, and compressed as well when they are finished.
    ///
    /// Needs `FileLogger.archiveKey`; while there is no key nothing is written, and lines wait.
    public static var encrypted: LogArchiveFormat {
        LogArchives.register()
        return LogArchiveFormat(.encrypted)
    }
}
