import Heartwood
public import HeartwoodConfiguration

extension LoggerKind {
    /// A logger that saves messages in a database: an `SQLiteLogger`.
    ///
    /// Register it before you load a configuration that uses it:
    ///
    /// ```swift
    /// LogConfiguration.register(.sqlite)
    /// ```
    public static let sqlite = LoggerKind("sqlite") { settings in
        let path = settings.required("path", .path)
        let acceptsShared = settings.optional(
            "acceptsSharedDirectory", .bool, standard: LogDirectoryPolicy().acceptsShared)
        let own = SQLiteSettings()
        settings.bind(
            "synchronous", .choice(SQLiteSynchronous.allCases.map { ($0.rawValue, $0) }),
            to: \SQLiteLogger.synchronous, standard: own.synchronous)
        settings.bind(
            "busyTimeout", .time, to: \SQLiteLogger.busyTimeout, standard: own.busyTimeout)
        settings.bind(
            "maximumSize", .limit(.size), to: \SQLiteLogger.maximumSize, standard: own.maximumSize)
        settings.bind("privacy", .privacy, to: \SQLiteLogger.privacy, standard: own.privacy)
        let bind = settings.members(of: SQLiteLogger.self, standard: DatabaseSettings())
        bind("saveThreshold", .limit(.integer()), \.saveThreshold)
        bind("saveInterval", .limit(.time), \.saveInterval)
        bind("maximumAge", .limit(.time), \.maximumAge)
        bind("deleteInterval", .limit(.time), \.deleteInterval)
        bind("deletesOnEverySave", .bool, \.deletesOnEverySave)
        bind("unsavedLimit", .limit(.size), \.unsavedLimit)
        return {
            try SQLiteLogger(
                path: path.value, name: settings.name,
                policy: LogDirectoryPolicy(acceptsShared: acceptsShared))
        }
    }
}
