public import Heartwood

/// Writes messages into files of a directory, starts new files in time, and removes old ones.
///
/// ```swift
/// let fileLogger = DDFileLogger()
/// fileLogger.rollingFrequency = 60 * 60 * 24
/// fileLogger.logFileManager.maximumNumberOfLogFiles = 7
/// DDLog.add(fileLogger)
/// ```
///
/// A file never exceeds its size, and the limits of its manager hold at every moment, the file that is written included.
/// Heartwood's name for it is `FileLogger`; ``heartwoodFileLogger`` has what that offers besides: compression,
/// encryption, calendar boundaries, durability.
open class DDFileLogger: DDAbstractLogger {
    /// Says where files are, how they are named and how many are kept.
    public let logFileManager: any DDLogFileManager
    private let completionQueue: DispatchQueue

    /// Makes a logger.
    ///
    /// A directory that cannot be used is reported to the dispatcher's diagnostics with each message.
    ///
    /// - Parameters:
    ///   - logFileManager: Says where files are, how they are named and how many are kept.
    ///   - dispatchQueue: What is called when a file is finished is called there; a global queue unless given.
    public init(logFileManager: any DDLogFileManager, completionQueue dispatchQueue: DispatchQueue?) {
        self.logFileManager = logFileManager
        let completionQueue = dispatchQueue ?? .global()
        self.completionQueue = completionQueue
        super.init(backedBy: { logger in
            guard let logger = logger as? DDFileLogger else { return LoggerAdapter(logger) }
            do {
                return try FileAdapter(logger, logFileManager, completionQueue)
            } catch {
                return FailedFile(name: logger.loggerName.rawValue, error: error)
            }
        })
        logFormatter = DDLogFileFormatterDefault()
        logFileManager.didAdd(to: self)
    }

    /// Makes a logger that calls back on a global queue.
    public convenience init(logFileManager: any DDLogFileManager) {
        self.init(logFileManager: logFileManager, completionQueue: nil)
    }

    /// Makes a logger for the usual directory of the program.
    public override convenience init() { self.init(logFileManager: DDLogFileManagerDefault()) }

    /// Heartwood's logger, with all its settings; nil where the directory cannot be used.
    public final var heartwoodFileLogger: FileLogger? { file }

    private var file: FileAdapter? { heartwoodLogger as? FileAdapter }

    /// The name.
    open override var loggerName: DDLoggerName { .file }

    override func prepareForAdding() -> AbstractLogger {
        guard let file else { return heartwoodLogger }
        file.keepOwner()
        if type(of: self) != DDFileLogger.self, let recent = try? file.logFiles().first, !recent.isArchived,
            shouldArchiveRecentLogFileInfo(DDLogFileInfo(recent))
        {
            file.rollNow()
        }
        return file
    }

    // MARK: Settings (any thread, ordered)

    /// The most bytes of a file; 1 MiB, and 0 for no limit.
    ///
    /// Only a single message may exceed it.
    open var maximumFileSize: UInt64 {
        get { UInt64(clamping: file?.maximumFileSize.bytes ?? 0) }
        set { file?.maximumFileSize = .bytes(Int(clamping: newValue)) }
    }

    /// How many seconds a file is written, through restarts as well; a day, and 0 or less for no limit.
    open var rollingFrequency: TimeInterval {
        get { file?.rollingInterval.seconds ?? 0 }
        set { file?.rollingInterval = .lumberjackSeconds(newValue) }
    }

    /// Whether each run starts a new file; false.
    open var doNotReuseLogFiles: Bool {
        get { file?.reusesFiles == false }
        set { file?.reusesFiles = !newValue }
    }

    /// Whether a newline is put after what a formatter gives, where there is none; true.
    open var automaticallyAppendNewlineForCustomFormatters: Bool {
        get { file?.appendsNewline ?? true }
        set { file?.appendsNewline = newValue }
    }

    // MARK: Acting

    /// Finishes the file after what this thread has logged before; the next message starts another one.
    ///
    /// - Parameter completionBlock: Called on the completion queue when that is done.
    open func rollLogFile(withCompletion completionBlock: (() -> Void)?) {
        // As there: the block is the caller's to share with the queue that it is called on.
        nonisolated(unsafe) let completion = completionBlock
        let queue = completionQueue
        guard let file else { return queue.async { completion?() } }
        file.rollNow { _ in
            queue.async { completion?() }
        }
    }

    /// Finishes the file after what this thread has logged before.
    @available(*, deprecated, message: "Use rollLogFile(withCompletion:)")
    open func rollLogFile() { rollLogFile(withCompletion: nil) }

    /// The file that is written, or that the first message will be written to; nil while there is neither.
    ///
    /// Waits until what was logged before is written, five seconds at most, and inside of a logger not at all. Unlike in
    /// CocoaLumberjack it creates no file.
    open var currentLogFileInfo: DDLogFileInfo? {
        guard let file else { return nil }
        dispatcher?.flush(timeout: .seconds(5))
        if let path = file.currentPath { return DDLogFileInfo(filePath: path) }
        return (try? file.logFiles().first { !$0.isArchived }).map { DDLogFileInfo($0) }
    }

    // MARK: Hooks

    /// Writes a message; called by overrides to have a message written.
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

    /// The older form; does nothing.
    open func willLogMessage() {}

    /// The older form; does nothing.
    open func didLogMessage() {}

    /// Whether the newest file of an earlier run is finished in place of going on with it; false.
    ///
    /// Asked when the logger is added.
    open func shouldArchiveRecentLogFileInfo(_ recentLogFileInfo: DDLogFileInfo) -> Bool { false }
}

extension DDFileLogger {
    /// The logger itself: messages that are there together are one write anyway.
    public func wrapWithBuffer() -> Self { self }

    /// The logger itself.
    public func unwrapFromBuffer() -> Self { self }
}
