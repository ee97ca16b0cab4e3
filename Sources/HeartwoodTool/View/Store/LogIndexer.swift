import Dispatch
import Heartwood
import HeartwoodReading

/// Indexes the files that are there, from the last line to the first.
///
/// Files whose times overlap are merged. Compressed and encrypted files are not: they can be read from their
/// beginning only, and are put where their first line belongs.
///
/// Runs once, on the thread that calls ``run()``.
final class LogIndexer {
    /// A file as it was when the log was opened.
    struct File: Sendable {
        let part: Int
        let path: String
        let isPlain: Bool
        /// The size of the file.
        let size: Int
        /// How much of its text was there; a later line is one that came.
        let limit: Int
    }

    /// A line that is longer is taken for several.
    static let lineLimit = 32 << 20
    /// How much text waits for a line in front of it that surely begins a record; with more, its first line
    /// is taken to begin one.
    private static let waitingLimit = 4 << 20
    /// How many blocks are read at the same time, at most; as many texts are in memory.
    private static let longestGroup = 16
    /// How much of a file is read to find out when its lines were logged.
    private static let sample = 1 << 16

    /// A block whose lines are to be read.
    private struct Planned: Sendable {
        let texts: [BlockText.Source]
        /// How much it counts as progress.
        let weight: Int
    }

    private let store: LogStore
    private let survey = BlockSurvey()
    private let isStopped: @Sendable () -> Bool
    /// Blocks whose lines are to be read.
    private var planned: [Planned] = []
    /// How many of them are read together.
    private var groupLimit = 1
    /// Blocks whose first lines may go with lines in front of them, newest first.
    private var waiting: [(block: LogBlock, planned: Planned)] = []

    init(_ store: LogStore, isStopped: @escaping @Sendable () -> Bool) {
        self.store = store
        self.isStopped = isStopped
    }

    /// Indexes the files, which are given oldest first, each with how much of its text is wanted.
    func run(_ files: [File]) {
        store.update { progress in
            progress.total = files.reduce(0) { $0 + min($1.size, $1.limit) }
        }
        for cluster in clusters(of: files).reversed() where !isStopped() {
            if cluster.count > 1 {
                readMerged(cluster)
            } else if cluster[0].isPlain {
                readBackwards(cluster[0])
            } else {
                readForwards(cluster[0])
            }
        }
        resolve(LineCarry())
        store.update { $0.isComplete = true }
    }

    // MARK: Which files overlap

    /// The files in the order of their times; together those whose times overlap.
    private func clusters(of files: [File]) -> [[File]] {
        guard files.count > 1 else { return files.map { [$0] } }
        var spans: [(file: File, first: Int64, last: Int64)] = []
        for file in files where !isStopped() {
            // A file without times stays behind the one in front of it.
            let before = spans.last?.first ?? .min
            let span = span(of: file) ?? (before, before)
            spans.append((file, span.first, max(span.first, file.isPlain ? span.last : span.first)))
        }
        // Stable: of two that begin at the same time the order stays.
        let ordered = spans.enumerated().sorted {
            ($0.element.first, $0.offset) < ($1.element.first, $1.offset)
        }.map(\.element)
        var clusters: [[File]] = []
        // The plain files that are merged last, and until when.
        var open: (index: Int, end: Int64)?
        for (file, first, last) in ordered {
            guard file.isPlain else {
                clusters.append([file])
                continue
            }
            if let (index, end) = open, first < end {
                clusters[index].append(file)
                open = (index, max(end, last))
            } else {
                open = (clusters.count, last)
                clusters.append([file])
            }
        }
        return clusters
    }

