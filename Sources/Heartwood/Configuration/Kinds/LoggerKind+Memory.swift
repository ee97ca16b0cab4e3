extension LoggerKind {
    /// A ``MemoryLogger``.
    public static let memory = LoggerKind("memory") { settings in
        settings.tunes("maximumCount", .integer(), \MemoryLogger.maximumCount)
        settings.tunes("maximumSize", .size, \MemoryLogger.maximumSize)
        return { MemoryLogger(name: settings.name) }
    }
}
