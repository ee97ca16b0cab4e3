/// How files are kept.
///
/// The product `HeartwoodArchive` adds `gzip`, which compresses finished files, and `encrypted`, which
/// encrypts files from their first line on. A program without it links neither zlib nor libcrypto.
public struct LogArchiveFormat: Hashable, Sendable {
    /// What finished files become.
    package let stage: ArchiveStage

    package init(_ stage: ArchiveStage) { self.stage = stage }

    /// As they were written.
    public static let plain = LogArchiveFormat(.plain)
}

/// Does something with every finished log file, such as uploading it; the base class keeps it.
///
/// ```swift
/// final class Uploader: LogArchiveProcessor, @unchecked Sendable {
///     override func process(_ file: LogFileInfo) throws -> Outcome {
///         try upload(file.path)
///         return .remove
///     }
/// }
/// file.archiveProcessor = Uploader()
/// ```
///
/// Called for one file after the other, the oldest first, on a background queue, when the file has been
/// compressed or encrypted as the settings say. What throws is tried again after ``retryDelay``, and in the
/// next run of the program. So no file is forgotten, but one may be processed twice if a crash comes between
/// the work and the note of it. The retention limits do not wait for it.
open class LogArchiveProcessor: @unchecked Sendable {  // open; the base class has no state
    /// What is to happen with a file that was processed.
    public enum Outcome: Hashable, Sendable {
        /// It stays, until the retention limits remove it.
        case keep
        /// It is not needed any more, and is removed.
        case remove
    }

    /// Makes a processor.
    public init() {}

    /// Processes a finished file, which is not removed meanwhile; returns what is to happen with it.
    ///
    /// - Throws: whatever prevented it; the file is processed again later.
    open func process(_ file: LogFileInfo) throws -> Outcome { .keep }

    /// How long to wait after a failure, of compressing as well; a minute.
    open var retryDelay: Duration { .seconds(60) }
}
