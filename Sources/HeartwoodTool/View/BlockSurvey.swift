import Heartwood

/// Counts the lines of a block by time and level.
struct BlockSurvey {
    /// Into how many pieces the time of a block is divided at most.
    private static let pieces = 64
    /// How much of a line is kept for the lines after it.
    private static let headLimit = 4096

    private let reader: LineReader

    init(_ reader: LineReader) {
        self.reader = reader
    }

    /// Reads all lines of a block.
    func facts(of bytes: UnsafeRawBufferPointer) -> BlockFacts {
        var facts = BlockFacts()
        var times = Times()
        var head: Range<Int>?
        var timed: Range<Int>?
        LogBlockReader.forEachLine(of: bytes) { range in
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
            }
            count(facts.carry, &facts, &times)
        }
        if let head { facts.carry.head = Array(bytes[head].prefix(BlockSurvey.headLimit)) }
        if let timed, timed != head { facts.carry.timed = Array(bytes[timed].prefix(BlockSurvey.headLimit)) }
        times.fill(&facts)
        return facts
    }

    /// Reads some lines of a block, given in order.
    func facts(
        of lines: [Range<Int>], in bytes: UnsafeRawBufferPointer, after carry: LineCarry
    ) -> BlockFacts {
        var facts = BlockFacts()
        var times = Times()
        for range in lines {
            count(self.carry(of: range, in: bytes, after: carry), &facts, &times)
        }
        times.fill(&facts)
        return facts
    }

    /// What a line says, or the line that it goes with.
    func carry(of line: Range<Int>, in bytes: UnsafeRawBufferPointer, after carry: LineCarry) -> LineCarry {
        var (start, end) = (line.lowerBound, line.upperBound)
        while true {
            let found = reader.head(of: .init(rebasing: bytes[start..<end]))
            if found.isHead { return LineCarry(level: found.level, moment: found.moment) }
            guard start > 0 else { return carry }
            end = start - 1
            start = end
            while start > 0, bytes[start - 1] != 0x0A { start -= 1 }
        }
    }

    private func count(_ line: LineCarry, _ facts: inout BlockFacts, _ times: inout Times) {
        let place = TimeBins.place(of: line.level)
        facts.lines += 1
        facts.levels[place] &+= 1
        if let moment = line.moment { times.add(moment, place) }
    }

    /// The times of the lines of a block.
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
