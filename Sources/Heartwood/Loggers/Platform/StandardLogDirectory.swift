import CHeartwood

/// The directory of logs where a program names none.
enum StandardLogDirectory {
    /// The directory for an application: what the environment says, or the platform's usual place.
    ///
    /// - Throws: ``LogError`` of code `setting` where the user has no home directory.
    static func path(
        application: String, environment: [String: String] = ProcessEnvironment.all, user: UInt32 = geteuid()
    ) throws -> String {
        // systemd's LogsDirectory= gives a list of whole paths.
        if let list = environment["LOGS_DIRECTORY"],
            let first = list.split(separator: ":").first(where: { $0.hasPrefix("/") })
        {
            return String(first)
        }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return "\(state)/\(application)/log"
        }
        #if os(macOS)
        return try HomeDirectory.expand("~/Library/Logs/\(application)")
        #elseif canImport(Darwin)
        // An app may write there on tvOS, too. CocoaLumberjack uses the directory above it.
        return try HomeDirectory.expand("~/Library/Caches/Logs/\(application)")
        #else
        if user == 0 { return "/var/log/\(application)" }
        return try HomeDirectory.expand("~/.local/state/\(application)/log")
        #endif
    }
}
