// The members of the shared dispatcher, as members of the type.
extension DDLog {
    /// A serial queue for your code.
    ///
    /// No logger runs on it, and nothing is logged through it: it orders nothing between messages. Settings
    /// of loggers are ordered with the messages by themselves.
    public static let loggingQueue = DispatchQueue(label: "cocoa.lumberjack")

    /// Adds a logger, which gets all messages from now on.
    public class func add(_ logger: any DDLogger) { sharedInstance.add(logger) }

    /// Adds a logger, which gets the messages of these levels from now on.
    public class func add(_ logger: any DDLogger, with level: DDLogLevel) {
        sharedInstance.add(logger, with: level)
    }

    /// Removes a logger after it has handled all earlier messages.
    public class func remove(_ logger: any DDLogger) { sharedInstance.remove(logger) }

    /// Removes all loggers, including those that were added to Heartwood's dispatcher.
    public class func removeAllLoggers() { sharedInstance.removeAllLoggers() }

    /// The loggers, in the order in which they were added.
    public class var allLoggers: [any DDLogger] { sharedInstance.allLoggers }

    /// The loggers with their levels, in the order in which they were added.
    public class var allLoggersWithLevel: [DDLoggerInformation] { sharedInstance.allLoggersWithLevel }

    /// Logs an existing message.
    public class func log(asynchronous: Bool, message: DDLogMessage) {
        sharedInstance.log(asynchronous: asynchronous, message: message)
    }

    /// Logs a message that is made of a format and a list of values, to the shared dispatcher.
    ///
    /// `String(format:)` puts the text together on the caller's thread.
    ///
    /// - Parameters:
    ///   - asynchronous: `false` waits until all loggers have handled the message.
    ///   - level: The flags that the call site logs. It does not filter this message.
    ///   - flag: The severity.
    ///   - context: A number that formatters and filters can use.
    ///   - file: The path of the source file, as a C string.
    ///   - function: The function, as a C string; nil if it is not known.
    ///   - line: The line, from 1.
    ///   - tag: Any value, which loggers and formatters get as ``DDLogMessage/representedObject``.
    ///   - format: A format of `String(format:)`. It must not come from outside the program.
    ///   - arguments: The values of the format.
    public class func log(
        asynchronous: Bool, level: DDLogLevel, flag: DDLogFlag, context: Int, file: UnsafePointer<CChar>,
        function: UnsafePointer<CChar>?, line: UInt, tag: Any?, format: String, arguments: CVaListPointer
    ) {
        sharedInstance.log(
            asynchronous: asynchronous, level: level, flag: flag, context: context, file: file,
            function: function,
            line: line, tag: tag, format: format, arguments: arguments)
    }

    /// Waits until all loggers have handled and written all earlier messages, up to ten seconds.
    public class func flushLog() { sharedInstance.flushLog() }
}
