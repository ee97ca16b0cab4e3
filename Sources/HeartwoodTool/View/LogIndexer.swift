import Dispatch
import Heartwood

/// Indexes the files that are there, from the last line to the first.
///
/// Runs once, on the thread that calls ``run()``.
final class LogIndexer {
    /// How much text a block has, about.
    static let blockSize = 1 << 19
    /// A line that is longer is taken for several.
    static let lineLimit = 32 << 20
    /// How many blocks wait for a line in front of them that says what their first lines are.
    private static let waitingLimit = 4
    /// How many blocks are read at the same time, at most; as many texts are in memory.
    private static let longestGroup = 16

    /// A block whose lines are to be read.
    private struct Piece: Sendable {
        let bytes: [UInt8]
        /// Where in `bytes` the block is.
        let range: Range<Int>
        let part: Int
        /// Where in the file's text the block is.
        let offset: Int
        /// How much it counts as progress.
        let weight: Int
    }

    private let store: LogStore
    private let key: (any SecretProvider)?
    private let survey = BlockSurvey(LineReader())
    private let isStopped: @Sendable () -> Bool
    /// Blocks whose lines are to be read.
    private var pieces: [Piece] = []
    /// How many of them are read together.
    private var pieceLimit = 1
    /// Blocks whose first lines go with lines in front of them, newest first.
    private var waiting: [(block: LogBlock, bytes: Int)] = []

    init(_ store: LogStore, key: (any SecretProvider)?, isStopped: @escaping @Sendable () -> Bool) {
        self.store = store
        self.key = key
        self.isStopped = isStopped
    }

    /// Indexes the files, which are given oldest first, each with how much of its text is wanted.
    func run(_ files: [LogStart]) {
        store.update { progress in
            progress.total = files.reduce(0) { $0 + $1.size }
        }
        for file in files.reversed() where !isStopped() {
            if file.isPlain { readBackwards(file) } else { readForwards(file) }
        }
        resolve(LineCarry())
        store.update { $0.isComplete = true }
    }

    // MARK: Plain files

    private func readBackwards(_ file: LogStart) {
        var end = file.limit
        var size = LogIndexer.blockSize
        defer { flush() }
        while end > 0, !isStopped() {
            let begin = max(0, end - size)
            // The byte in front says whether the block begins with a line.
            let from = max(0, begin - 1)
            guard let bytes = store.parts.bytes(of: file.part, at: from, count: end - from) else {
                store.update { $0.damages.append("\(store.parts.name(of: file.part)): cannot be read") }
                return
            }
            var start = 0
            if from > 0 {
                guard let newline = bytes.dropLast().firstIndex(of: 0x0A) else {
                    if size >= LogIndexer.lineLimit {
                        collect(bytes, 0..<bytes.count, file.part, from, weight: bytes.count)
                        end = from
                        size = LogIndexer.blockSize
                    } else {
                        size *= 4
                    }
                    continue
                }
                start = newline + 1
            }
            collect(bytes, start..<end - from, file.part, from + start, weight: end - from - start)
            end = from + start
            size = LogIndexer.blockSize
        }
    }

    // MARK: Reading the lines of several blocks at the same time

    /// Notes a block to be read; reads what was noted when it is enough for all processors.
    private func collect(_ bytes: [UInt8], _ range: Range<Int>, _ part: Int, _ offset: Int, weight: Int) {
        pieces.append(Piece(bytes: bytes, range: range, part: part, offset: offset, weight: weight))
        // The first rows are wanted at once.
        guard pieces.count >= pieceLimit else { return }
        pieceLimit = min(pieceLimit * 2, LogIndexer.longestGroup)
        flush()
    }

    /// Reads the lines of the blocks that were noted, and adds the blocks in the order in which they were noted.
    private func flush() {
        for block in surveyed() { add(block.block, bytes: block.weight) }
    }

    /// The blocks that were noted, with what their lines say.
    private func surveyed() -> [(block: LogBlock, weight: Int)] {
        let pieces = self.pieces
        self.pieces = []
        var facts = [BlockFacts](repeating: BlockFacts(), count: pieces.count)
        facts.withUnsafeMutableBufferPointer { facts in
            nonisolated(unsafe) let facts = facts  // each iteration has its own element
            let survey = survey
            DispatchQueue.concurrentPerform(iterations: pieces.count) { index in
                facts[index] = pieces[index].bytes.withUnsafeBytes {
                    survey.facts(of: .init(rebasing: $0[pieces[index].range]))
                }
            }
        }
        return zip(pieces, facts).map { piece, facts in
            let block = LogBlock(
                part: piece.part, offset: piece.offset, count: piece.range.count, facts: facts,
                carry: LineCarry())
            return (block, piece.weight)
        }
    }

    // MARK: Compressed and encrypted files

    private func readForwards(_ file: LogStart) {
        var blocks: [LogBlock] = []
        var pending: [UInt8] = []
        var offset = 0
        func cut(_ count: Int) {
            let text = Array(pending.prefix(count))
            pieces.append(Piece(bytes: text, range: 0..<count, part: file.part, offset: offset, weight: 0))
            pending.removeFirst(count)
            offset += count
            if pieces.count >= LogIndexer.longestGroup { blocks += surveyed().map(\.block) }
        }
        do {
            let source = try LogFileSource(path: file.path, key: key)
            while !isStopped(), offset + pending.count < file.limit, let piece = try source.next() {
                pending += piece
                if offset + pending.count > file.limit {
                    pending.removeLast(offset + pending.count - file.limit)
                }
                guard pending.count >= LogIndexer.blockSize else { continue }
                if let newline = pending.lastIndex(of: 0x0A) {
                    cut(newline + 1)
                } else if pending.count >= LogIndexer.lineLimit {
                    cut(pending.count)
                }
            }
            if let damage = source.damage {
                store.update { $0.damages.append("\(store.parts.name(of: file.part)): \(damage)") }
            }
        } catch {
            store.update { $0.damages.append("\(store.parts.name(of: file.part)): \(error)") }
        }
        if !pending.isEmpty { cut(pending.count) }
        blocks += surveyed().map(\.block)
        for (index, block) in blocks.enumerated().reversed() {
            add(block, bytes: index == 0 ? file.size : 0)
        }
    }

    // MARK: What the lines in front say

    private func add(_ block: LogBlock, bytes: Int) {
        if block.facts.carry.head != nil { resolve(block.facts.carry) }
        waiting.append((block, bytes))
        if block.facts.leading == 0 || waiting.count > LogIndexer.waitingLimit { resolve(LineCarry()) }
    }

    /// Adds the blocks that have waited, now that the line in front of them is known.
    private func resolve(_ carry: LineCarry) {
        for (block, bytes) in waiting {
            var block = block
            block.carry = carry
            block.facts.resolve(carry)
            block.facts.carry = block.facts.carry.after(carry)
            store.addBack(block, bytes: bytes)
        }
        waiting = []
    }
}
