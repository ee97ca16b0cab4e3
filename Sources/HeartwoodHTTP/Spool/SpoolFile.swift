import CHeartwood

/// Whole reads and writes of an open file; interrupted calls are repeated, a failure is an `errno`.
package enum SpoolFile {
    /// The faults that a test injects; nil outside of tests.
    @TaskLocal package static var faults: (any SpoolFaults)?

    /// Appends all of `bytes`, in one call if the system takes them in one; returns what was written, and `errno`.
    package static func append(_ file: Int32, _ bytes: [UInt8]) -> (written: Int, error: Int32) {
        if let fault = faults?.write(bytes.count, inPlace: false) {
            let part = append(file, whole: Array(bytes.prefix(fault.written)))
            return (part.written, part.error == 0 ? fault.error : part.error)
        }
        return append(file, whole: bytes)
    }

    private static func append(_ file: Int32, whole bytes: [UInt8]) -> (written: Int, error: Int32) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                return hw_write_quietly(file, rest.baseAddress, rest.count)
            }
            if count < 0 && hw_errno() == EINTR { continue }
            guard count > 0 else { return (written, count < 0 ? hw_errno() : EIO) }
            written += count
        }
        return (written, 0)
    }

    /// Writes all of `bytes` at `offset`; 0 or `errno`.
    static func write(_ file: Int32, _ bytes: [UInt8], at offset: Int) -> Int32 {
        if let faults,
            let fault = faults.write(bytes.count, inPlace: offset + bytes.count <= (size(file) ?? 0))
        {
            let error = write(file, whole: Array(bytes.prefix(fault.written)), at: offset)
            return error == 0 ? fault.error : error
        }
        return write(file, whole: bytes, at: offset)
    }

    /// Cuts a file to a size; 0 or `errno`.
    static func truncate(_ file: Int32, to size: Int) -> Int32 {
        if let error = faults?.change(), error != 0 { return error }
        return retrying { ftruncate(file, off_t(size)) } == 0 ? 0 : hw_errno()
    }

    private static func write(_ file: Int32, whole bytes: [UInt8], at offset: Int) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                return hw_write_at_quietly(file, rest.baseAddress, rest.count, Int64(offset + written))
            }
            if count < 0 && hw_errno() == EINTR { continue }
            guard count > 0 else { return count < 0 ? hw_errno() : EIO }
            written += count
        }
        return 0
    }

    /// Adds to `output` what the file has from `offset` to its end, `limit` bytes at most; 0 or `errno`.
    package static func read(_ file: Int32, from offset: Int, limit: Int, into output: inout [UInt8]) -> Int32
    {
        if let error = faults?.read(), error != 0 { return error }
        var position = offset
        let rest = max(1, (size(file) ?? limit) - offset)
        var buffer = [UInt8](repeating: 0, count: min(limit, 262_144, rest))
        while position - offset < limit {
            let wanted = min(buffer.count, limit - (position - offset))
            let count = pread(file, &buffer, wanted, off_t(position))
            if count < 0 && hw_errno() == EINTR { continue }
            if count < 0 { return hw_errno() }
            if count == 0 { return 0 }
            output.append(contentsOf: buffer.prefix(count))
            position += count
        }
        return 0
    }

    /// Waits until the disk has the file's content; 0 or `errno`.
    static func synchronize(_ file: Int32) -> Int32 {
        if let error = faults?.synchronize(), error != 0 { return error }
        return fdatasync(file) == 0 ? 0 : hw_errno()
    }

    /// The file's size, or nil.
    static func size(_ file: Int32) -> Int? {
        var info = stat()
        return fstat(file, &info) == 0 ? Int(info.st_size) : nil
    }
}
