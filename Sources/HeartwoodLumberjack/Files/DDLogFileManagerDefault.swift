import Heartwood

/// Names log files `<app> yyyy-MM-dd--HH-mm-ss-SSS.log`, and keeps up to 5 files and 20 MiB.
///
/// A subclass overrides ``newLogFileName`` together with ``isLogFile(withName:)``, ``logFileHeader``, or what
/// is called when a file is finished:
///
/// ```swift
/// final class DailyFiles: DDLogFileManagerDefault {
///     override var newLogFileName: String {
///         "shop \(Date().formatted(.iso8601.year().month().day())).log"
///     }
///     override func isLogFile(withName fileName: String) -> Bool {
///         fileName.hasPrefix("shop ") && fileName.hasSuffix(".log")
///     }
///     override func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool) { upload(logFilePath) }
/// }
/// ```
///
/// A name that is taken gets a number before its extension: `shop 2026-11-20 2.log`. Only regular files of
/// the same user are ever written or removed, whatever `isLogFile` says.
open class DDLogFileManagerDefault: NSObject, DDLogFileManager {
    private let directory: String

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    private struct State {
        var maximumNumber = kDDDefaultLogMaxNumLogFiles
        var quota = kDDDefaultLogFilesDiskQuota
        /// Whether the program has set the quota.
        var isQuotaSet = false
        var serializer = Serializer(value: DDFileLogPlainTextMessageSerializer())
        weak var file: FileAdapter?
    }

    private struct Serializer: @unchecked Sendable {  // serializers guard themselves
        let value: any DDFileLogMessageSerializer
    }

    /// Makes a manager.
    ///
    /// - Parameter logsDirectory: The path of the directory; Heartwood's usual one for the program unless
    ///   given.
    public init(logsDirectory: String?) {
        directory = logsDirectory?.absolutePath() ?? DDLogFileManagerDefault.usualDirectory
        super.init()
    }

    /// Makes a manager of the default directory.
    public override convenience init() { self.init(logsDirectory: nil) }

    private static let usualDirectory =
        (try? FileLogger(settings: FileSettings(naming: DDLogFileManagerDefault.usualNaming)))?.directoryPath
        ?? ""

    /// The names that a manager gives which overrides nothing.
    static let usualNaming = LogFileNaming(
        application: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)

    // MARK: Limits (any thread, ordered)

    /// The largest number of files, including the current one; 5 unless changed, and 0 for no limit.
    open var maximumNumberOfLogFiles: UInt {
        get { state.withLock { $0.maximumNumber } }
        set {
            let file = state.withLock { state in
                state.maximumNumber = newValue
                return state.file
            }
            file?.maximumFileCount = Int(clamping: newValue)
        }
    }

    /// The size limit of all files together in bytes, including the current one; 20 MiB unless changed, and 0
    /// for no limit.
    ///
    /// It holds at every moment: older files are removed before a line is written. Until it is set, a larger
    /// ``DDFileLogger/maximumFileSize`` raises it to twice that size.
    open var logFilesDiskQuota: UInt64 {
        get { state.withLock { $0.quota } }
        set { setQuota(newValue, isSet: true) }
    }

    private func setQuota(_ quota: UInt64, isSet: Bool) {
        let file = state.withLock { state in
            (state.quota, state.isQuotaSet) = (quota, isSet)
            return state.file
        }
        file?.diskQuota = .bytes(Int(clamping: quota))
    }

    /// Makes room for a file of the size that was set and for the one before it, unless the quota was set.
    final func raiseQuota(forFilesOf size: UInt64) {
        guard !state.withLock({ $0.isQuotaSet }) else { return }
        // Without a limit on files, none on all of them can hold.
        let (needed, isEndless) = size.multipliedReportingOverflow(by: 2)
        setQuota(size == 0 || isEndless ? 0 : max(kDDDefaultLogFilesDiskQuota, needed), isSet: false)
    }

    /// Passes the limits on to a logger, from now on.
    final func attach(_ file: FileAdapter) {
        file.maximumFileCount = Int(clamping: maximumNumberOfLogFiles)
        file.diskQuota = .bytes(Int(clamping: logFilesDiskQuota))
        state.withLock { $0.file = file }
    }

    // MARK: Names

