import Heartwood
import HeartwoodReading

/// Merges the lines of several files by their times.
///
/// The lines of each file keep their order. A line that does not say when it was logged stays with the line
/// before it.
struct TextMerge: Sendable {
    /// A line with a time, and those without one after it.
    struct Unit: Sendable {
        /// Where it begins.
        let start: Int
        let moment: Int64
        var lines = 0
    }

    private let reader = LineReader()

    /// The units of a text; the first one has the earliest of all moments where its first line says none.
    func units(of text: UnsafeRawBufferPointer) -> [Unit] {
        var units: [Unit] = []
        // Zero bytes in front of a line go with it: after the line before, they would be one of their own.
        var start = 0
        LogBlockReader.forEachLine(of: text) { line in
            if let moment = reader.moment(of: .init(rebasing: text[line])) {
                units.append(Unit(start: start, moment: moment))
            } else if units.isEmpty {
                units.append(Unit(start: start, moment: .min))
            }
            units[units.count - 1].lines += 1
            start = line.upperBound + 1
        }
        return units
    }

    /// The order of the lines of some texts by their times; of two with the same time the earlier text's
    /// comes first.
    func order(of texts: [[UInt8]]) -> LineOrder {
        if texts.count == 1 {
            var lines = 0
            texts[0].withUnsafeBytes { LogBlockReader.forEachLine(of: $0) { _ in lines += 1 } }
            return LineOrder(lines: lines)
        }
        let units = texts.map { text in text.withUnsafeBytes { self.units(of: $0) } }
        var order = LineOrder()
        var next = [Int](repeating: 0, count: texts.count)
        var queue = MergeQueue { (left: MergeQueue.Entry, right: MergeQueue.Entry) in
            left.moment == right.moment ? left.index < right.index : left.moment < right.moment
        }
        for index in texts.indices where !units[index].isEmpty {
            queue.insert(.init(moment: units[index][0].moment, index: index))
        }
        while let entry = queue.popFirst() {
            let (index, own) = (entry.index, units[entry.index])
            var lines = 0
            // As long as it stays the first one.
            repeat {
                lines += own[next[index]].lines
                next[index] += 1
                guard next[index] < own.count else { break }
            } while queue.isFirst(.init(moment: own[next[index]].moment, index: index))
            order.append(text: index, lines: lines)
            if next[index] < own.count {
                queue.insert(.init(moment: own[next[index]].moment, index: index))
            }
        }
        return order
    }
}

/// What is to be merged next: a heap.
struct MergeQueue {
    struct Entry {
        let moment: Int64
        let index: Int
    }

    private let precedes: (Entry, Entry) -> Bool
    private var entries: [Entry] = []

    init(_ precedes: @escaping (Entry, Entry) -> Bool) {
        self.precedes = precedes
    }

    /// Whether an entry would come before all others.
    func isFirst(_ entry: Entry) -> Bool { entries.first.map { precedes(entry, $0) } ?? true }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var place = entries.count - 1
        while place > 0, precedes(entries[place], entries[(place - 1) / 2]) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func popFirst() -> Entry? {
        guard let first = entries.first else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < entries.count && precedes(entries[child], entries[least]) {
                least = child
            }
            guard least != place else { return first }
            entries.swapAt(place, least)
            place = least
        }
    }
}
