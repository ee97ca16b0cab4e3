/// What the engine has done since it was made.
struct FileCounters: Sendable, Hashable {
    /// Records that are in a file.
    package var written = 0
    package var bytes = 0
    /// Records that were given up.
    package var dropped = 0
    /// Records that wait for a file that takes them.
    package var waiting = 0
    /// Files that were finished.
    package var rolls = 0
    /// Calls of the kernel that failed.
    package var failures = 0
    /// Records of the engine's own about dropped ones; not in `written`.
    var announcements = 0
}
