import Heartwood

/// For modules that store records of their own, which the logger then sends like messages.
extension HTTPLogger {
    /// Calls `work` with the store, alone, between two hooks and in order with the settings that this thread
    /// has made; then what is stored is saved and sent if it is time.
    ///
    /// Any thread; never waits. The records are entries in ``EntryCoder``'s form.
    ///
    /// - Parameter work: Stores records and returns how many, and what is to be done once ``httpStatistics``
    ///   has them.
    package func store(_ work: @escaping @Sendable (any UnsentStore) -> (count: Int, then: () -> Void)) {
        performInOrder { [runtime] in
            runtime.shell.append(work)
            runtime.stored()
        }
    }

    /// Saves what is in memory only; false when it was not done in time, and at once inside of a hook.
    package func save(timeout: Duration) -> Bool {
        let isSaved = Locked(false)
        performInOrder { [runtime] in
            runtime.save()
            isSaved.withLock { $0 = runtime.shell.store.unsavedCount == 0 }
        }
        return waitUntilIdle(timeout: timeout) && isSaved.withLock { $0 }
    }
}