    /// When the first and the last line of a file were logged, as far as its first and last lines say.
    private func span(of file: File) -> (first: Int64, last: Int64)? {
        let reader = LineReader()
        func moments(_ bytes: [UInt8]) -> [Int64] {
            bytes.withUnsafeBytes { bytes in
                var moments: [Int64] = []
                LogBlockReader.forEachLine(of: bytes) { line in
                    // The first and the last line may be cut; a part of a line has no time at its start.
                    if let moment = reader.moment(of: .init(rebasing: bytes[line])) { moments.append(moment) }
                }
                return moments
            }
        }
        guard file.isPlain else {
            if let first = moments(store.files.beginning(of: file.part)).first { return (first, first) }
            var first: [UInt8] = []
            _ = try? store.files.forEachPiece(of: file.part) { piece in
                first = Array(piece.prefix(LogIndexer.sample))
                return false
            }
            store.files.extend(file.part, at: 0, with: first)
            return moments(first).first.map { ($0, $0) }
        }
        let size = min(file.limit, LogIndexer.sample)
        guard let start = store.files.bytes(of: file.part, at: 0, count: size),
            let end = store.files.bytes(of: file.part, at: file.limit - size, count: size),
            let first = moments(start).first
        else { return nil }
        return (first, moments(end).last ?? first)
    }

    // MARK: A plain file alone

    private func readBackwards(_ file: File) {
        var end = file.limit
        var isInLine = false
        var size = store.blockSize
        defer { flush() }
        while end > 0, !isStopped() {
            let begin = max(0, end - size)
            // The byte in front says whether the block begins with a line.
            let from = max(0, begin - 1)
            guard let bytes = store.files.bytes(of: file.part, at: from, count: end - from) else {
                return tellUnread(file)
            }
            guard isInLine || isAtLine(file, bytes, end) else { return }
            isInLine = false
            var start = 0
            if from > 0 {
                guard let newline = bytes.dropLast().firstIndex(of: .newline) else {
                    if let zeros = LogIndexer.zeros(bytes) {
                        if zeros < bytes.count {
                            collect(bytes, zeros..<bytes.count, file.part, from + zeros)
                        }
                        end = zeros < bytes.count ? from + zeros : from
                        size = store.blockSize
                    } else if size >= LogIndexer.lineLimit {
                        collect(bytes, 0..<bytes.count, file.part, from)
                        (end, isInLine) = (from, true)
                        size = store.blockSize
                    } else {
                        size *= 4
                    }
                    continue
                }
                start = newline + 1
            }
            collect(bytes, start..<end - from, file.part, from + start)
            end = from + start
            size = store.blockSize
        }
    }

    /// Whether a line ends at a position; if not, the file was cut, and the watcher reads it from its start.
    private func isAtLine(_ file: File, _ bytes: [UInt8], _ end: Int) -> Bool {
        end == file.limit || bytes.last == .newline || bytes.last == 0
    }

    /// Says that a file cannot be read, unless it was cut: then nothing of it is left to be read.
    private func tellUnread(_ file: File) {
        if !store.files.isCut(file.part) { store.tell("\(store.files.name(of: file.part)): cannot be read") }
    }

    /// How many zero bytes a block without a newline begins with; nil where none.
    ///
    /// They are taken to be in front of a line: `copytruncate` leaves very many, which take no memory.
    private static func zeros(_ bytes: [UInt8]) -> Int? {
        bytes.first == 0 ? bytes.firstIndex { $0 != 0 } ?? bytes.count : nil
    }

    private func collect(_ bytes: [UInt8], _ range: Range<Int>, _ part: Int, _ offset: Int) {
        let text = BlockText.Source(part: part, offset: offset, bytes: Array(bytes[range]))
        collect(Planned(texts: [text], weight: range.count))
    }

    // MARK: Plain files whose times overlap

    /// A file of which the text up to `end` is in no block yet.
    private struct Tail {
        let file: File
        var end: Int
        var isInLine = false
        /// The last units in front of `end`, in their order; the number of each is its place in the file.
        var units: [TextMerge.Unit] = []
        /// The text of the units, and where it begins in the file.
        var text: [UInt8] = []
        var start = 0
        /// The moment of the unit that was taken last.
        var lastMoment = Int64.max

