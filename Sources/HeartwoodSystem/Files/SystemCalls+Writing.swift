import CHeartwood

extension SystemCalls {
    /// Writes all of the bytes, in as many calls as that takes: the one loop for files, pipes, sockets and
    /// terminals.
    ///
    /// - Parameters:
    ///   - bytes: What to write.
    ///   - mayRetry: Called when the descriptor accepts nothing at the moment (`EAGAIN`). Waits for it, and
    ///     returns whether to try again; by default it does not wait.
    ///   - write: Writes the start of what is left, and returns how many bytes were accepted. Its second
    ///     parameter is the number of bytes that were written before.
    /// - Returns: how many bytes were written, and what prevented the rest.
    package static func writeWhole(
        _ bytes: UnsafeRawBufferPointer, whenBlocked mayRetry: () -> Bool = { false },
        _ write: (UnsafeRawBufferPointer, Int) throws(SystemFailure) -> Int
    ) -> (written: Int, failure: SystemFailure?) {
        var written = 0
        while written < bytes.count {
            do throws(SystemFailure) {
                let count = try write(UnsafeRawBufferPointer(rebasing: bytes[written...]), written)
                guard count > 0 else { return (written, SystemFailure(.write, EIO)) }
                written += count
            } catch {
                guard error.number == EAGAIN, mayRetry() else { return (written, error) }
            }
        }
        return (written, nil)
    }

    /// Writes all of the bytes at the end of the file; never raises `SIGXFSZ`.
    package func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
        let outcome = SystemCalls.writeWhole(bytes) { rest, _ throws(SystemFailure) in
            try write(descriptor, rest, quietly: true)
        }
        if let failure = outcome.failure { throw failure }
    }
}
