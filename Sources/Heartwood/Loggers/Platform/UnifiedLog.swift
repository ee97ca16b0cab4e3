#if canImport(os)
import Foundation
import os
#endif

/// The unified log of Apple's systems, with a subsystem, and the messages' categories as its own.
///
/// Not tested by Heartwood's own tests, which run on Linux, where it does not exist. Owned by a logger's
/// hooks.
final class UnifiedLog {
    #if canImport(os)
    private let subsystem: String
    private var loggers: [String: os.Logger] = [:]

    /// Opens the log; the program's bundle names the subsystem unless given.
    init?(subsystem: String?) {
        self.subsystem = subsystem ?? Bundle.main.bundleIdentifier ?? ProcessFacts.name
    }

    /// Writes a text from which what is private has been taken already: the system shows it to everybody.
    func write(_ text: String, level: LogLevel, category: String) {
        let logger: os.Logger
        if let known = loggers[category] {
            logger = known
        } else {
            logger = os.Logger(subsystem: subsystem, category: category)
            loggers[category] = logger
        }
        logger.log(level: UnifiedLog.type(of: level), "\(text, privacy: .public)")
    }

    private static func type(of level: LogLevel) -> OSLogType {
        switch level.severity {
        case .fatal: .fault
        case .error: .error
        case .warning, .notice: .default
        case .info: .info
        default: .debug
        }
    }
    #else
    /// There is none here.
    init?(subsystem: String?) { return nil }

    func write(_ text: String, level: LogLevel, category: String) {}
    #endif
}
