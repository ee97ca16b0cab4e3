import CHeartwood
import Heartwood

/// Whole reads and writes of an open file; interrupted calls are repeated, a failure is an `errno`.
package enum SpoolFile {
    /// The faults that a test injects; nil outside of tests.
    @TaskLocal package static var faults: (any SpoolFaults)?

    private static let calls = SystemCalls()

    /// Appends all of `bytes`, in one call if the system takes them in one; returns what was written, and
    /// `errno`.
    package static func append(_ file: Int32, _ bytes: [UInt8]) -> (written: Int, error: Int32) {
        writeWhole(bytes, faults?.write(bytes.count, inPlace: false)) { rest, _ throws(SystemFailure) in
            try calls.write(file, rest, quietly: true)
        }
    }

    /// Writes all of `bytes` at `offset`; 0 or `errno`.
    static func write(_ file: Int32, _ bytes: [UInt8], at offset: Int) -> Int32 {
        let fault = faults.flatMap {
            $0.write(bytes.count, inPlace: offset + bytes.count <= (size(file) ?? 0))
        }
        return writeWhole(bytes, fault) { rest, written throws(SystemFailure) in
            try calls.perform(.write) {
                hw_write_at_quietly(file, rest.baseAddress, rest.count, Int64(offset + written))
            }
        }.error
    }

    /// Writes all of `bytes`, or what a fault lets through of them.
    private static func writeWhole(
        _ bytes: [UInt8], _ fault: (written: Int, error: Int32)?,
        _ write: (UnsafeRawBufferPointer, Int) throws(SystemFailure) -> Int
    ) -> (written: Int, error: Int32) {
        let (written, failure) = bytes.withUnsafeBytes { bytes in
            SystemCalls.writeWhole(
                UnsafeRawBufferPointer(rebasing: bytes.prefix(fault?.written ?? bytes.count)), write)
        }
        return (written, failure?.number ?? fault?.error ?? 0)
    }

    /// Cuts a file to a size; 0 or `errno`.
    static func truncate(_ file: Int32, to size: Int) -> Int32 {
        if let error = faults?.change(), error != 0 { return error }
        do throws(SystemFailure) { try calls.truncate(file, to: size) } catch { return error.number }
        return 0
    }

    /// Adds to `output` what the file has from `offset` to its end, `limit` bytes at most; 0 or `errno`.
    package static func read(_ file: Int32, from offset: Int, limit: Int, into output: inout [UInt8]) -> Int32
    {
        if let error = faults?.read(), error != 0 { return error }
        var position = offset
        let rest = max(1, (size(file) ?? limit) - offset)
        var buffer = [UInt8](repeating: 0, count: min(limit, 262_144, rest))
        do throws(SystemFailure) {
            while position - offset < limit {
                let wanted = min(buffer.count, limit - (position - offset))
                let count = try calls.fill(&buffer, wanted, from: file, at: position)
                output.append(contentsOf: buffer.prefix(count))
                if count < wanted { break }
                position += count
            }
        } catch {
            return error.number
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
