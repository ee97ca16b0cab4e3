extension LoggerKind {
    /// The kind of a ``MemoryLogger``: `"memory"`.
    public static let memory = LoggerKind("memory") { settings in
        settings.bind("maximumCount", .integer(), to: \MemoryLogger.maximumCount)
        settings.bind("maximumSize", .size, to: \MemoryLogger.maximumSize)
        return { MemoryLogger(name: settings.name) }
    }
}