    /// The path of the directory.
    open var logsDirectory: String { directory }

    /// The name of a new file.
    open var newLogFileName: String {
        DDLogFileManagerDefault.usualNaming.name(for: LogFileLabel(createdAt: LogTimestamp(Date())))
    }

    /// Whether a file in the directory belongs to the manager.
    open func isLogFile(withName fileName: String) -> Bool {
        DDLogFileManagerDefault.usualNaming.label(of: fileName) != nil
    }

    /// The first line of each new file; nil, the default, writes none.
    open var logFileHeader: String? { nil }

    // MARK: Files

    /// The paths of the files.
    open var unsortedLogFilePaths: [String] { sortedLogFilePaths }
    /// The names of the files.
    open var unsortedLogFileNames: [String] { sortedLogFileNames }
    /// The files.
    open var unsortedLogFileInfos: [DDLogFileInfo] { sortedLogFileInfos }
    /// The paths of the files, the newest first.
    open var sortedLogFilePaths: [String] { sortedLogFileInfos.map(\.filePath) }
    /// The names of the files, the newest first.
    open var sortedLogFileNames: [String] { sortedLogFileInfos.map(\.fileName) }

    /// The files, the newest first; read from the directory on the caller's thread.
    open var sortedLogFileInfos: [DDLogFileInfo] {
        ((try? makeReader().logFiles()) ?? []).map { DDLogFileInfo($0) }
    }

    /// A logger of the directory, which it creates.
    private func makeReader() throws -> FileLogger {
        if let file { return file }
        return try FileLogger(
            directory: logsDirectory, settings: FileSettings(naming: ManagerNaming.naming(for: self)))
    }

    /// The logger that uses the manager.
    private var file: FileAdapter? { state.withLock { $0.file } }

    /// Creates a file with a new name, which holds the ``logFileHeader`` and nothing else.
    ///
    /// Also creates the directory, where it is missing.
    ///
    /// The logger continues this file the next time it starts.
    ///
    /// File loggers do not call this method: they create their files themselves.
    ///
    /// - Returns: The path of the file.
    /// - Throws: A `CocoaError` if the file exists already or cannot be created, and a `LogError` if the
    ///   directory cannot be used.
    open func createNewLogFile() throws -> String {
        _ = try makeReader()
        let path = (logsDirectory as NSString).appendingPathComponent(newLogFileName)
        var header = logFileHeader ?? ""
        if !header.isEmpty, !header.hasSuffix("\n") { header += "\n" }
        let bytes = header.isEmpty ? Data() : logMessageSerializer.dataForString(header, originatingFrom: nil)
        try bytes.write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// Converts texts to the bytes of files; unchanged by default.
    ///
    /// A change holds from the next message or header on, in order with the messages.
    open var logMessageSerializer: any DDFileLogMessageSerializer {
        get { state.withLock { $0.serializer }.value }
        set {
            let serializer = Serializer(value: newValue)
            let file = state.withLock { state in
                state.serializer = serializer
                return state.file
            }
            file?.setSerializer(newValue)
        }
    }

    /// The file manager; without effect, because Heartwood uses system calls.
    open var fileManager = FileManager.default

    /// Whether several processes write to one file; false unless overridden.
    ///
    /// Asked once, with the path of the directory.
    open func shouldLockLogFile(_ logFilePath: String) -> Bool { false }

    /// Does nothing unless overridden, because Heartwood enforces the limits all the time.
    ///
    /// - Throws: Nothing, unless overridden.
    open func cleanupLogFiles() throws {}

    /// Called when a file logger uses the manager; does nothing unless overridden.
    open func didAdd(to fileLogger: DDFileLogger) {}

    /// Called when a file is finished, on the logger's completion queue; calls one of the older forms unless
    /// overridden.
    open func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool) {
        if wasRolled {
            didRollAndArchiveLogFile(atPath: logFilePath)
        } else {
            didArchiveLogFile(atPath: logFilePath)
        }
    }

    /// The older form for a file of an earlier run; does nothing unless overridden.
    open func didArchiveLogFile(atPath logFilePath: String) {}

    /// The older form for a file that this run has written; does nothing unless overridden.
    open func didRollAndArchiveLogFile(atPath logFilePath: String) {}
}
