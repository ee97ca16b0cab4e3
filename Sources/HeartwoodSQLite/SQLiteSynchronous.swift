/// What a save waits for; SQLite's `PRAGMA synchronous`.
///
/// In each case a save that has been made survives the death of the process, `kill -9` included, and no case damages the
/// database by itself.
public enum SQLiteSynchronous: String, Hashable, Sendable, CaseIterable {
    /// The kernel; a power cut may take recent saves, and may damage the database.
    case off
    /// The kernel; a power cut may take recent saves, and leaves the database whole. The default.
    case normal
    /// The disk: a save survives a power cut, and takes as long as the disk does.
    case full

    var word: String { rawValue.uppercased() }
}
