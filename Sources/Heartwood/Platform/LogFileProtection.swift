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

extension LogDirectory {
    /// Gives a new file its protection class, and leaves it out of backups unless it belongs there.
    ///
    /// The directory is not touched: it may be the program's, with other files. What refuses it has none.
    func protect(_ file: Descriptor, _ name: String, as protection: LogFileProtection, isInBackup: Bool) {
        #if canImport(Darwin)
        _ = fcntl(file.number, F_SETPROTECTIONCLASS, protection.rawValue)
        if !isInBackup { excludeFromBackup(name) }
        #endif
    }

    /// Gives an archive what its log has.
    func protect(_ archive: Descriptor, _ archiveName: String, like log: Descriptor, _ name: String) {
        #if canImport(Darwin)
        let protection = fcntl(log.number, F_GETPROTECTIONCLASS)
        if protection > 0 { _ = fcntl(archive.number, F_SETPROTECTIONCLASS, protection) }
        let url = URL(fileURLWithPath: path + "/" + name)
        let values = try? url.resourceValues(forKeys: [.isExcludedFromBackupKey])
        if values?.isExcludedFromBackup == true { excludeFromBackup(archiveName) }
        #endif
    }

    #if canImport(Darwin)
    private func excludeFromBackup(_ name: String) {
        var url = URL(fileURLWithPath: path + "/" + name)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
    }
    #endif
}
