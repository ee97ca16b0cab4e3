public import Heartwood

/// Writes messages to files in a directory, starts new files in time, and removes old ones.
///
/// ```swift
/// let fileLogger = DDFileLogger()
/// fileLogger.rollingFrequency = 60 * 60 * 24
/// fileLogger.logFileManager.maximumNumberOfLogFiles = 7
/// DDLog.add(fileLogger)
/// ```
///
/// A file never exceeds its size, and the limits of its manager hold at every moment, the file that is
/// written included. Heartwood's name for it is `FileLogger`; ``heartwoodFileLogger`` has what that offers
/// besides: compression, encryption, calendar boundaries, durability.
open class DDFileLogger: DDAbstractLogger {
    /// Decides where files are, how they are named, and how many are kept.
    open var logFileManager: any DDLogFileManager { manager }
    private let manager: any DDLogFileManager
    private let completionQueue: WorkQueue

    /// Makes a logger.
    ///
    /// A directory that cannot be used is reported to the dispatcher's diagnostics with each message.
    ///
    /// - Parameters:
    ///   - logFileManager: Says where files are, how they are named and how many are kept.
    ///   - dispatchQueue: What is called when a file is finished is called there, one call after the other; a
    ///     global queue unless given.
    public init(logFileManager: any DDLogFileManager, completionQueue dispatchQueue: DispatchQueue?) {
        manager = logFileManager
        // In order even on a concurrent queue: the manager hears of a file before its roll is complete.
        completionQueue = WorkQueue(
            DispatchQueue(label: "heartwood.lumberjack.completion", target: dispatchQueue ?? .global()))
        super.init()
        logFormatter = DDLogFileFormatterDefault()
        logFileManager.didAdd(to: self)
    }

    /// Makes a logger with a manager, which calls back on a global queue.
    public convenience init(logFileManager: any DDLogFileManager) {
        self.init(logFileManager: logFileManager, completionQueue: nil)
    }

    /// Makes a logger for the default directory of the program.
    public override convenience init() { self.init(logFileManager: DDLogFileManagerDefault()) }

    /// The logger of Heartwood, with all its settings; nil if the directory cannot be used.
    public final var heartwoodFileLogger: FileLogger? { file }

    private var file: FileAdapter? { heartwoodLogger as? FileAdapter }

    /// The name.
    open override var loggerName: DDLoggerName { .file }

    override func makeBacking() -> AbstractLogger {
        do {
            return try FileAdapter(self, manager, completionQueue)
        } catch {
            return FailedFile(name: loggerName.rawValue, error: error)
        }
    }

    override func makeFurtherBacking() -> AbstractLogger? { nil }

    override func keepForDispatcher() {
        guard let file else { return }
        file.keepOwner()
        guard let recent = try? file.logFiles().first, !recent.isArchived else { return }
        let info = DDLogFileInfo(recent)
        if info.isArchived || shouldArchiveRecentLogFileInfo(info) { file.rollNow() }
    }

    // MARK: Settings (any thread, ordered)

    /// The size limit of a file in bytes; 1 MiB unless changed, and 0 for no limit.
    ///
    /// Only a single message may exceed it. If the manager's quota was not set, it is raised to twice this
    /// size, and without a limit on the size it is 0 as well: a quota that a program never named removes none
    /// of its lines.
    open var maximumFileSize: UInt64 {
        get { UInt64(clamping: file?.maximumFileSize?.bytes ?? 0) }
        set {
            (manager as? DDLogFileManagerDefault)?.raiseQuota(forFilesOf: newValue)
            file?.maximumFileSize = .bytes(Int(clamping: newValue))
        }
    }

    /// The time in seconds after which a new file is started, across restarts; a day unless changed, and 0 or
    /// less for no limit.
    open var rollingFrequency: TimeInterval {
        get { file?.rollingInterval?.seconds ?? 0 }
        set { file?.rollingInterval = .lumberjackSeconds(newValue) }
    }

