/// A logger with the level that it was added with, or has now.
public final class DDLoggerInformation: NSObject, @unchecked Sendable {  // constants
    /// The logger.
    public let logger: any DDLogger
    /// Its level.
    public let level: DDLogLevel

    /// Describes a logger.
    public init(logger: any DDLogger, andLevel level: DDLogLevel) {
        (self.logger, self.level) = (logger, level)
    }
}
