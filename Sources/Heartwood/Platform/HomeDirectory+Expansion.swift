extension HomeDirectory {
    /// Replaces `~` or `~/` at the start of a path, as a shell does.
    ///
    /// - Throws: ``LogError`` of code `setting` for the home of another user (`~name`), and where there is no
    ///   home.
    static func expand(_ path: String) throws(LogError) -> String {
        guard path.hasPrefix("~") else { return path }
        guard path == "~" || path.hasPrefix("~/") else {
            throw LogError(
                .setting,
                "Cannot expand another user's home directory; use an absolute path",
                place: path)
        }
        guard let home = HomeDirectory.path else {
            throw LogError(
                .setting, "Cannot expand “~”: the user has no home directory; use an absolute path",
                place: path)
        }
        return home + path.dropFirst()
    }
}
