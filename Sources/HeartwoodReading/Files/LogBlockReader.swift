import CHeartwood
package import Heartwood

/// Reads the text of log files, one file after the other, in large blocks of whole lines.
///
/// Plain, compressed and encrypted files are read alike. Nothing is made into a `String`: a block is bytes,
/// and its lines are ranges of them.
///
/// A file that another process cuts or removes while it is read does no harm: files are read, never mapped.
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

        init(_ block: LineBlocks.Block, of file: String) {
            (bytes, offset, path) = (block.bytes, block.offset, file)
        }
    }

    /// Longer lines are handed out in parts of about this size.
    private static let lineLimit = 1 << 28

    private var paths: ArraySlice<String>
    private let key: (any SecretProvider)?
    private var source: LogFileSource?
    private var path = ""
    /// Where the first file is read from.
    private var firstOffset: Int
    private var lines = LineBlocks(lineLimit: LogBlockReader.lineLimit)
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
    }

    /// The next block, which is not empty; nil at the end of the last file.
    ///
    /// - Throws: ``LogError`` where a file cannot be read, or is encrypted and there is no key.
    package func next() throws -> Block? {
        while let source = try openSource() {
            if let block = try lines.next(of: source) { return Block(block, of: path) }
            if let damage = source.damage { damages.append((path.folderAndName.name, damage)) }
            finished = source.file.map { ($0, path, source.position) }
            self.source = nil
            if let block = lines.finish() { return Block(block, of: path) }
        }
        return nil
    }

    private func openSource() throws -> LogFileSource? {
        while source == nil, let next = paths.popFirst() {
            defer { firstOffset = 0 }
            guard let opened = try LogFileSource.opening(next, offset: firstOffset, key: key) else {
                continue
            }
            (source, path) = (opened.source, opened.path)
            lines = LineBlocks(lineLimit: LogBlockReader.lineLimit)
        }
        return source
    }

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
        while start > 0, bytes[start - 1] != .newline { start -= 1 }
        while start < index, bytes[start] == 0 { start += 1 }
        return start
    }
}
