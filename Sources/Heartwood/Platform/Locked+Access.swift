extension Locked {
    /// Calls `body` with the value while no other thread has it.
    ///
    /// Never run user code in `body`. Here and not in HeartwoodSystem, so that it is inlined in the core: a
    /// generic call of another module would cost more than the lock.
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let value = lock()
        defer { unlock() }
        return try body(&value.pointee)
    }
}
