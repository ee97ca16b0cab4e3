import Heartwood
import HeartwoodReading

/// Decides which lines of blocks are selected, and looks at as few of them as that takes.
///
/// A line that does not say when it was logged, or how serious it is, goes with the nearest one in front of
/// it that does: the lines of a stack trace are part of their message. Only lines that are asked about are
/// read, and those in front of them up to the one that begins the message.
struct RecordFilter {
    private let selection: LogSelection
    private let parser: LineRecognizer
    /// What the last line that was looked at belongs to.
    private var current: State
    /// How far the block was looked at.
    private var position = 0
    /// Where the line begins that follows the last one that was asked about.
    private var next = 0

    /// Whether a line had a time, a level and a category, where those were looked for.
    private(set) var hasFoundMoment = false
    private(set) var hasFoundLevel = false
    private(set) var hasFoundCategory = false
    /// Whether a line had a time whose moment is not known.
    private var hasFoundUnknownZone = false
    /// Whether a line had each field that a condition names.
    private var hasFoundField: [Bool]
    private var hasLooked = false
    /// Up to where no line of the block passes by itself, while the one in front does not.
    private var clear = 0
    /// What was found of each condition in the block.
    private var cursors: [NeedleCursors]
    private var categoryCursors = NeedleCursors()
    private let category: [UInt8]
    private let wanted: Wanted
    /// What is read of a line; nil where its time and its level are enough.
    private let fields: LineFields?

    private struct State {
        var isInTime: Bool
        var hasLevel: Bool
        var hasCategory: Bool
        var passesConditions: Bool

        /// Before the first line that says anything, only what is not asked for is met.
        init(_ selection: LogSelection) {
            isInTime = selection.since == nil
            hasLevel = selection.levels == nil
            hasCategory = selection.category == nil
            passesConditions = selection.conditions.isEmpty
        }

        var passes: Bool { isInTime && hasLevel && hasCategory && passesConditions }
    }

    init(_ selection: LogSelection, parser: LineRecognizer = LineRecognizer()) {
        self.selection = selection
        self.parser = parser
        current = State(selection)
        hasFoundField = selection.conditions.map { _ in false }
        cursors = selection.conditions.map { _ in NeedleCursors() }
        category = Array((selection.category ?? "").utf8)
        wanted = Wanted(selection)
        let names = selection.conditions.flatMap(\.names)
        let isOfHead = selection.category == nil && names.allSatisfy { $0.part == .time || $0.part == .level }
        fields = isOfHead ? nil : LineFields(names)
    }

    /// Whether a line of the block is selected; lines are asked about in their order.
    mutating func passes(_ line: Range<Int>, in block: UnsafeRawBufferPointer) -> Bool {
        if selection.selectsRecords {
            let isNext = line.lowerBound == next
            next = line.upperBound + 1
            if isNext, line.upperBound <= clear || cannotPass(line, block) { return false }
            clear = 0
            lookAt(upTo: line.upperBound, from: line.lowerBound, block)
            guard current.passes else { return false }
        }
        guard !selection.excluded.isEmpty else { return true }
        let line = UnsafeRawBufferPointer(rebasing: block[line])
        return !selection.excluded.contains { $0.finds(line) }
    }

    /// Whether a line fails by itself, and does not belong to a record that passes, so that it need not be
    /// read.
    ///
    /// That is known only where the line in front of it was asked about.
    private mutating func cannotPass(_ range: Range<Int>, _ block: UnsafeRawBufferPointer) -> Bool {
        if !current.passesConditions {
            for index in selection.conditions.indices {
                let mayHold = selection.conditions[index].mayHold(
                    for: range, in: block, isKnown: hasFoundField[index], &cursors[index])
                if mayHold { continue }
                hasLooked = true
                clear = selection.conditions[index].clearPlace(cursors[index], isKnown: hasFoundField[index])
                return true
            }
        }
        guard hasFoundCategory, !current.hasCategory, !category.isEmpty else { return false }
        return !categoryCursors.mayContain(category, range, of: block)
    }

    /// Notes what the end of the block belongs to, so that the next one can be asked about.
    mutating func finish(_ block: UnsafeRawBufferPointer) {
        guard selection.selectsRecords else { return }
        beginBlock()
        if position < block.count {
            let end = block.last == 0x0A ? block.count - 1 : block.count
            lookAt(upTo: end, from: LogBlockReader.lineStart(in: block, of: end), block)
        }
        position = 0
    }

