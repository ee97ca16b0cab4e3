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

    /// Writes an array as the other method writes a buffer.
    package func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemFailure) {
        // What `withUnsafeBytes` rethrows has no type.
        let result = bytes.withUnsafeBytes { bytes -> Result<Void, SystemFailure> in
            do throws(SystemFailure) { return .success(try writeAll(descriptor, bytes)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Cuts a file of this size after its last newline, so that the next line begins at the beginning of one.
    ///
    /// What follows was left by a crash; zero bytes, by a power cut. Returns the size now; nil, with the file
    /// as it is, where there is no newline in the last `reach` bytes.
    package func cutTornLine(_ file: Int32, size: Int, reach: Int) throws(SystemFailure) -> Int? {
        var end = size
        var block = [UInt8](repeating: 0, count: 4096)
        while end > 0, size - end < reach {
            let start = max(0, end - block.count)
            let count = try fill(&block, end - start, from: file, at: start)
            if let newline = block[..<count].lastIndex(of: UInt8(ascii: "\n")) {
                end = start + newline + 1
                if end < size { try truncate(file, to: end) }
                return end
            }
            end = start
        }
        guard end == 0 else { return nil }
        if size > 0 { try truncate(file, to: 0) }
        return 0
    }
}
