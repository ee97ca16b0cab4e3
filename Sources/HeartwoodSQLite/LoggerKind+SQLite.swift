public import Heartwood

extension LoggerKind {
    /// A logger that saves to a database, ``SQLiteLogger``; configurations know it when it has been registered.
    ///
    /// ```swift
    /// LogConfiguration.register(.sqlite)
    /// ```
    public static let sqlite = LoggerKind("sqlite") { settings in
        let path = settings.required("path", .path)
        let acceptsShared = settings.optional("acceptsSharedDirectory", .flag) ?? false
        settings.tunes(
            "synchronous", .choice(SQLiteSynchronous.allCases.map { ($0.rawValue, $0) }),
            \SQLiteLogger.synchronous)
        settings.tunes("busyTimeout", .time, \SQLiteLogger.busyTimeout)
        settings.tunes("maximumSize", .size, \SQLiteLogger.maximumSize)
        settings.tunes("privacy", .privacy, \SQLiteLogger.privacy)
        settings.tunes("saveThreshold", .integer(), \SQLiteLogger.saveThreshold)
        settings.tunes("saveInterval", .time, \SQLiteLogger.saveInterval)
        settings.tunes("maximumAge", .time, \SQLiteLogger.maximumAge)
        settings.tunes("deleteInterval", .time, \SQLiteLogger.deleteInterval)
        settings.tunes("deletesOnEverySave", .flag, \SQLiteLogger.deletesOnEverySave)
        settings.tunes("unsavedLimit", .size, \SQLiteLogger.unsavedLimit)
        return {
            try SQLiteLogger(
                path: path.value, name: settings.name, acceptsSharedDirectory: acceptsShared)
        }
    }
}
