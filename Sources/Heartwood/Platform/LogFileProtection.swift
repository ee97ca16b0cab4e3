#if canImport(Darwin)
import Darwin
import Foundation
#endif

/// The data protection class of a file on Apple devices: when a program can read it.
///
/// Without effect on other systems. Not tested by Heartwood's own tests, which run on Linux.
public enum LogFileProtection: Int32, Sendable, Hashable {
    /// Not while the device is locked; a logger in the background then cannot start a file, and lines wait.
    case complete = 1
    /// An open file can be written while the device is locked.
    case unlessOpen = 2
    /// From the first unlock after the device was started.
    case untilFirstUnlock = 3
    /// Always.
    case none = 4
}

extension SystemCalls {
    /// Sets the protection class of a file; what refuses it has none.
    func protect(_ descriptor: Int32, as protection: LogFileProtection) {
        #if canImport(Darwin)
        _ = fcntl(descriptor, F_SETPROTECTIONCLASS, protection.rawValue)
        #endif
    }

    /// Leaves a directory out of backups, or takes it in again.
    func setBackup(of path: String, isExcluded: Bool) {
        #if canImport(Darwin)
        var url = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = isExcluded
        try? url.setResourceValues(values)
        #endif
    }
}
