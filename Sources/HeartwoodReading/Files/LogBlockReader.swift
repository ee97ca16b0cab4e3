import CHeartwood
package import Heartwood

/// Reads the text of log files, one file after the other, in large blocks of whole lines.
///
/// Plain, compressed and encrypted files are read alike. Nothing is made into a `String`: a block is bytes,
/// and its lines are ranges of them.
///
/// 1. The blocks of a file, joined, are its text, byte for byte, but for zero bytes in front of lines:
///    `copytruncate` leaves them where the program goes on to write at its old place. They take no memory,
///    however many they are, and a hole of the file is not read.
/// 2. A block ends with a newline, or with the last line of its file, which may lack one (`isUnterminated`),
///    or inside of a line that is longer than ``lineLimit``.
/// 3. A file that another process cuts or removes while it is read does no harm: files are read, never
///    mapped.
///
/// Not thread-safe: owned by whoever reads.
package final class LogBlockReader {
    /// A piece of a file.
    package struct Block {
        /// Whole lines, with their newlines; valid until the next call of ``LogBlockReader/next()``.
        package let bytes: UnsafeRawBufferPointer
        /// The path of the file.
        package let path: String
        /// How many bytes of the file's text are in front of the block, from where reading began.
        package let offset: Int
        /// Whether the file ends after this block, and its last line has no newline.
        let isUnterminated: Bool
    }

    /// How much is read at a time.
    package static let blockSize = 1 << 18
    /// Longer lines are handed out in parts of about this size, so that memory is bounded.
    package static let lineLimit = 1 << 28

    private var paths: ArraySlice<String>
    private let key: (any SecretProvider)?
    private var source: LogFileSource?
    private var path = ""
    /// Where the first file is read from.
    private var firstOffset: Int

    private var base: UnsafeMutableRawPointer
    private var capacity = 2 * LogBlockReader.blockSize
    /// What was read and not handed out yet: `base[start..<end]`.
    private var start = 0
    private var end = 0
    /// Up to where it was looked for a newline.
    private var scanned = 0
    /// Whether a part of the line at `start` was handed out already.
    private var isInLine = false
    private var position = 0
    /// What was wrong with files, in words for a person, by their names.
    package private(set) var damages: [(file: String, damage: String)] = []
    /// How far the file was read that was read last, for going on there.
    package private(set) var finished: (file: FollowPlan.File, path: String, position: Int)?

    /// Makes a reader of some files.
    ///
    /// - Parameters:
    ///   - paths: The files, in the order in which they are read. One that has been removed meanwhile is left
    ///     out.
    ///   - offset: Where the first, plain file is read from.
    ///   - key: Where the key of encrypted files comes from.
    package init(_ paths: [String], offset: Int = 0, key: (any SecretProvider)? = nil) {
        self.paths = paths[...]
        self.key = key
        firstOffset = offset
        base = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { base.deallocate() }

    /// The next block, which is not empty; nil at the end of the last file.
    ///
    /// - Throws: ``LogError`` where a file cannot be read, or is encrypted and there is no key.
    package func next() throws -> Block? {
        while true {
            guard let source = try openSource() else { return nil }
            skipZeros(source)
            if let last = lastLineEnd() { return block(upTo: last) }
            if end - start >= LogBlockReader.lineLimit { return block(upTo: end) }
            makeRoom()
            let room = UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end)
            let count = try source.read(into: room)
            if count == 0 {
                if let damage = source.damage { damages.append((name(of: path), damage)) }
                finished = source.file.map { ($0, path, source.position) }
                self.source = nil
                if end > start { return block(upTo: end, isUnterminated: true) }
                continue
            }
            end += count
        }
    }

    private func openSource() throws -> LogFileSource? {
        while source == nil, let next = paths.popFirst() {
            defer { firstOffset = 0 }
            guard let opened = try LogFileSource.opening(next, offset: firstOffset, key: key) else {
                continue
            }
            (source, path) = (opened.source, opened.path)
            (start, end, scanned, position, isInLine) = (0, 0, 0, 0, false)
        }
        return source
    }

    /// Moves what is left to the front, and makes sure that there is room for a block after it.
    private func makeRoom() {
        if start > 0 {
            memmove(base, base + start, end - start)
            end -= start
            scanned -= start
            start = 0
        }
        if capacity - end >= LogBlockReader.blockSize { return }
        capacity *= 2
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 64)
        memcpy(larger, base, end)
        base.deallocate()
        base = larger
    }

    private func byte(_ index: Int) -> UInt8 { base.load(fromByteOffset: index, as: UInt8.self) }

    /// Drops the zero bytes in front of a line.
    private func skipZeros(_ source: LogFileSource) {
        if isInLine || start == end || byte(start) != 0 { return }
        let first = start
        while start < end, byte(start) == 0 { start += 1 }
        position += start - first
        scanned = max(scanned, start)
        // All that was read is zero, so it may be a hole.
        if start == end { position += source.skipHole() }
    }

    /// Where the last line ends that is complete, before zero bytes in front of another one.
    private func lastLineEnd() -> Int? {
        var last = end
        while last > scanned, byte(last - 1) != 0x0A { last -= 1 }
        guard last > scanned else {
            scanned = end
            return nil
        }
        var index = start
        while let zero = memchr(base + index, 0, last - index) {
            index = base.distance(to: zero)
            if index > start, byte(index - 1) == 0x0A { return index }
            index += 1
        }
        return last
    }

    private func block(upTo last: Int, isUnterminated: Bool = false) -> Block {
        let bytes = UnsafeRawBufferPointer(start: base + start, count: last - start)
        let block = Block(bytes: bytes, path: path, offset: position, isUnterminated: isUnterminated)
        position += bytes.count
        isInLine = byte(last - 1) != 0x0A
        start = last
        scanned = max(scanned, last)
        return block
    }

    private func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// Calls `body` with each line of a block, as a range of its bytes without the newline, and without zero
    /// bytes in front of it.
    @inline(__always)
    package static func forEachLine<Failure: Error>(
        of bytes: UnsafeRawBufferPointer, _ body: (Range<Int>) throws(Failure) -> Void
    ) throws(Failure) {
        var start = 0
        while let line = line(of: bytes, from: start) {
            try body(line)
            start = line.upperBound + 1
        }
    }

    /// The line of a block that begins at a place, without its newline and the zero bytes in front of it; nil
    /// where none does.
    @inline(__always)
    package static func line(of bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var start = start
        while start < bytes.count, bytes[start] == 0 { start += 1 }
        return start < bytes.count ? start..<lineEnd(in: bytes, from: start) : nil
    }

    /// Where the line ends that `index` is in: the place of its newline, or the end of the block.
    @inline(__always)
    package static func lineEnd(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + index, 0x0A, bytes.count - index)
        else { return bytes.count }
        return base.distance(to: UnsafeRawPointer(found))
    }

    /// Where the line begins that `index` is in, after the zero bytes in front of it.
    @inline(__always)
    package static func lineStart(in bytes: UnsafeRawBufferPointer, of index: Int) -> Int {
        var start = index
        while start > 0, bytes[start - 1] != 0x0A { start -= 1 }
        while start < index, bytes[start] == 0 { start += 1 }
        return start
    }
}
