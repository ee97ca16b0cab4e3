/// A logger with its current level.
public final class DDLoggerInformation: NSObject, @unchecked Sendable {  // constants
    /// The logger.
    public let logger: any DDLogger
    /// The level of the logger.
    public let level: DDLogLevel

    /// Makes the information about a logger.
    public init(logger: any DDLogger, andLevel level: DDLogLevel) {
        (self.logger, self.level) = (logger, level)
    }
}
