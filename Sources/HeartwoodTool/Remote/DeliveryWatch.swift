import Heartwood
import HeartwoodHTTP

/// Watches whether a server goes on taking messages.
struct DeliveryWatch {
    let logger: HTTPLogger
    private var taken = 0
    private var lastProgress = SystemClock().uptime()

    init(_ logger: HTTPLogger) { self.logger = logger }

    /// Whether the server has taken something in the last `patience`, or nothing waits for it.
    mutating func isAlive(patience: Duration) -> Bool {
        let figures = logger.httpStatistics
        let now = SystemClock().uptime()
        if figures.acknowledged != taken || figures.pending == 0 {
            taken = figures.acknowledged
            lastProgress = now
        }
        return now - lastProgress < patience
    }

    /// Waits until the server has everything, as long as it takes something within `patience` now and then.
    ///
    /// - Returns: whether it has.
    mutating func deliver(patience: () -> Duration) -> Bool {
        lastProgress = SystemClock().uptime()
        while !logger.deliver(timeout: .seconds(1)) {
            if !isAlive(patience: patience()) { return false }
        }
        return true
    }
}
