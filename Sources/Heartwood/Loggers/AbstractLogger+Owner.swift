extension AbstractLogger {
    /// Whether the calling thread may use what the logger's hooks own: it runs them, or the logger belongs to
    /// no dispatcher, as in a test of its hooks.
    ///
    /// Entrances to such state assert it, in debug builds.
    package final var isOwnedHere: Bool { isInHook || node.dispatcher == nil }

    /// Whether the caller runs inside a hook of any logger, where nothing waits.
    package static var isInAnyHook: Bool { ThreadState.current.isInHook }
}
