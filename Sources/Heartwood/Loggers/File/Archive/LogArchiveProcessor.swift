/// Does something with every finished log file: uploads it, say.
///
/// The base class keeps it.
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
/// next run of the program; so a file is never forgotten, but may be processed twice, when a crash comes
/// between the work and the note of it. The retention limits do not wait for it.
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

    /// Processes a finished file.
    ///
    /// - Parameter file: The file; it is not removed meanwhile.
    /// - Returns: what is to happen with it.
    /// - Throws: whatever prevented it; the file is processed again later.
    open func process(_ file: LogFileInfo) throws -> Outcome { .keep }

    /// How long to wait after a failure; a minute.
    ///
    /// It holds for compressing as well.
    open var retryDelay: Duration { .seconds(60) }
}
