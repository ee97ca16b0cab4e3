/// When written lines are put on the disk itself, so that they survive a power cut.
///
/// Whatever the policy, lines that were handed to the kernel survive the death of the process.
public enum LogSyncPolicy: Hashable, Sendable {
    /// When the operating system likes to.
    case never
    /// After each batch.
    case everyBatch
    /// After batches that hold a message of one of these levels.
    case levels(LogLevelMask)
    /// When lines have waited for so long.
    case interval(Duration)
}
