import CZlib
import Heartwood

/// gzip by the system's zlib.
enum Gzip {
    /// The compressed bytes; `level` is moved into 1…9.
    ///
    /// - Throws: `LogError` when zlib has no memory.
    static func compress(_ bytes: [UInt8], level: Int) throws -> [UInt8] {
        var stream = z_stream()
        // 15 bits of window, and 16 for the gzip header.
        let prepared = deflateInit2_(
            &stream, Int32(min(9, max(1, level))), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard prepared == Z_OK else { throw LogError(.network, "zlib is not usable (error \(prepared))") }
        defer { deflateEnd(&stream) }

        guard let size = UInt32(exactly: bytes.count) else {
            throw LogError(.network, "cannot compress a body larger than 4 GiB")
        }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
        let capacity = UInt32(clamping: output.count)
        let result = bytes.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = size
                stream.next_out = output.baseAddress
                stream.avail_out = capacity
                return deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { throw LogError(.network, "zlib failed (\(result))") }
        output.removeLast(output.count - Int(stream.total_out))
        return output
    }
}