        /// The text from `end` on.
        func source(upTo last: Int) -> BlockText.Source {
            BlockText.Source(part: file.part, offset: end, bytes: Array(text[(end - start)..<(last - start)]))
        }
    }

    private func readMerged(_ files: [File]) {
        var tails = files.map { Tail(file: $0, end: $0.limit) }
        // The latest comes first; of two with the same time that of the later file.
        var queue = MergeQueue {
            $0.moment == $1.moment ? $0.index > $1.index : $0.moment > $1.moment
        }
        let chunk = max(1 << 15, min(1 << 18, (16 << 20) / files.count))
        defer { flush() }
        for index in tails.indices where !isStopped() {
            if let moment = fill(&tails[index], chunk) { queue.insert(.init(moment: moment, index: index)) }
        }
        while !isStopped() {
            // What is taken of each file, the last first.
            var taken: [Int: [BlockText.Source]] = [:]
            var size = 0
            while size < store.blockSize, let entry = queue.popFirst() {
                let index = entry.index
                let end = tails[index].end
                repeat {
                    guard let unit = tails[index].units.popLast() else { break }
                    size += tails[index].end - unit.start
                    tails[index].end = unit.start
                    tails[index].lastMoment = unit.moment
                } while size < store.blockSize
                    && (tails[index].units.last.map { queue.isFirst(.init(moment: $0.moment, index: index)) }
                        ?? false)
                taken[index, default: []].append(tails[index].source(upTo: end))
                let next = tails[index].units.last?.moment ?? fill(&tails[index], chunk)
                if let next { queue.insert(.init(moment: next, index: index)) }
            }
            guard size > 0 else { return }
            let texts = taken.sorted { $0.key < $1.key }.flatMap { $0.value.reversed().joined() }
            collect(Planned(texts: texts, weight: size))
        }
    }

    /// Reads the units in front of a file's end; gives the moment of the last one.
    private func fill(_ tail: inout Tail, _ chunk: Int) -> Int64? {
        var size = chunk
        while tail.end > 0 {
            let begin = max(0, tail.end - size)
            let from = max(0, begin - 1)
            guard let bytes = store.files.bytes(of: tail.file.part, at: from, count: tail.end - from) else {
                tellUnread(tail.file)
                return nil
            }
            guard tail.isInLine || isAtLine(tail.file, bytes, tail.end) else { return nil }
            // Zero bytes after a line are in front of the next one, and no part of either.
            let used = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
            if used < bytes.count {
                tail.end = from + used
                size = chunk
                continue
            }
            let newline = from > 0 ? bytes.dropLast().firstIndex(of: .newline) : nil
            let zeros = newline == nil ? LogIndexer.zeros(bytes) : nil
            let isLast = size >= LogIndexer.lineLimit || zeros != nil
            if from > 0, newline == nil, !isLast {
                size *= 4
                continue
            }
            let start = newline.map { $0 + 1 } ?? zeros ?? 0
            var units = bytes.withUnsafeBytes {
                TextMerge().units(of: .init(rebasing: $0[start...]))
            }.map { TextMerge.Unit(start: from + start + $0.start, moment: $0.moment) }
            if let first = units.first, first.moment == .min {
                // The first lines say no time: they belong to the line before them, or at the beginning to
                // the next.
                let next = units.count > 1 ? units[1].moment : tail.lastMoment
                if from > 0, units.count > 1 {
                    units.removeFirst()
                } else if from > 0, !isLast {
                    size *= 4
                    continue
                } else {
                    units[0] = TextMerge.Unit(start: first.start, moment: next)
                }
            }
            (tail.units, tail.text, tail.start) = (units, bytes, from)
            tail.isInLine = from > 0 && newline == nil && zeros == nil
            return units.last?.moment
        }
        return nil
    }

    // MARK: Compressed and encrypted files

