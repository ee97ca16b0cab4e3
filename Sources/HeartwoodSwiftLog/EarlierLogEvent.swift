#if SwiftLog
import Logging

/// The place of `LogEvent` with swift-log before version 1.11, which has no such type; none is ever made.
public struct EarlierLogEvent: Sendable {
    let level: Logger.Level
    let message: Logger.Message
    let metadata: Logger.Metadata?
    let source: String
    let file: String
    let function: String
    let line: UInt
}
#endif
