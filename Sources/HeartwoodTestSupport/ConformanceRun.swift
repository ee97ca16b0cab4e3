import Heartwood

/// A logger under check, with a dispatcher of its own.
struct ConformanceRun<Logger: AbstractLogger> {
    let logger: Logger
    let dispatcher = LogDispatcher()
    let timeout: Duration
    private let probe: ConformanceProbe?
    private let texts: (@Sendable (Logger) throws -> [String])?

    init(
        _ logger: Logger, _ timeout: Duration, _ texts: (@Sendable (Logger) throws -> [String])?
    ) {
        (self.logger, self.timeout, self.texts) = (logger, timeout, texts)
        probe = texts == nil ? ConformanceProbe() : nil
        if let probe { logger.formatter = probe }
        dispatcher.synchronousLevels = .off
        // Callers wait, so that nothing may be missing.
        dispatcher.overflowPolicy = .block(upTo: timeout)
        logger.overflowPolicy = .block(upTo: timeout)
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(logger, levels: .all)
    }

    /// Whether arrivals are seen by the formatter that the check has set.
    var usesProbe: Bool { probe != nil }

    /// How many messages the logger accounts for.
    var handled: Int {
        let figures = logger.statistics
        return figures.delivered + figures.filtered + figures.dropped + figures.failed
    }

    /// The texts that have arrived.
    func arrived() throws -> [String] { try texts?(logger) ?? probe?.texts ?? [] }

    /// Flushes; fails where that is not complete in time.
    func flush(_ part: String) throws {
        let result = dispatcher.flush(timeout: timeout)
        guard result.isComplete else {
            throw LoggerConformance.Failure(
                part: part, reason: "a flush was not complete after \(timeout): \(result.unfinished)")
        }
    }

    /// Fails unless something holds.
    func expect(_ part: String, _ condition: Bool, _ reason: () -> String) throws {
        if !condition { throw LoggerConformance.Failure(part: part, reason: reason()) }
    }

    /// Removes the logger.
    func end() { dispatcher.removeAll(timeout: timeout) }
}
