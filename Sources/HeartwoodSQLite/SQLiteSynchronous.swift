/// What a save waits for; SQLite's `PRAGMA synchronous`.
///
/// In each case, a completed save survives the end of the process, including `kill -9`.
public enum SQLiteSynchronous: String, Hashable, Sendable, CaseIterable {
    /// The kernel; a power failure can lose recent saves and damage the database.
    case off
    /// The kernel; a power failure can lose recent saves, but does not damage the database.
    ///
    /// This is the default.
    case normal
    /// The disk; a save survives a power failure, but takes as long as the disk needs.
    case full

    var word: String { rawValue.uppercased() }
}
