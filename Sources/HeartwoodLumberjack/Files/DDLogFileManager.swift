/// Decides where log files are, how they are named and how many are kept, and is told when a file is
/// finished.
///
/// Managers derive from ``DDLogFileManagerDefault``. One that adopts the protocol alone is asked for its
/// directory, its serializer and the names of its files, and told of finished files; it removes old ones
/// itself. Heartwood's names for the parts of it are `LogFileNaming`, `LogFilePolicy` and the properties of
/// `FileLogger`.
public protocol DDLogFileManager: NSObjectProtocol {
    /// The largest number of files, including the current one; 0 for no limit.
    var maximumNumberOfLogFiles: UInt { get set }
    /// The size limit of all files together in bytes, including the current one; 0 for no limit.
    var logFilesDiskQuota: UInt64 { get set }
    /// The path of the directory.
    var logsDirectory: String { get }
    /// The paths of the files.
    var unsortedLogFilePaths: [String] { get }
    /// The names of the files.
    var unsortedLogFileNames: [String] { get }
    /// The files.
    var unsortedLogFileInfos: [DDLogFileInfo] { get }
    /// The paths of the files, the newest first.
    var sortedLogFilePaths: [String] { get }
    /// The names of the files, the newest first.
    var sortedLogFileNames: [String] { get }
    /// The files, the newest first.
    var sortedLogFileInfos: [DDLogFileInfo] { get }

    /// Creates a file.
    ///
    /// - Returns: The path of the file.
    /// - Throws: An error if the file cannot be created.
    func createNewLogFile() throws -> String

    /// Converts texts to the bytes of files; unchanged by default.
    var logMessageSerializer: any DDFileLogMessageSerializer { get }
    /// The file manager; the default one by default.
    var fileManager: FileManager { get }
    /// Whether several processes write to one file; false by default. Asked once, for the directory.
    func shouldLockLogFile(_ logFilePath: String) -> Bool
    /// Removes files beyond the limits.
    ///
    /// The default does nothing, because Heartwood enforces the limits all the time.
    ///
    /// - Throws: An error if a file cannot be removed.
    func cleanupLogFiles() throws
    /// Called when a file logger uses the manager; does nothing by default.
    func didAdd(to fileLogger: DDFileLogger)
    /// Called when a file is finished, on the logger's completion queue; by default calls one of the older
    /// forms.
    ///
    /// - Parameters:
    ///   - logFilePath: The path of the file.
    ///   - wasRolled: False for a file of an earlier run that this one has written nothing to.
    func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool)
    /// The older form for a file that this run has written nothing to; does nothing by default.
    func didArchiveLogFile(atPath logFilePath: String)
    /// The older form for a file that this run has written to; does nothing by default.
    func didRollAndArchiveLogFile(atPath logFilePath: String)
}

extension DDLogFileManager {
    /// Writes texts unchanged.
    public var logMessageSerializer: any DDFileLogMessageSerializer { DDFileLogPlainTextMessageSerializer() }

    /// The default file manager.
    public var fileManager: FileManager { .default }

    /// False: each process writes its own files.
    public func shouldLockLogFile(_ logFilePath: String) -> Bool { false }

    /// Does nothing, because Heartwood enforces the limits all the time.
    ///
    /// - Throws: Nothing.
    public func cleanupLogFiles() throws {}

    /// Does nothing.
    public func didAdd(to fileLogger: DDFileLogger) {}

    /// Calls one of the older forms of the method.
    public func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool) {
        if wasRolled {
            didRollAndArchiveLogFile(atPath: logFilePath)
        } else {
            didArchiveLogFile(atPath: logFilePath)
        }
    }

    /// Does nothing.
    public func didArchiveLogFile(atPath logFilePath: String) {}

    /// Does nothing.
    public func didRollAndArchiveLogFile(atPath logFilePath: String) {}
}
