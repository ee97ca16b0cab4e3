import CHeartwood
import Heartwood

/// Cuts the text of one file into blocks of whole lines.
///
/// 1. The blocks, joined, are the text, byte for byte, but for zero bytes in front of lines: `copytruncate`
///    leaves them where the program goes on to write at its old place. They take no memory, however many they
///    are, and a hole of the file is not read.
/// 2. A block ends with a newline, or inside of a line that is longer than the limit, or with the file's last
///    line, which may lack its newline.
///
/// Not thread-safe: owned by the one who reads.
final class LineBlocks {
    /// Some whole lines, with their newlines; valid until the next one is asked for.
    struct Block {
        let bytes: UnsafeRawBufferPointer
        /// How many bytes of the text are in front of it.
        let offset: Int
    }

    /// How much is read at a time.
    static let blockSize = 1 << 18
    /// Longer lines are handed out in parts of about this size, so that memory is bounded.
    private let lineLimit: Int

    /// Holds `base[start..<end]`, which was read and not handed out yet.
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private var start = 0
    private var end = 0
    /// Up to where a newline was looked for.
    private var scanned = 0
    /// Whether a part of the line at `start` was handed out already.
    private var isInLine = false
    /// Where in the text `start` is.
    private(set) var offset: Int

    /// Begins at a place of the text at which a line begins.
    init(at offset: Int = 0, lineLimit: Int) {
        self.offset = offset
        self.lineLimit = lineLimit
    }

    deinit { base?.deallocate() }

    /// The next block, which is not empty; nil where the source has nothing more at the moment.
    ///
    /// What was read only counts where `isValid` says so afterwards: the file may have been cut meanwhile.
    ///
    /// - Throws: ``LogError`` where the file cannot be read, or is encrypted and there is no key.
    func next(of source: LogFileSource, isValid: () -> Bool = { true }) throws -> Block? {
        while true {
            skipZeros(source)
            if let last = lastLineEnd() { return block(upTo: last) }
            if end - start >= lineLimit { return block(upTo: end) }
            let count = try source.read(into: makeRoom())
            if count == 0 || !isValid() {
                // Many files may be open that say nothing for a long time.
                if start == end { release() }
                return nil
            }
            end += count
        }
    }

    /// The last line, if the text does not end with a newline; it has no place among the blocks yet.
    var pending: Block? {
        guard start < end else { return nil }
        return Block(bytes: .init(start: base.map { $0 + start }, count: end - start), offset: offset)
    }

    /// The last line, if the text does not end with a newline.
    func finish() -> Block? { start < end ? block(upTo: end) : nil }

    private func release() {
        base?.deallocate()
        (base, capacity, start, end, scanned) = (nil, 0, 0, 0, 0)
    }

    /// Moves what is left to the front, and makes sure that there is room for a block after it.
    private func makeRoom() -> UnsafeMutableRawBufferPointer {
        if start > 0, let base {
            memmove(base, base + start, end - start)
            end -= start
            scanned -= start
            start = 0
        }
        if capacity - end < LineBlocks.blockSize {
            capacity = max(2 * capacity, 2 * LineBlocks.blockSize)
            let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 64)
            if let base { memcpy(larger, base, end) }
            base?.deallocate()
            base = larger
        }
        return UnsafeMutableRawBufferPointer(start: base.map { $0 + end }, count: capacity - end)
    }

    private func byte(_ index: Int) -> UInt8 { base?.load(fromByteOffset: index, as: UInt8.self) ?? 0 }

    /// Drops the zero bytes in front of a line.
    private func skipZeros(_ source: LogFileSource) {
        if isInLine || start == end || byte(start) != 0 { return }
        let first = start
        while start < end, byte(start) == 0 { start += 1 }
        offset += start - first
        scanned = max(scanned, start)
        // All that was read is zero, so it may be a hole.
        if start == end { offset += source.skipHole() }
    }

    /// Where the last line ends that is complete, before zero bytes in front of another one.
    private func lastLineEnd() -> Int? {
        guard let base else { return nil }
        var last = end
        while last > scanned, byte(last - 1) != .newline { last -= 1 }
        guard last > scanned else {
            scanned = end
            return nil
        }
        var index = start
        while let zero = memchr(base + index, 0, last - index) {
            index = base.distance(to: zero)
            if index > start, byte(index - 1) == .newline { return index }
            index += 1
        }
        return last
    }

    private func block(upTo last: Int) -> Block {
        let bytes = UnsafeRawBufferPointer(start: base.map { $0 + start }, count: last - start)
        let block = Block(bytes: bytes, offset: offset)
        offset += bytes.count
        isInLine = byte(last - 1) != .newline
        start = last
        scanned = max(scanned, last)
        return block
    }
}
