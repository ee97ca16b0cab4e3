import CZlib
import Heartwood

/// Decompresses gzip of any number of members with zlib.
///
/// Not thread-safe: owned by the reader.
final class Inflater: Decompressor {
    private var stream = z_stream()
    private var isOpen = false
    private(set) var isComplete = true

    deinit { if isOpen { inflateEnd(&stream) } }

    func decompress(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws -> (count: Int, isDamaged: Bool) {
        var produced = 0
        while !input.isEmpty, produced < room.count {
            if !isOpen { try open() }
            stream.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
            stream.avail_in = uInt(input.count)
            stream.next_out = room.baseAddress.map { ($0 + produced).assumingMemoryBound(to: Bytef.self) }
            stream.avail_out = uInt(room.count - produced)
            let result = inflate(&stream, Z_NO_FLUSH)
            input = UnsafeRawBufferPointer(rebasing: input[(input.count - Int(stream.avail_in))...])
            produced = room.count - Int(stream.avail_out)
            isComplete = result == Z_STREAM_END
            switch result {
            case Z_STREAM_END: close()
            case Z_OK: break
            case Z_BUF_ERROR: return (produced, false)
            default:
                close()
                return (produced, true)
            }
        }
        return (produced, false)
    }

    private func close() {
        inflateEnd(&stream)
        isOpen = false
    }

    private func open() throws {
        stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, 15 + 16, zlibVersion(), size) == Z_OK else {
            throw LogError(.file, "not enough memory to decompress")
        }
        isOpen = true
    }
}
