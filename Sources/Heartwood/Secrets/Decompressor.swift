/// Decompresses gzip of any number of members straight into the caller's memory.
///
/// Not thread-safe: owned by the reader.
package protocol Decompressor: AnyObject {
    /// Whether the last member was complete.
    var isComplete: Bool { get }

    /// Decompresses as much of `input` as `room` holds, and removes from `input` what was used.
    ///
    /// - Returns: how many bytes are in `room`, 0 where more input is needed; and whether what follows is not gzip.
    /// - Throws: ``LogError`` where there is no memory to decompress with.
    func decompress(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws -> (count: Int, isDamaged: Bool)
}