    private mutating func beginBlock() {
        (next, clear) = (0, 0)
        categoryCursors = NeedleCursors()
        for index in cursors.indices { cursors[index] = NeedleCursors() }
    }

    /// What a person should know who has asked for something that no line had; nil where all is well.
    var complaint: String? {
        guard hasLooked else { return nil }
        if selection.since != nil || selection.until != nil, hasFoundUnknownZone {
            return "--since and --until count some lines to those before them, because their time has a zone "
                + "that is unknown or has several meanings (such as IST or CST)"
        }
        if selection.levels != nil, !hasFoundLevel {
            return "--level matches nothing: heartwood recognizes no level in these lines"
        }
        if selection.since != nil || selection.until != nil, !hasFoundMoment {
            return "--since and --until match nothing: heartwood recognizes no time in these lines"
        }
        if selection.category != nil, !hasFoundCategory {
            return "--category matches nothing: heartwood recognizes no category in these lines"
        }
        if let index = hasFoundField.firstIndex(of: false) {
            let name = selection.conditions[index].name
            return "--where matches nothing: heartwood recognizes no field “\(name)” in these lines"
        }
        return nil
    }

    /// Whether a line alone, which comes after those that were asked about, is selected.
    mutating func passes(alone line: UnsafeRawBufferPointer) -> Bool {
        position = 0
        beginBlock()
        defer {
            position = 0
            beginBlock()
        }
        return passes(0..<line.count, in: line)
    }

    /// Goes backward from a line to what has been looked at, until everything is known that is asked for.
    private mutating func lookAt(upTo end: Int, from start: Int, _ block: UnsafeRawBufferPointer) {
        var unknown = wanted
        var state = current
        let last = end
        var (start, end) = (start, end)
        while true {
            let line = UnsafeRawBufferPointer(rebasing: block[start..<end])
            apply(line, &state, &unknown)
            if unknown.isEmpty || start <= position { break }  // what is in front is known
            end = start - 1
            start = LogBlockReader.lineStart(in: block, of: end)
        }
        current = state
        position = min(block.count, last + 1)
    }

    /// What is still to be found out.
    private struct Wanted {
        var time: Bool
        var level: Bool
        var category: Bool
        var conditions: Bool

        init(_ selection: LogSelection) {
            time = selection.since != nil || selection.until != nil
            level = selection.levels != nil
            category = selection.category != nil
            conditions = !selection.conditions.isEmpty
        }

        var isEmpty: Bool { !time && !level && !category && !conditions }
    }

    private mutating func apply(
        _ line: UnsafeRawBufferPointer, _ state: inout State, _ unknown: inout Wanted
    ) {
        hasLooked = true
        let isContinuation = TraceLines.isContinuation(line)
        let needsLevel = unknown.level || unknown.category || unknown.conditions
        let head = isContinuation ? LineRecognizer.Head() : parser.head(of: line, levels: needsLevel)
        let moment = head.moment
        if head.hasUnknownZone { hasFoundUnknownZone = true }
        if let moment {
            hasFoundMoment = true
            if unknown.time {
                state.isInTime = true
                if let since = selection.since, moment < since { state.isInTime = false }
                if let until = selection.until, moment >= until { state.isInTime = false }
                unknown.time = false
            }
        }
        guard needsLevel, !isContinuation else { return }
        let level = head.level
        if level != nil { hasFoundLevel = true }
        if unknown.level, level != nil || moment != nil {
            state.hasLevel = false
            if let level { state.hasLevel = selection.levels?.contains(level) ?? true }
            unknown.level = false
        }
        guard level != nil || moment != nil else { return }
        guard unknown.category || unknown.conditions else { return }
        var record = LineRecord()
        if let fields {
            record = parser.record(of: line, fields: fields)
        } else {
            (record.moment, record.level) = (head.moment, head.level)
        }
        if record.category != nil { hasFoundCategory = true }
        if unknown.category, let wanted = selection.category {
            let category = record.category ?? ""
            state.hasCategory = category == wanted || category.hasPrefix(wanted + ".")
        }
        if unknown.conditions {
            state.passesConditions = true
            for index in selection.conditions.indices {
                if !hasFoundField[index], selection.conditions[index].hasField(in: record) {
                    hasFoundField[index] = true
                }
                if !selection.conditions[index].holds(for: record) { state.passesConditions = false }
            }
        }
        (unknown.category, unknown.conditions) = (false, false)
    }
}
