import Foundation

/// What the loggers of a world should have delivered, and whether they have.
struct JournalOracle {
    /// A line of a logger.
    struct Line {
        let number: Int
        /// In which order the logger wrote it, over all files.
        let order: Int
    }

    /// What one logger, from when it was added until it was removed or died, should have delivered.
    private struct Series {
        let logger: Int
        var wanted: [Int] = []
        /// What may be there, or not: a call that had not returned, or a journal that was cut.
        var perhaps: Set<Int> = []
    }

    private var series: [Series] = []
    /// Whether all that a logger delivers must be in order: nothing ever kept a recovery waiting.
    var isOrdered = true

    /// A logger was added; gives the number of its series.
    mutating func begin(_ logger: Int) -> Int {
        series.append(Series(logger: logger))
        return series.count - 1
    }

    /// A logger should deliver a message, or may where `isSure` is false.
    mutating func want(_ number: Int, in index: Int, isSure: Bool) {
        if isSure { series[index].wanted.append(number) } else { series[index].perhaps.insert(number) }
    }

    /// What is wrong with what a logger has delivered, if anything.
    func judge(_ lines: [Line], of logger: Int) -> String? {
        let found = lines.sorted { $0.order < $1.order }.map(\.number)
        var known: Set<Int> = []
        for one in series where one.logger == logger {
            let members = Set(one.wanted).union(one.perhaps)
            known.formUnion(members)
            let mine = found.filter(members.contains)
            let due = mine.filter { !one.perhaps.contains($0) }
            if due != one.wanted { return "logger \(logger): \(due) where \(one.wanted) was due" }
            if zip(mine, mine.dropFirst()).contains(where: >=) {
                return "logger \(logger): \(mine) is out of order"
            }
        }
        let foreign = found.filter { !known.contains($0) }
        if !foreign.isEmpty { return "logger \(logger): \(foreign) was not for it" }
        if isOrdered, found != found.sorted() {
            return "logger \(logger): \(found): an earlier run's messages are after a later one's"
        }
        return nil
    }
}
