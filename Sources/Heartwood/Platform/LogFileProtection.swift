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

extension Directory {
    /// Gives a new file its protection class, and leaves it out of backups unless it belongs there.
    ///
    /// The directory is not touched: it may be the program's, with other files. A volume without classes is
    /// used as it is.
    ///
    /// - Throws: what keeps the file from its class, as `.complete` does while the device is locked; it is
    ///   removed then.
    func protect(
        _ file: Descriptor, _ name: String, as protection: LogFileProtection, isExcludedFromBackup: Bool
    ) throws(SystemFailure) {
        #if canImport(Darwin)
        try setProtection(of: file, name, to: protection.rawValue)
        if isExcludedFromBackup { excludeFromBackup(name) }
        #endif
    }

    /// Gives an archive the protection class of its log, and leaves it out of backups if the log is.
    ///
    /// - Throws: what keeps the archive from its class; it is removed then.
    func protect(
        _ archive: Descriptor, _ archiveName: String, like log: Descriptor, _ name: String
    ) throws(SystemFailure) {
        #if canImport(Darwin)
        let protection = fcntl(log.number, F_GETPROTECTIONCLASS)
        if protection > 0 { try setProtection(of: archive, archiveName, to: protection) }
        let values = try? URL(fileURLWithPath: path + "/" + name).resourceValues(
            forKeys: [.isExcludedFromBackupKey])
        if values?.isExcludedFromBackup == true { excludeFromBackup(archiveName) }
        #endif
    }

    #if canImport(Darwin)
    private func setProtection(
        of file: Descriptor, _ name: String, to protection: Int32
    ) throws(SystemFailure) {
        guard fcntl(file.number, F_SETPROTECTIONCLASS, protection) != 0, [EPERM, EACCES].contains(errno)
        else { return }
        _ = try? remove(name)
        throw SystemFailure(.open, EPERM)
    }

    private func excludeFromBackup(_ name: String) {
        var url = URL(fileURLWithPath: path + "/" + name)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
    }
    #endif
}
