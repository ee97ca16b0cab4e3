import Heartwood

/// A console logger of CocoaLumberjack's kind, as Heartwood's dispatcher sees it.
final class ConsoleAdapter: ConsoleLogger, @unchecked Sendable {  // the owner guards itself
    private let owner: Owner
    /// Whether no subclass has its say about messages.
    private let isDirect: Bool

    init(_ logger: DDAbstractLogger, formatter: LogFormatter?) {
        owner = Owner(logger)
        isDirect = logger.isPlainConsole
        super.init(.standardError, name: logger.loggerName.rawValue, formatter: formatter)
    }

    /// Makes one more with the same settings, which keeps the logger.
    convenience init(like other: ConsoleLogger, of logger: DDAbstractLogger) {
        let formatter = other.formatter
        self.init(logger, formatter: (formatter as? FormatterAdapter)?.silent ?? formatter)
        (self.palette, self.colorDepth, self.escaping) = (other.palette, other.colorDepth, other.escaping)
        owner.keep()
    }

    /// Keeps the logger until it is removed.
    func keepOwner() { owner.keep() }

    private var logger: (any DDLogger)? { isDirect ? nil : owner.logger }

    override func log(_ message: LogMessage) {
        guard let logger else { return super.log(message) }
        logger.log(message: .arriving(message))
    }

    /// Writes a message, from inside the owner's hook.
    func write(_ message: DDLogMessage) { super.log(message.departing) }

    override func flush() {
        super.flush()
        logger?.flush()
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
}
