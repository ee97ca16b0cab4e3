import CZlib
import Heartwood

/// Gzip, piece by piece: each piece is a member of its own, which every gunzip joins again.
///
/// Damage in one member loses that one only.
package enum GzipMember {
    /// The bytes as a member; `level` is 1 (fast) to 9 (small).
    ///
    /// - Throws: ``LogError`` if there is no memory, or more than 4 GiB to compress.
    package static func compress(_ bytes: [UInt8], level: Int32 = 6) throws -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        // 15 bits of window, and 16 for a gzip header instead of zlib's own.
        let opened = deflateInit2_(
            &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, zlibVersion(), size)
        guard opened == Z_OK else { throw LogError(.file, "not enough memory to compress") }
        defer { deflateEnd(&stream) }
        guard let size = uInt(exactly: bytes.count) else {
            throw LogError(.file, "cannot compress more than 4 GiB at once")
        }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 32)
        let result = bytes.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = size
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(clamping: output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else {
            throw LogError(.file, "compression failed (zlib error \(result))")
        }
        output.removeLast(output.count - Int(stream.total_out))
        return output
    }
}
