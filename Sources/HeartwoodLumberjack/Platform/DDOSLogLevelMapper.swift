#if canImport(os)
public import os

/// Maps flags to types of the unified log.
public protocol DDOSLogLevelMapper: AnyObject, Sendable {
    /// Returns the type of a flag.
    func osLogType(for logFlag: DDLogFlag) -> OSLogType
}
#endif
