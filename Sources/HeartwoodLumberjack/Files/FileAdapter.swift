import Heartwood

/// A file logger of CocoaLumberjack's kind, as Heartwood's dispatcher sees it: with the manager's names and limits, and
/// the hooks of subclasses.
final class FileAdapter: FileLogger, @unchecked Sendable {  // the owner and the manager guard themselves
    private let owner: Owner
    private let manager: any DDLogFileManager
    /// Nil where texts are written as they are.
    private let serializer: (any DDFileLogMessageSerializer)?
    /// Whether no subclass has its say about messages.
    private let isDirect: Bool

    @Ordered var appendsNewline = true

    // MARK: Owned by the hooks
    /// Whether the record that is being written is a message's.
    private var writesMessage = false
    /// The message whose record is being written, where the serializer wants it.
    private var current: DDLogMessage?

    init(_ logger: DDFileLogger, _ manager: any DDLogFileManager, _ completionQueue: DispatchQueue) throws {
        owner = Owner(logger)
        self.manager = manager
        isDirect = type(of: logger) == DDFileLogger.self
        let serializer = manager.logMessageSerializer
        self.serializer = type(of: serializer) == DDFileLogPlainTextMessageSerializer.self ? nil : serializer
        try super.init(
            directory: manager.logsDirectory, naming: ManagerNaming.naming(for: manager), formatter: nil,
            name: logger.loggerName.rawValue)
        maximumFileSize = .bytes(Int(clamping: kDDDefaultLogMaxFileSize))
        rollingInterval = .seconds(kDDDefaultLogRollingFrequency)
        maximumMessageSize = .zero
        isShared = manager.shouldLockLogFile(directoryPath)
        if let manager = manager as? DDLogFileManagerDefault {
            manager.attach(self)
        } else {
            (maximumFileCount, diskQuota) = (0, .zero)
        }
        nonisolated(unsafe) let listener = manager
        didRoll = { file in
            completionQueue.async { listener.didArchiveLogFile(atPath: file.path, wasRolled: true) }
        }
        didFinishLeftover = { file in
            completionQueue.async { listener.didArchiveLogFile(atPath: file.path, wasRolled: false) }
        }
    }

    private var logger: DDFileLogger? { owner.logger as? DDFileLogger }

    /// Keeps the logger until it is removed.
    func keepOwner() { owner.keep() }

    // MARK: Hooks

    override func log(_ message: LogMessage) {
        guard !isDirect || serializer != nil, let logger else { return write(message) }
        logger.log(message: .arriving(message))
    }

    /// Writes a message, from inside the owner's hook.
    func write(_ message: DDLogMessage) {
        current = message
        write(message.heartwoodMessage)
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

    /// Ends the record with a newline unless it has one, or the formatter does without; then has it serialized.
    override func finishRecord(in output: inout LogBuffer, from start: Int) {
        if appendsNewline || !hasFormatter || !writesMessage { super.finishRecord(in: &output, from: start) }
        guard let serializer else { return }
        let text = output.withUnsafeBytes { String(decoding: $0[start...], as: UTF8.self) }
        output.truncate(to: start)
        serializer.dataForString(text, originatingFrom: current).withUnsafeBytes { output.append($0) }
    }
}
