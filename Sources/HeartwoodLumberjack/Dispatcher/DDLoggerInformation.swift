/// A logger with its current level.
open class DDLoggerInformation: NSObject, @unchecked Sendable {  // constants
    /// The logger.
    open var logger: any DDLogger { information.logger }
    /// The level of the logger.
    open var level: DDLogLevel { information.level }

    private let information: (logger: any DDLogger, level: DDLogLevel)

    /// Makes the information about a logger.
    public init(logger: any DDLogger, andLevel level: DDLogLevel) {
        information = (logger, level)
    }
}
