import CZlib

/// Gzip, piece by piece: each piece is a member of its own, which every gunzip joins again.
///
/// Damage in one member loses that one only.
package enum GzipMember {
    /// How much text goes into one member.
    package static let pieceSize = 1 << 20

    /// The bytes as a member.
    package static func compress(_ bytes: [UInt8], level: Int32 = 6) throws -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        // 15 bits of window, and 16 for a gzip header instead of zlib's own.
        let opened = deflateInit2_(
            &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, zlibVersion(), size)
        guard opened == Z_OK else { throw LogError(.file, "zlib has no memory to compress with") }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 32)
        var input = bytes
        let result = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { throw LogError(.file, "zlib could not compress (\(result))") }
        output.removeLast(Int(stream.avail_out))
        return output
    }
}

/// Reads gzip of any number of members, fed in pieces of any size.
///
/// Not thread-safe: owned by the reader.
package final class GzipReader {
    private var stream = z_stream()
    private var isOpen = false
    /// The last member was complete.
    package private(set) var isComplete = true

    package init() {}

    deinit { if isOpen { inflateEnd(&stream) } }

    /// Decompresses what can be decompressed, and hands it out in pieces.
    ///
    /// - Throws: ``LogError`` of code `damaged` where the bytes are not gzip.
    package func feed(_ bytes: [UInt8], _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        var input = bytes
        var offset = 0
        var output = [UInt8](repeating: 0, count: 1 << 17)
        while offset < input.count {
            if !isOpen { try open() }
            var produced = 0
            let count = input.count
            let result = input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    stream.next_in = input.baseAddress.map { $0 + offset }
                    stream.avail_in = uInt(count - offset)
                    stream.next_out = output.baseAddress
                    stream.avail_out = uInt(output.count)
                    let result = inflate(&stream, Z_NO_FLUSH)
                    offset = count - Int(stream.avail_in)
                    produced = output.count - Int(stream.avail_out)
                    return result
                }
            }
            isComplete = false
            if produced > 0 { try body(output[..<produced]) }
            switch result {
            case Z_STREAM_END:
                inflateEnd(&stream)
                isOpen = false
                isComplete = true
            case Z_OK: break
            case Z_BUF_ERROR where produced == 0: return
            case Z_BUF_ERROR: break
            default:
                inflateEnd(&stream)
                isOpen = false
                throw LogError(.damaged, "The compressed file is damaged")
            }
        }
    }

    private func open() throws {
        stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, 15 + 16, zlibVersion(), size) == Z_OK else {
            throw LogError(.file, "zlib has no memory to decompress with")
        }
        isOpen = true
    }
}
