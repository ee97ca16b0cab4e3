// Times of files as the system has them, and as a program reads them.

extension FileStatus {
    /// When the file was last written.
    package var modified: LogTimestamp { LogTimestamp(nanoseconds: modifiedNanoseconds) }
}

extension SystemCalls {
    /// When a file was created; nil where the system does not know.
    package func birth(_ descriptor: Int32) -> LogTimestamp? {
        birthNanoseconds(descriptor).map { LogTimestamp(nanoseconds: $0) }
    }
}
