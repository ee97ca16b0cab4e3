#if canImport(os)
public import os

/// Maps flags to types of the unified log.
public protocol DDOSLogLevelMapper: AnyObject, Sendable {
    /// Returns the type of a flag.
    func osLogType(for logFlag: DDLogFlag) -> OSLogType
}
#endif

#if canImport(os)
public import os

/// Maps errors and warnings to errors, information to information, and the rest to debug.
open class DDOSLogLevelMapperDefault: NSObject, DDOSLogLevelMapper, @unchecked Sendable {  // no state
    /// Makes a mapper.
    public override init() {}

    /// Returns the type of a flag.
    open func osLogType(for logFlag: DDLogFlag) -> OSLogType {
        switch logFlag {
        case .error, .warning: .error
        case .info: .info
        case .debug, .verbose: .debug
        default: .default
        }
    }
}
#endif
