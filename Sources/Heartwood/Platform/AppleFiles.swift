#if canImport(Darwin)
import Darwin
import Foundation
#endif

/// When a device of Apple's lets a program read a file: iOS's data protection classes.
///
/// Without effect on other systems. Not tested by Heartwood's own tests, which run on Linux.
public enum LogFileProtection: Int32, Sendable, Hashable {
    /// Never while the device is locked; a logger in the background then cannot begin a file, and lines wait.
    case complete = 1
    /// A file that is open may be written while the device is locked.
    case unlessOpen = 2
    /// From the first time that the device is unlocked after it was started.
    case untilFirstUnlock = 3
    /// Always.
    case none = 4
}

extension SystemCalls {
    /// Sets the protection class of a file; what refuses it has none.
    package func protect(_ descriptor: Int32, as protection: LogFileProtection) {
        #if canImport(Darwin)
        _ = fcntl(descriptor, F_SETPROTECTIONCLASS, protection.rawValue)
        #endif
    }

    /// Leaves a directory out of backups, or takes it in again.
    package func setBackup(of path: String, isExcluded: Bool) {
        #if canImport(Darwin)
        var url = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = isExcluded
        try? url.setResourceValues(values)
        #endif
    }
}
