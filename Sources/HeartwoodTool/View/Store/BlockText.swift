import Heartwood
import HeartwoodReading

/// The text of a block: where each line is in it, and which file each is from.
///
/// 1. It has every line of the block, in the block's order. A line whose file is gone has no range.
/// 2. A range belongs to this text only: both are made together and replaced together.
struct BlockText: Sendable {
    /// A line, without its newline.
    struct Line: Sendable {
        /// Where it is in the text; nil where its file is gone.
        var range: Range<Int>?
        let part: Int
        /// Where it begins in the file's text.
        var offset = 0
    }

    /// Some text of a file; nil where it is gone.
    struct Source: Sendable {
        let part: Int
        /// Where it begins in the file's text.
        let offset: Int
        var bytes: [UInt8]?

        /// Where it ends in the file's text.
        var end: Int { offset + (bytes?.count ?? 0) }
    }

    /// The lines that are there, each with a newline.
    private(set) var bytes: [UInt8] = []
    private(set) var lines: [Line] = []

    /// Whether all lines are there.
    var isWhole: Bool { lines.allSatisfy { $0.range != nil } }

    /// How much memory it has, about.
    var size: Int { bytes.count + lines.count * MemoryLayout<Line>.stride }

    /// Puts the lines of some texts in their order.
    init(_ sources: [Source], _ order: LineOrder) {
        // How much of each text is used.
        var ends = sources.map { _ in 0 }
        bytes.reserveCapacity(sources.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        order.forEachRun { number, count in
            let source = sources[number]
            var count = count
            source.bytes?.withUnsafeBytes { text in
                while count > 0, let line = LogBlockReader.line(of: text, from: ends[number]) {
                    let start = bytes.count
                    bytes.append(contentsOf: text[line])
                    let offset = source.offset + line.lowerBound
                    lines.append(Line(range: start..<bytes.count, part: source.part, offset: offset))
                    bytes.append(.newline)
                    ends[number] = line.upperBound + 1
                    count -= 1
                }
            }
            for _ in 0..<count { lines.append(Line(part: source.part)) }
        }
    }

    /// The text of a line of the block; nil where its file is gone.
    subscript(line: Int) -> ArraySlice<UInt8>? {
        guard line < lines.count, let range = lines[line].range else { return nil }
        return bytes[range]
    }

    /// Calls `body` with a line of the block; nil where its file is gone.
    func withLine<Result>(_ line: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard line < lines.count, let range = lines[line].range else { return nil }
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// The lines that begin at some positions of the text, given in any order.
    func lines(at starts: some Sequence<Int>) -> LineSet {
        var result = LineSet()
        var line = 0
        for start in starts.sorted() {
            while line < lines.count, (lines[line].range?.lowerBound ?? -1) < start { line += 1 }
            if line < lines.count, lines[line].range?.lowerBound == start { result.insert(line) }
        }
        return result
    }

    /// Takes the secrets out; a line stays a line, and keeps its place in its file.
    mutating func redact(_ rules: RedactionRules) {
        var clear = LogBuffer(capacity: bytes.count)
        var redactor = LineRedactor(rules)
        var ranges: [Range<Int>] = []
        bytes.withUnsafeBytes { bytes in
            for case let range? in lines.lazy.map(\.range) {
                let start = clear.count
                redactor.append(
                    UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound...range.upperBound]), to: &clear)
                ranges.append(start..<clear.count - 1)
            }
        }
        if redactor.counts.isEmpty { return }
        bytes = clear.bytes
        var next = ranges.makeIterator()
        for line in lines.indices where lines[line].range != nil { lines[line].range = next.next() }
    }
}

/// The texts of the blocks that were looked at last, within a number of bytes.
///
/// 1. A text belongs to bytes with a hash: it is right, whatever has become of the files since.
/// 2. A text that lacks lines is not kept: they may be found later.
/// 3. Of a block that grows, one text is kept.
struct KeptTexts {
    /// How much memory the texts have together.
    static let limit = 16 << 20

    private struct Entry {
        let block: LogBlock
        let text: BlockText
        let size: Int

        /// Whether it is the text of a block.
        func isText(of other: LogBlock) -> Bool { block.pieces == other.pieces && block.order == other.order }

        /// Whether it is of a block with the same beginning, which may have grown.
        func beginsLike(_ other: LogBlock) -> Bool {
            guard let own = block.pieces.first, let first = other.pieces.first else { return false }
            return own.part == first.part && own.offset == first.offset
        }
    }

    private let limit: Int
    /// Those that were looked at last are at the end.
    private var entries: [Entry] = []
    /// How much memory all of them have.
    private(set) var size = 0

    init(_ limit: Int = KeptTexts.limit) { self.limit = limit }

    /// How many are kept.
    var count: Int { entries.count }

    /// The text of a block if it is kept.
    mutating func text(of block: LogBlock, inPassing: Bool) -> BlockText? {
        guard let index = entries.lastIndex(where: { $0.isText(of: block) }) else { return nil }
        if inPassing || index == entries.count - 1 { return entries[index].text }
        entries.append(entries.remove(at: index))
        return entries.last?.text
    }

    /// Keeps a text that has all lines, and leaves out those that were not looked at for longest.
    ///
    /// One that was read in passing is kept where there is room, or where it follows one of the same block.
    mutating func keep(_ text: BlockText, of block: LogBlock, inPassing: Bool) {
        let entry = Entry(block: block, text: text, size: text.size)
        guard entry.size <= limit / 4, text.isWhole else { return }
        let old = entries.firstIndex { $0.beginsLike(block) }
        if let old { size -= entries.remove(at: old).size }
        if inPassing, old == nil, size + entry.size > limit { return }
        entries.insert(entry, at: inPassing ? old ?? 0 : entries.count)
        size += entry.size
        while size > limit { size -= entries.removeFirst().size }
    }
}
