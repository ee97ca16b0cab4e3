import CZlib

/// Decompresses gzip of any number of members straight into the caller's memory.
///
/// Not thread-safe: owned by the reader.
package final class Inflater {
    private var stream = z_stream()
    private var isOpen = false
    /// Whether the last member was complete.
    package private(set) var isComplete = true

    package init() {}

    deinit { if isOpen { inflateEnd(&stream) } }

    /// Decompresses as much of `input` as `room` holds, and removes from `input` what was used.
    ///
    /// - Returns: how many bytes are in `room`, 0 where more input is needed; and whether what follows is not gzip.
    /// - Throws: ``LogError`` where there is no memory to decompress with.
    package func inflate(
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
            let result = CZlib.inflate(&stream, Z_NO_FLUSH)
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

    /// The whole text of `bytes`, which has about `count` bytes.
    ///
    /// - Throws: ``LogError`` of code `damaged` where the bytes are not gzip.
    static func text(of bytes: [UInt8], count: Int) throws -> [UInt8] {
        let inflater = Inflater()
        var text: [UInt8] = []
        text.reserveCapacity(count)
        var room = [UInt8](repeating: 0, count: 1 << 17)
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while true {
                let (count, isDamaged) = try room.withUnsafeMutableBytes {
                    try inflater.inflate(&rest, into: $0)
                }
                if isDamaged { throw LogError(.damaged, "The compressed file is damaged") }
                if count == 0 { return }
                text += room[..<count]
            }
        }
        return text
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
