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

    /// When a file was created, as the file system knows it; nil where it does not, or without such a file.
    ///
    /// Foundation's creation date is that of the last change on Linux. Opens the file, of any kind, for a
    /// moment, on the caller's thread; a link is followed.
    package static func creationTime(ofFileAt path: String) -> LogTimestamp? {
        let calls = SystemCalls()
        guard let descriptor = try? calls.openForReading(path) else { return nil }
        defer { calls.close(descriptor) }
        return calls.birth(descriptor)
    }
}