    /// Whether each run starts a new file; false unless changed.
    open var doNotReuseLogFiles: Bool {
        get { file?.reusesFiles == false }
        set { file?.reusesFiles = !newValue }
    }

    /// Whether a newline is added to formatted messages that do not end with one; true unless changed.
    open var automaticallyAppendNewlineForCustomFormatters: Bool {
        get { file?.appendsNewline ?? true }
        set { file?.appendsNewline = newValue }
    }

    // MARK: Acting

    /// Finishes the file after all earlier messages of this thread; the next message starts a new file.
    ///
    /// - Parameter completionBlock: Called on the completion queue when that is done.
    open func rollLogFile(withCompletion completionBlock: (() -> Void)?) {
        // As there: the block is the caller's to share with the queue that it is called on.
        nonisolated(unsafe) let completion = completionBlock
        let queue = completionQueue
        guard let file else { return queue.enqueue { completion?() } }
        file.rollNow { _ in
            queue.enqueue { completion?() }
        }
    }

    /// Finishes the file after all earlier messages of this thread.
    @available(*, deprecated, message: "Use rollLogFile(withCompletion:)")
    open func rollLogFile() { rollLogFile(withCompletion: nil) }

    /// The current file, which is opened or created where none is open; nil if there can be none.
    ///
    /// Waits until what was logged before is written, five seconds at most. Inside of a logger it neither
    /// waits nor creates a file: it is nil there before the first message was written.
    open var currentLogFileInfo: DDLogFileInfo? {
        guard let file else { return nil }
        file.openFile(timeout: .seconds(5))
        return file.currentPath.map { DDLogFileInfo(filePath: $0) }
    }

    /// Writes everything that was logged before to the disk itself, and waits for that, up to ten seconds.
    ///
    /// Inside of a logger it does not wait. As a hook, which `flushLog()` calls, it has nothing to do: the
    /// base has written.
    open override func flush() {
        guard let file, !file.isInHook else { return }
        file.synchronize()
    }

    // MARK: Hooks

    /// Writes a message; overrides call it to write theirs.
    open override func log(message logMessage: DDLogMessage) {
        guard let file, file.isInHook else { return }
        if type(of: self) == DDFileLogger.self { return file.write(logMessage) }
        let info = file.currentPath.map { DDLogFileInfo(filePath: $0) }
        if let info { willLogMessage(info) }
        file.write(logMessage)
        if let info { didLogMessage(info) }
    }

    /// Called before a message is added to what is written next, once there is a file; calls the older form.
    open func willLogMessage(_ logFileInfo: DDLogFileInfo) { willLogMessage() }

    /// Called after a message was added to what is written next, once there is a file; calls the older form.
    open func didLogMessage(_ logFileInfo: DDLogFileInfo) { didLogMessage() }

    /// The older form of the method; does nothing unless overridden.
    open func willLogMessage() {}

    /// The older form of the method; does nothing unless overridden.
    open func didLogMessage() {}

    /// Whether the newest file of an earlier run is finished instead of continued; false unless overridden.
    ///
    /// Asked when the logger is added.
    open func shouldArchiveRecentLogFileInfo(_ recentLogFileInfo: DDLogFileInfo) -> Bool { false }

    // MARK: Buffering

    /// Returns the logger itself, because Heartwood writes in batches anyway.
    open func wrapWithBuffer() -> Self { self }

    /// Returns the logger itself.
    open func unwrapFromBuffer() -> Self { self }
}

/// The default size limit of a file: 1 MiB.
public let kDDDefaultLogMaxFileSize: UInt64 = 1024 * 1024

/// The default time after which a new file is started: a day, in seconds.
public let kDDDefaultLogRollingFrequency: TimeInterval = 60 * 60 * 24

/// The default number of files: 5.
public let kDDDefaultLogMaxNumLogFiles: UInt = 5

/// The default size limit of all files together: 20 MiB.
public let kDDDefaultLogFilesDiskQuota: UInt64 = 20 * 1024 * 1024
