import Heartwood

/// A file logger of CocoaLumberjack's kind, as Heartwood's dispatcher sees it: with the manager's names and
/// limits, and the hooks of subclasses.
final class FileAdapter: FileLogger, @unchecked Sendable {  // the owner and the manager guard themselves
    private let owner: Owner
    private let manager: any DDLogFileManager
    /// Whether no subclass has its say about messages.
    private let isDirect: Bool

    @Ordered var appendsNewline = true
    /// Makes the bytes; nil where texts are written as they are.
    @Ordered private var serializer: Serializer?

    /// A serializer that is not the plain one.
    private struct Serializer: @unchecked Sendable {  // it guards itself
        let value: any DDFileLogMessageSerializer

        init?(_ value: any DDFileLogMessageSerializer) {
            if type(of: value) == DDFileLogPlainTextMessageSerializer.self { return nil }
            self.value = value
        }
    }

    // MARK: Owned by the hooks
    /// Whether the record that is being written is a message's.
    private var writesMessage = false
    /// The message whose record is being written, where the serializer wants it.
    private var current: DDLogMessage?

    init(_ logger: DDFileLogger, _ manager: any DDLogFileManager, _ completionQueue: WorkQueue) throws {
        owner = Owner(logger)
        self.manager = manager
        isDirect = type(of: logger) == DDFileLogger.self
        _serializer = Ordered(wrappedValue: Serializer(manager.logMessageSerializer))
        let naming = ManagerNaming.naming(for: manager)
        var settings = FileSettings(naming: naming)
        settings.maximumFileSize = .bytes(Int(clamping: kDDDefaultLogMaxFileSize))
        settings.rollingInterval = .seconds(kDDDefaultLogRollingFrequency)
        settings.maximumMessageSize = nil
        (settings.maximumFileCount, settings.diskQuota) = (nil, nil)
        try super.init(
            directory: manager.logsDirectory, settings: settings, formatter: nil,
            name: logger.loggerName.rawValue)
        (naming as? ManagerNaming)?.onUnknownName { [weak self, type = "\(type(of: manager))"] name in
            self?.diagnostics.report(
                .setting,
                "isLogFile(withName:) of \(type) is false for \(name), which "
                    + "newLogFileName gave; files of earlier runs"
                    + " with other names are neither listed nor removed: override both methods together",
                key: type)
        }
        self.isShared = manager.shouldLockLogFile(directoryPath)
        (manager as? DDLogFileManagerDefault)?.attach(self)
        FileAdapter.live.withLock { live in
            live.removeAll { $0.object == nil }
            live.append(Weak(self))
        }
        nonisolated(unsafe) let listener = manager
        onRoll = { file in
            completionQueue.enqueue { listener.didArchiveLogFile(atPath: file.path, wasRolled: true) }
        }
        onFinishLeftover = { file in
            completionQueue.enqueue { listener.didArchiveLogFile(atPath: file.path, wasRolled: false) }
        }
    }

    private var logger: DDFileLogger? { owner.logger as? DDFileLogger }

    /// Has texts serialized in another way from now on, in order with the messages.
    func setSerializer(_ serializer: any DDFileLogMessageSerializer) {
        self.serializer = Serializer(serializer)
    }

    /// Keeps the logger until it is removed.
    func keepOwner() { owner.keep() }

    // MARK: Finding

    private static let live = Locked<[Weak<FileAdapter>]>([])

    /// Whether a file is finished: an archive, or a log that says so by its mode or has become an archive.
    static func isFinished(_ path: String) -> Bool {
        if ArchiveStage.split(path).stage != .plain { return true }
        let calls = SystemCalls()
        if let status = try? calls.status(path: path) {
            return status.kind == .regular && status.mode & 0o200 == 0
        }
        return ArchiveStage.allCases.contains { (try? calls.status(path: path + $0.rawValue)) != nil }
    }

    /// Has the logger finish a file that writes to it, if one does.
    static func finish(_ path: String) {
        for logger in loggers(of: (path as NSString).deletingLastPathComponent)
        where logger.currentPath == path {
            logger.finishFile(keepsEmpty: false)
        }
    }

    private static func loggers(of folder: String) -> [FileAdapter] {
        live.withLock { $0.compactMap(\.object) }.filter { $0.directoryPath == folder }
    }

    // MARK: Hooks

    override func log(_ message: LogMessage) {
        guard !isDirect || serializer != nil, let logger else { return write(message) }
        logger.log(message: .arriving(message))
    }

    /// Writes a message, from inside the owner's hook.
    func write(_ message: DDLogMessage) {
        current = message
        write(message.departing)
        current = nil
    }

    private func write(_ message: LogMessage) {
        writesMessage = true
        super.log(message)
        writesMessage = false
    }

    override func flush() {
        super.flush()
        if !isDirect { logger?.flush() }
    }

    override func didAdd() {
        super.didAdd()
        if manager.fileManager !== FileManager.default {
            diagnostics.report(
                .setting,
                "fileManager of \(type(of: manager)) has no effect, because files are written "
                    + "with system calls; to encrypt"
                    + " them, set archiveFormat of heartwoodFileLogger",
                key: "fileManager")
        }
        logger?.didAdd(in: queue)
    }

    override func willRemove() {
        logger?.willRemove()
        super.willRemove()
        owner.release()
    }

    // MARK: Records

    override var headerOfNewFile: String? { (manager as? DDLogFileManagerDefault)?.logFileHeader }

    override var repairsTornLines: Bool { serializer == nil && appendsNewline }

    /// Ends the record with a newline unless it has one, or the formatter does without; then has it
    /// serialized.
    override func finishRecord(in output: inout LogBuffer, from start: Int) {
        if appendsNewline || !hasFormatter || !writesMessage { super.finishRecord(in: &output, from: start) }
        guard let serializer else { return }
        let text = output.withUnsafeBytes { String(decoding: $0[start...], as: UTF8.self) }
        output.truncate(to: start)
        serializer.value.dataForString(text, originatingFrom: current).withUnsafeBytes { output.append($0) }
    }
}
