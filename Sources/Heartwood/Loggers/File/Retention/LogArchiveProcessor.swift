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

/// Does something with every finished log file, such as uploading it.
///
/// ```swift
/// file.archiveProcessor = LogArchiveProcessor { finished in
///     try upload(finished.path)
///     return .remove
/// }
/// ```
///
/// Called for one file after the other, the oldest first, on a background queue, when the file has been
/// compressed or encrypted as the settings say. What throws is tried again after ``retryDelay``, and in the
/// next run of the program. So no file is forgotten, but one may be processed twice: if a crash comes between
/// the work and the note of it, and a file that is kept once in each run where the file system has no
/// extended attributes. The retention limits do not wait for it.
open class LogArchiveProcessor: @unchecked Sendable {  // open; the base class has constants only
    /// What is to happen with a file that was processed.
    public enum Outcome: Hashable, Sendable {
        /// It stays, until the retention limits remove it.
        case keep
        /// It is not needed any more, and is removed.
        case remove
    }

    // Set by initializers only.
    private final var delay = Duration.seconds(60)
    private final var closure: (@Sendable (LogFileInfo) throws -> Outcome)?

    /// Makes the base of a subclass; without one, a processor that keeps the files.
    public init() {}

    /// Makes a processor from a closure.
    ///
    /// - Parameters:
    ///   - retryDelay: See ``retryDelay-swift.property``; a minute unless given.
    ///   - process: See ``process(_:)``.
    public convenience init(
        retryDelay: Duration = .seconds(60),
        _ process: @escaping @Sendable (_ file: LogFileInfo) throws -> Outcome
    ) {
        self.init()
        (delay, closure) = (retryDelay, process)
    }

    /// Processes a finished file, which is not removed meanwhile; returns what is to happen with it.
    ///
    /// - Throws: whatever prevented it; the file is processed again later.
    open func process(_ file: LogFileInfo) throws -> Outcome { try closure?(file) ?? .keep }

    /// How long to wait after a failure, of compressing as well; a minute unless given.
    open var retryDelay: Duration { delay }
}
