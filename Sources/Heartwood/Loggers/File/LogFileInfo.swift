#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A log file, as it was when the list was made.
public struct LogFileInfo: Hashable, Sendable {
    /// The name in its directory.
    public let name: String
    /// The directory and the name.
    public let path: String
    /// When the file was created, as its name says; nil where names have no date.
    public let createdAt: LogTimestamp?
    /// Which file of those created at the same time it is, from 1.
    public let number: Int
    /// When it was last written.
    public let modified: LogTimestamp
    /// The bytes that it takes.
    public let size: ByteCount
    /// Whether it is the file that is written at the moment.
    public let isActive: Bool
    /// Whether it is compressed.
    public let isCompressed: Bool
    /// Whether it is encrypted.
    public let isEncrypted: Bool

    /// Whether it is finished: nothing will ever be added to it.
    public let isArchived: Bool

    /// The file's place.
    public var url: URL { URL(fileURLWithPath: path) }

    /// When a file was created, as the file system knows it; nil where it does not, or where there is no such
    /// file.
    ///
    /// Foundation's creation date is that of the last change on Linux. Opens the file for a moment, on the
    /// caller's thread.
    ///
    /// - Parameter path: The path of the file, of any kind; a link is followed.
    /// - Returns: the time.
    public static func creationTime(ofFileAt path: String) -> LogTimestamp? {
        let calls = SystemCalls()
        guard let descriptor = try? calls.openForReading(path) else { return nil }
        defer { calls.close(descriptor) }
        return calls.birth(descriptor)
    }

    /// Describes an entry of a directory by its name alone.
    init(_ entry: FileInventory.Entry, _ directory: LogDirectory) {
        self.init(
            entry, directory, active: nil, isFinished: false, isEncrypted: entry.stage == .encrypted)
    }

    /// Describes an entry of a directory; looks into a file whose name does not say whether it is encrypted.
    init(_ entry: FileInventory.Entry, _ directory: LogDirectory, active: String?, isFinished: Bool) {
        let isEncrypted =
            entry.stage == .encrypted || (entry.stage == .plain && directory.isFramed(entry.name))
        self.init(entry, directory, active: active, isFinished: isFinished, isEncrypted: isEncrypted)
    }

    private init(
        _ entry: FileInventory.Entry, _ directory: LogDirectory, active: String?, isFinished: Bool,
        isEncrypted: Bool
    ) {
        name = entry.name
        path = directory.path + "/" + entry.name
        createdAt = entry.label.createdAt
        number = entry.label.number
        modified = entry.modified
        size = ByteCount(entry.size)
        isActive = entry.name == active
        isCompressed = entry.stage != .plain
        self.isEncrypted = isEncrypted
        isArchived =
            entry.stage != .plain || (isFinished && entry.name != active)
    }
}
