import Heartwood

/// A logger of CocoaLumberjack's kind, as Heartwood's dispatcher sees it.
final class LoggerAdapter: AbstractLogger, @unchecked Sendable {  // the owner guards itself
    private let owner: Owner

    /// Stands for a logger that has no backing, and keeps it.
    convenience init(keeping logger: any DDLogger) {
        self.init(logger)
        owner.keep()
    }

    /// Stands for a logger that keeps this backing.
    init(_ logger: any DDLogger) {
        owner = Owner(logger)
        let queue = logger.loggerQueue
        super.init(name: logger.loggerName.rawValue, queue: queue === unspecifiedQueue ? nil : queue)
    }

    /// Keeps the logger until it is removed.
    func keepOwner() { owner.keep() }

    override func log(_ message: LogMessage) { owner.logger?.log(message: .arriving(message)) }
    override func flush() { owner.logger?.flush() }
    override func didAdd() { owner.logger?.didAdd(in: queue) }

    override func willRemove() {
        owner.logger?.willRemove()
        owner.release()
    }
}
