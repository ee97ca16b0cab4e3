import CHeartwood
import Heartwood
import HeartwoodReading

/// Reads when a line was logged, how serious it is, and what else it says, as the other reading subcommands
/// do.
struct LineReader: Sendable {
    typealias Bytes = UnsafeRawBufferPointer

    private let parser = LineRecognizer()

    /// When a line was logged and how serious it is; it is a head where it says either.
    func head(of line: Bytes) -> (moment: Int64?, level: LogLevel?, isHead: Bool) {
        if let plain = AnsiText.stripped(line) { return plain.withUnsafeBytes { plainHead(of: $0) } }
        return plainHead(of: line)
    }

    private func plainHead(of line: Bytes) -> (moment: Int64?, level: LogLevel?, isHead: Bool) {
        if TraceLines.isContinuation(line) { return (nil, nil, false) }
        let head = parser.head(of: line)
        return (head.moment?.nanoseconds, head.level, head.moment != nil || head.level != nil)
    }

    /// When a line was logged, where it says so.
    func moment(of line: Bytes) -> Int64? {
        if let plain = AnsiText.stripped(line) { return plain.withUnsafeBytes { moment(of: $0) } }
        return TraceLines.isContinuation(line) ? nil : parser.moment(of: line)?.nanoseconds
    }

    /// All that a line says, without terminal colors, and whether it is a head.
    func record(of line: Bytes) -> (record: LineRecord, isHead: Bool) {
        if let plain = AnsiText.stripped(line) { return plain.withUnsafeBytes { plainRecord(of: $0) } }
        return plainRecord(of: line)
    }

    private func plainRecord(of line: Bytes) -> (record: LineRecord, isHead: Bool) {
        let record = parser.record(of: line)
        return (record, (record.moment != nil || record.level != nil) && !TraceLines.isContinuation(line))
    }
}

/// Counts the records of a block by time and level.
struct BlockSurvey: Sendable {
    /// Into how many pieces the time of a block is divided at most.
    private static let pieces = 64
    /// How much of a line is kept for the lines after it.
    private static let headLimit = 4096

    private let reader = LineReader()

    /// Reads all lines of a block.
    func facts(of bytes: UnsafeRawBufferPointer) -> BlockFacts {
        var facts = BlockFacts()
        var times = Times()
        var head: Range<Int>?
        var timed: Range<Int>?
        LogBlockReader.forEachLine(of: bytes) { range in
            facts.lines += 1
            let line = reader.head(of: .init(rebasing: bytes[range]))
            if line.isHead {
                head = range
                facts.carry.level = line.level
                if let moment = line.moment {
                    facts.carry.moment = moment
                    timed = range
                }
            } else if head == nil {
                facts.leading += 1
            } else {
                return
            }
            facts.heads.insert(facts.lines - 1)
            count(facts.carry, &facts, &times)
        }
        if let head { facts.carry.head = Array(bytes[head].prefix(BlockSurvey.headLimit)) }
        if let timed, timed != head { facts.carry.timed = Array(bytes[timed].prefix(BlockSurvey.headLimit)) }
        times.fill(&facts)
        return facts
    }

    /// Makes a block of texts whose lines are in some order.
    func block(of texts: [BlockText.Source], _ order: LineOrder) -> LogBlock {
        let text = BlockText(texts, order)
        return LogBlock(
            pieces: texts.map(LogBlock.Piece.init), order: order,
            facts: text.bytes.withUnsafeBytes(facts))
    }

    /// Reads some lines of a block; a record counts once however many of its lines are given.
    func facts(of lines: LineSet, in text: BlockText, _ block: LogBlock) -> BlockFacts {
        var facts = BlockFacts()
        var times = Times()
        facts.lines = lines.count
        forEachRecord(of: lines, in: text, block) { count($0, &facts, &times) }
        times.fill(&facts)
        return facts
    }

    /// Counts the records of some lines of a block into pieces of time.
    func count(_ lines: LineSet, in text: BlockText, _ block: LogBlock, into bins: inout TimeBins) {
        let isAll = lines.count == block.facts.heads.count
        var last: Int64?
        forEachRecord(of: lines, in: text, block) { found in
            // As in the facts of the block, one without a time is at that of the one in front of it.
            last = found.moment ?? (isAll ? last : nil)
            if let last { bins.add(last, level: TimeBins.place(of: found.level)) }
        }
    }

    /// Calls `body` once for each record that some lines belong to.
    private func forEachRecord(
        of lines: LineSet, in text: BlockText, _ block: LogBlock, _ body: (LineCarry) -> Void
    ) {
        var known: Int??
        for line in lines.lines {
            let head = block.facts.heads.last(upTo: line)
            if known == .some(head), head != nil || block.carry.head != nil { continue }
            known = .some(head)
            body(record(of: line, in: text, block))
        }
    }

    /// What the record says that a line of a block belongs to; nothing where its first line is gone.
    func record(of line: Int, in text: BlockText, _ block: LogBlock) -> LineCarry {
        guard let head = block.facts.heads.last(upTo: line) else { return block.carry }
        let found = text.withLine(head) { reader.head(of: $0) }
        return LineCarry(level: found?.level, moment: found?.moment)
    }

    private func count(_ line: LineCarry, _ facts: inout BlockFacts, _ times: inout Times) {
        let place = TimeBins.place(of: line.level)
        facts.levels[place] &+= 1
        if let moment = line.moment { times.add(moment, place) }
    }

    /// The times of the records of a block.
    private struct Times {
        private var moments: [(moment: Int64, place: UInt8)] = []
        private var earliest = Int64.max
        private var latest = Int64.min

        mutating func add(_ moment: Int64, _ place: Int) {
            moments.append((moment, UInt8(place)))
            earliest = min(earliest, moment)
            latest = max(latest, moment)
        }

        func fill(_ facts: inout BlockFacts) {
            guard !moments.isEmpty else { return }
            facts.earliest = earliest
            facts.latest = latest
            facts.bins = TimeBins(from: earliest, to: latest, pieces: BlockSurvey.pieces)
            for (moment, place) in moments { facts.bins.add(moment, level: Int(place)) }
        }
    }
}
