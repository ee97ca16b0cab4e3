import CHeartwood
import Heartwood
import HeartwoodReading

/// Reads when a line was logged, how serious it is, and what else it says, as the other reading subcommands
/// do.
struct LineReader: Sendable {
    typealias Bytes = UnsafeRawBufferPointer

    let parser = LineRecognizer()

    /// When a line that begins a record was logged and how serious it is, as far as it says so.
    func head(of line: Bytes) -> LineRecognizer.Head { AnsiText.withPlain(line) { parser.head(of: $0) } }

    /// When a line was logged, where it says so.
    func moment(of line: Bytes) -> Int64? {
        AnsiText.withPlain(line) { TraceLines.isContinuation($0) ? nil : parser.moment(of: $0)?.nanoseconds }
    }

    /// All that a line says, without terminal colors.
    func record(of line: Bytes) -> LineRecord { AnsiText.withPlain(line) { parser.record(of: $0) } }
}

/// Counts the records of a block by time and level.
struct BlockSurvey: Sendable {
    /// Into how many pieces the time of a block is divided at most.
    private static let pieces = 64
    /// How much of a line is kept for the lines after it.
    private static let headLimit = 4096

    private let reader = LineReader()

    /// Makes a block of texts whose lines are in some order, given what is in front of it.
    func block(
        of texts: [BlockText.Source], _ order: LineOrder, after earlier: LineCarry = LineCarry()
    ) -> LogBlock {
        let text = BlockText(texts, order)
        let carry = text.lines.first?.part == earlier.part ? earlier : LineCarry()
        return LogBlock(
            pieces: texts.map(LogBlock.Piece.init), order: order, facts: facts(of: text, after: carry),
            carry: carry)
    }

    /// The block when it is known what is in front of it; it was made as if its first line began a record.
    func block(_ block: LogBlock, of texts: [BlockText.Source], after earlier: LineCarry) -> LogBlock {
        let text = BlockText(texts, block.order)
        guard text.lines.first?.part == earlier.part else { return block }
        var records = earlier.records
        if block.facts.sure != 0, text.withLine(0, { begins($0, &records) != nil }) != true {
            return self.block(of: texts, block.order, after: earlier)
        }
        // From its first record on, a block does not depend on what is in front of it.
        var block = block
        block.carry = earlier
        block.facts.carry.takeTime(of: earlier)
        return block
    }

    private func begins(_ line: UnsafeRawBufferPointer, _ records: inout RecordLines) -> LineRecognizer.Head?
    {
        AnsiText.withPlain(line) { records.head(of: $0, reader.parser) }
    }

    /// Reads all lines of a block.
    private func facts(of text: BlockText, after earlier: LineCarry) -> BlockFacts {
        var facts = BlockFacts()
        var times: Times = []
        var (head, timed) = (Int?.none, Int?.none)
        var carry = earlier
        facts.lines = text.lines.count
        // Records in front of the first time of the block have no time.
        carry.moment = nil
        for (index, line) in text.lines.enumerated() {
            let isFirst = line.part != carry.part || line.offset == 0
            if isFirst { (carry.records, carry.part) = (RecordLines(), line.part) }
            guard let found = text.withLine(index, { begins($0, &carry.records) }), let found else {
                continue
            }
            if facts.sure == nil, isFirst && (index > 0 || line.offset == 0) || isSure(index, found, text) {
                facts.sure = index
            }
            head = index
            carry.level = found.level
            if let moment = found.moment {
                carry.moment = moment.nanoseconds
                timed = index
            }
            facts.heads.insert(index)
            count(carry, &facts, &times)
        }
        if let head { (carry.head, carry.timed) = (beginning(of: head, text), nil) }
        if let timed, timed != head { carry.timed = beginning(of: timed, text) }
        carry.takeTime(of: earlier)
        facts.carry = carry
        fillBins(of: &facts, times)
        return facts
    }

    private func isSure(_ line: Int, _ head: LineRecognizer.Head, _ text: BlockText) -> Bool {
        text.withLine(line) { AnsiText.withPlain($0) { RecordLines.isSure($0) { head.form } } } == true
    }

    private func beginning(of line: Int, _ text: BlockText) -> [UInt8]? {
        text[line].map { Array($0.prefix(BlockSurvey.headLimit)) }
    }

    /// Reads some lines of a block; a record counts once however many of its lines are given.
    func facts(of lines: LineSet, in text: BlockText, _ block: LogBlock) -> BlockFacts {
        var facts = BlockFacts()
        var times: Times = []
        facts.lines = lines.count
        forEachRecord(of: lines, in: text, block) { count($0, &facts, &times) }
        fillBins(of: &facts, times)
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
            if known == .some(head) { continue }
            known = .some(head)
            body(record(of: line, in: text, block))
        }
    }

    /// What the record says that a line of a block belongs to; nothing where its first line is gone.
    func record(of line: Int, in text: BlockText, _ block: LogBlock) -> LineCarry {
        guard let head = block.facts.heads.last(upTo: line) else { return block.carry }
        let found = text.withLine(head) { reader.head(of: $0) }
        return LineCarry(level: found?.level, moment: found?.moment?.nanoseconds)
    }

    /// The times of the records of a block, and the places of their levels.
    private typealias Times = [(moment: Int64, place: Int)]

    private func count(_ line: LineCarry, _ facts: inout BlockFacts, _ times: inout Times) {
        let place = TimeBins.place(of: line.level)
        facts.levels[place] &+= 1
        guard let moment = line.moment else { return }
        times.append((moment, place))
        facts.earliest = min(facts.earliest ?? moment, moment)
        facts.latest = max(facts.latest ?? moment, moment)
    }

    private func fillBins(of facts: inout BlockFacts, _ times: Times) {
        guard let earliest = facts.earliest, let latest = facts.latest else { return }
        facts.bins = TimeBins(from: earliest, to: latest, pieces: BlockSurvey.pieces)
        for (moment, place) in times { facts.bins.add(moment, level: place) }
    }
}
