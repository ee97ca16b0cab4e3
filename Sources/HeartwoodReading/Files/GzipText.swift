import Heartwood

/// The text of gzip data, decompressed as the data comes.
///
/// Several members are one text, and zero bytes between and after them are padding, as for `gzip -dc`.
///
/// Not thread-safe: owned by the one who reads.
package final class GzipText {
    /// How much data is asked for at a time.
    private static let inputSize = 1 << 17

    private let decompressor: any Decompressor
    private var buffer: UnsafeMutableRawBufferPointer?
    /// The part of `buffer` that was not decompressed yet.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isAtEnd = false
    /// What was wrong with the data, in words for a person; nil where nothing was.
    package private(set) var damage: String?

    /// Begins with data that was read already.
    ///
    /// - Throws: ``LogError`` where no library for it is there.
    package init(of place: String, beginning: UnsafeRawBufferPointer? = nil) throws {
        decompressor = try ArchiveLibraries.registered(for: "Reading compressed data", place: place)
            .makeDecompressor()
        guard let beginning else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(beginning.count, GzipText.inputSize), alignment: 16)
        buffer.copyMemory(from: beginning)
        input = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<beginning.count])
        self.buffer = buffer
    }

    /// Another text that goes on where `other` is; ``unread`` bytes of data are to be read again.
    ///
    /// Returns nil where there is no memory.
    init?(goingOnLike other: GzipText) {
        guard let copy = other.decompressor.copy() else { return nil }
        (decompressor, isAtEnd, damage) = (copy, other.isAtEnd, other.damage)
    }

    deinit { buffer?.deallocate() }

    /// How much data was read and not decompressed yet.
    var unread: Int { input.count }

    /// Puts the next text into `room`.
    ///
    /// `read` puts the next data into a buffer and gives its size: 0 at the end, nil where nothing has come
    /// yet.
    ///
    /// - Returns: how many bytes there are: 0 at the end, and nil where nothing has come yet.
    /// - Throws: what `read` throws; ``LogError`` where there is no memory.
    package func next(
        into room: UnsafeMutableRawBufferPointer, read: (UnsafeMutableRawBufferPointer) throws -> Int?
    ) throws -> Int? {
        while !isAtEnd {
            if input.isEmpty {
                let buffer = buffer ?? .allocate(byteCount: GzipText.inputSize, alignment: 16)
                self.buffer = buffer
                guard let count = try read(buffer) else { return nil }
                input = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                if count == 0 {
                    isAtEnd = true
                    if !decompressor.isComplete { damage = "cut off" }
                    return 0
                }
            }
            let (count, isDamaged) = try decompressor.decompress(&input, into: room)
            if isDamaged {
                damage =
                    decompressor.hasEnded
                    ? "the data after the end of the archive is not compressed, and is left out"
                    : "damaged; the data after the damage is lost"
                isAtEnd = true
            }
            if count > 0 { return count }
        }
        return 0
    }
}
