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

    /// All that a line says; one without terminal colors.
    func record(of line: Bytes) -> LineRecord { parser.record(of: line) }
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
            count(facts.carry, &facts, &times)
        }
        if let head { facts.carry.head = Array(bytes[head].prefix(BlockSurvey.headLimit)) }
        if let timed, timed != head { facts.carry.timed = Array(bytes[timed].prefix(BlockSurvey.headLimit)) }
        times.fill(&facts)
        return facts
    }

    /// Reads some lines of a block, given in order; a record counts once however many of its lines are given.
    func facts(
        of lines: [Range<Int>], in bytes: UnsafeRawBufferPointer, after carry: LineCarry
    ) -> BlockFacts {
        var facts = BlockFacts()
        var times = Times()
        facts.lines = lines.count
        forEachRecord(of: lines, in: bytes, after: carry) { _, found, _ in count(found, &facts, &times) }
        times.fill(&facts)
        return facts
    }

    /// Counts the records of some lines into pieces of time; of all lines where none are given.
    func count(
        _ lines: [Range<Int>]?, in bytes: UnsafeRawBufferPointer, after carry: LineCarry,
        into bins: inout TimeBins
    ) {
        if let lines {
            forEachRecord(of: lines, in: bytes, after: carry) { _, found, _ in
                if let moment = found.moment { bins.add(moment, level: TimeBins.place(of: found.level)) }
            }
            return
        }
        var moment: Int64?
        LogBlockReader.forEachLine(of: bytes) { range in
            let line = reader.head(of: .init(rebasing: bytes[range]))
            moment = line.moment ?? moment
            if line.isHead, let moment { bins.add(moment, level: TimeBins.place(of: line.level)) }
        }
    }

    /// Calls `body` once for each record that lines belong to, which are given in order, with the first of
    /// these lines and what ``record(of:in:after:known:)`` says; lines of no record are one each.
    func forEachRecord(
        of lines: [Range<Int>], in bytes: UnsafeRawBufferPointer, after carry: LineCarry,
        _ body: (_ line: Range<Int>, _ record: LineCarry, _ start: Int?) -> Void
    ) {
        var known: KnownRecord?
        for line in lines {
            let record = record(of: line, in: bytes, after: carry, known: known)
            defer { known = (line.lowerBound, record) }
            if let known, known.record.start == record.start, record.start != nil || carry.head != nil {
                continue
            }
            body(line, record.0, record.start)
        }
    }

    /// The record of the line that begins at a place.
    typealias KnownRecord = (place: Int, record: (LineCarry, start: Int?))

    /// What the record says that a line belongs to, and where its first line begins; nil where that is in an
    /// earlier block.
    ///
    /// Goes back no further than to an earlier line that is `known`.
    func record(
        of line: Range<Int>, in bytes: UnsafeRawBufferPointer, after carry: LineCarry,
        known: KnownRecord? = nil
    ) -> (LineCarry, start: Int?) {
        var (start, end) = (line.lowerBound, line.upperBound)
        while true {
            if let known, start == known.place { return known.record }
            let found = reader.head(of: .init(rebasing: bytes[start..<end]))
            if found.isHead { return (LineCarry(level: found.level, moment: found.moment), start) }
            guard start > 0 else { return (carry, nil) }
            end = start - 1
            start = LogBlockReader.lineStart(in: bytes, of: end)
        }
    }

    private func count(_ line: LineCarry, _ facts: inout BlockFacts, _ times: inout Times) {
        let place = TimeBins.place(of: line.level)
        facts.records += 1
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