    private func readForwards(_ file: File) {
        var blocks: [LogBlock] = []
        var pending: [UInt8] = []
        var offset = 0
        func survey() {
            for (block, planned) in surveyed() {
                let carry = blocks.last?.facts.carry ?? LineCarry()
                blocks.append(self.survey.block(block, of: planned.texts, after: carry))
            }
        }
        func cut(_ count: Int) {
            let text = BlockText.Source(
                part: file.part, offset: offset, bytes: Array(pending.prefix(count)))
            planned.append(Planned(texts: [text], weight: 0))
            pending.removeFirst(count)
            offset += count
            if planned.count >= LogIndexer.longestGroup { survey() }
        }
        do {
            let damage = try store.files.forEachPiece(of: file.part) { piece in
                store.files.extend(file.part, at: offset + pending.count, with: piece)
                pending += piece
                let rest = offset + pending.count - file.limit
                if rest > 0 { pending.removeLast(rest) }
                if pending.count >= store.blockSize {
                    if let newline = pending.lastIndex(of: .newline) {
                        cut(newline + 1)
                    } else if pending.count >= LogIndexer.lineLimit {
                        cut(pending.count)
                    }
                }
                return rest < 0 && !isStopped()
            }
            if let damage { store.tell("\(store.files.name(of: file.part)): \(damage)") }
        } catch {
            store.tell("\(store.files.name(of: file.part)): \(error)")
        }
        if !pending.isEmpty { cut(pending.count) }
        survey()
        resolve(LineCarry())
        for (index, block) in blocks.enumerated().reversed() {
            store.addBack(block, bytes: index == 0 ? min(file.size, file.limit) : 0)
        }
    }

    // MARK: Reading the lines of several blocks at the same time

    /// Notes a block to be read; reads what was noted when it is enough for all processors.
    private func collect(_ block: Planned) {
        planned.append(block)
        // The first rows are wanted at once.
        guard planned.count >= groupLimit else { return }
        groupLimit = min(groupLimit * 2, LogIndexer.longestGroup)
        flush()
    }

    /// Reads the lines of the blocks that were noted, and adds the blocks in the order in which they were
    /// noted.
    private func flush() {
        for (block, planned) in surveyed() { add(block, planned) }
    }

    /// The blocks that were noted, with what their lines say.
    private func surveyed() -> [(block: LogBlock, planned: Planned)] {
        let planned = self.planned
        self.planned = []
        var blocks = [LogBlock?](repeating: nil, count: planned.count)
        blocks.withUnsafeMutableBufferPointer { blocks in
            nonisolated(unsafe) let blocks = blocks  // each iteration has its own element
            let survey = survey
            DetachedThread.perform(planned.count) { index in
                let texts = planned[index].texts
                let order = TextMerge().order(of: texts.map { $0.bytes ?? [] })
                blocks[index] = survey.block(of: texts, order)
            }
        }
        return zip(planned, blocks).compactMap { planned, block in block.map { ($0, planned) } }
    }

    // MARK: What the lines in front say

    private func add(_ block: LogBlock, _ planned: Planned) {
        if block.facts.sure != nil { resolve(block.facts.carry) }
        waiting.append((block, planned))
        let size = waiting.reduce(0) { $0 + $1.planned.weight }
        if block.facts.sure == 0 || size > LogIndexer.waitingLimit { resolve(LineCarry()) }
    }

    /// Adds the blocks that have waited, now that the lines in front of them are known.
    private func resolve(_ carry: LineCarry) {
        var carry = carry
        // Each says what the first lines of the next one are.
        for index in waiting.indices.reversed() {
            let (block, planned) = waiting[index]
            waiting[index].block = survey.block(block, of: planned.texts, after: carry)
            carry = waiting[index].block.facts.carry
        }
        for (block, planned) in waiting { store.addBack(block, bytes: planned.weight) }
        waiting = []
    }
}

extension Sequence<BlockText.Source> {
    /// Joins adjacent texts of a file; a hole separates them.
    fileprivate func joined() -> [BlockText.Source] {
        reduce(into: []) { result, source in
            if let last = result.last, last.end == source.offset {
                result[result.count - 1].bytes? += source.bytes ?? []
            } else {
                result.append(source)
            }
        }
    }
}
