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
        let acceptsShared = settings.optional("acceptsSharedDirectory", .bool) ?? false
        settings.bind(
            "synchronous", .choice(SQLiteSynchronous.allCases.map { ($0.rawValue, $0) }),
            to: \SQLiteLogger.synchronous)
        settings.bind("busyTimeout", .time, to: \SQLiteLogger.busyTimeout)
        settings.bind("maximumSize", .size, to: \SQLiteLogger.maximumSize)
        settings.bind("privacy", .privacy, to: \SQLiteLogger.privacy)
        settings.bind("saveThreshold", .integer(), to: \SQLiteLogger.saveThreshold)
        settings.bind("saveInterval", .time, to: \SQLiteLogger.saveInterval)
        settings.bind("maximumAge", .time, to: \SQLiteLogger.maximumAge)
        settings.bind("deleteInterval", .time, to: \SQLiteLogger.deleteInterval)
        settings.bind("deletesOnEverySave", .bool, to: \SQLiteLogger.deletesOnEverySave)
        settings.bind("unsavedLimit", .size, to: \SQLiteLogger.unsavedLimit)
        return {
            try SQLiteLogger(
                path: path.value, name: settings.name, acceptsSharedDirectory: acceptsShared)
        }
    }
}
