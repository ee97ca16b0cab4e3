import Heartwood
import HeartwoodReading

/// Decides which lines of blocks are selected, and looks at as few of them as that takes.
///
/// A line is selected if its record is; ``RecordLines`` tells which record that is, and a record says what
/// its first line says. A record without a time has that of the record in front of it in the file. Only
/// lines that are asked about are read, and those in front of them back to one that surely begins a record.
///
/// 1. The answers are those that reading all lines gives, whichever lines are asked about.
/// 2. What is known of a file ends with it: ``begin()``.
struct RecordFilter {
    private let selection: LogSelection
    private let parser: LineRecognizer
    /// What the record says that the last line belongs to that was looked at.
    private var current: State
    /// What decides about the next line; not yet told of the line `sure`.
    private var records = RecordLines()
    /// The last line that was looked at, where it surely begins a record: mostly, another one follows.
    private var sure: Range<Int>?
    /// How far the block was looked at.
    private var position = 0
    /// Where the line begins that follows the last one that was asked about.
    private var next = 0

    /// Whether a line had a time, a level and a category, where those were looked for.
    private var hasFoundMoment = false
    private var hasFoundLevel = false
    private var hasFoundCategory = false
    /// The records whose moment is not known, where the time is asked for.
    private(set) var unplaced = UnplacedRecords()
    /// Whether a time had no moment.
    private var hasFoundDoubt = false
    private var year = GuessedYear()
    /// Whether a line had each field that a condition names.
    private var hasFoundField: [Bool]
    private var hasLooked = false
    /// Whether the last record that was read had no level, so that it pays to look for one in the bytes.
    private var seldomHasLevel = true
    /// Up to where no line of the block passes by itself, while the one in front does not.
    private var clear = 0
    /// What was found of each condition in the block.
    private var cursors: [NeedleCursors]
    private var categoryCursors = NeedleCursors()
    private let category: [UInt8]
    /// What is read of a line that begins a record; nil where its time and its level are enough.
    private let fields: LineFields?
    private let wantsTime: Bool
    private let wantsLevel: Bool
    /// Whether all conditions ask for the level alone, and whether one cannot be met without a level.
    private let areOfLevel: Bool
    private let needsLevel: Bool

    private struct State {
        var isInTime: Bool
        /// Whether the time is asked for, and the record has none that is known.
        var isUnplaced: Bool
        /// Whether the record is counted among those.
        var isCounted = false
        var hasLevel: Bool
        var hasCategory: Bool
        var passesConditions: Bool

        /// Before the first record of a file, only what is not asked for is met.
        init(_ selection: LogSelection) {
            isInTime = selection.since == nil
            isUnplaced = selection.since != nil || selection.until != nil
            hasLevel = selection.levels == nil
            hasCategory = selection.category == nil
            passesConditions = selection.conditions.isEmpty
        }

        var passes: Bool { (isInTime || isUnplaced) && hasLevel && hasCategory && passesConditions }
    }

    init(_ selection: LogSelection, parser: LineRecognizer = LineRecognizer()) {
        self.selection = selection
        self.parser = parser
        current = State(selection)
        hasFoundField = selection.conditions.map { _ in false }
        cursors = selection.conditions.map { _ in NeedleCursors() }
        category = Array((selection.category ?? "").utf8)
        let names = selection.conditions.flatMap(\.names)
        let isOfHead = selection.category == nil && names.allSatisfy { $0.part == .time || $0.part == .level }
        fields = isOfHead ? nil : LineFields(names)
        wantsTime = selection.since != nil || selection.until != nil
        areOfLevel = selection.conditions.allSatisfy(\.isOfLevel)
        needsLevel = selection.conditions.contains(where: \.needsLevel)
        wantsLevel = isOfHead && (selection.levels != nil || !selection.conditions.isEmpty)
    }

    /// Begins a file at a place of the block, by default at its beginning: nothing in front of it counts.
    mutating func begin(at place: Int = 0, modified: LogTimestamp? = nil) {
        unplaced.begin()
        year = GuessedYear(modified: modified)
        (records, sure, position) = (RecordLines(), nil, place)
        current = State(selection)
        (next, clear) = (place, 0)
    }

    /// Continues after the records with these first lines, of which the last is the nearest.
    mutating func begin(after firstLines: [[UInt8]], _ records: RecordLines) {
        begin()
        for line in firstLines {
            line.withUnsafeBytes { line in
                let head = AnsiText.withPlain(line) { parser.head(of: $0) }
                note(head, line)
                judge(0..<line.count, head, in: line)
            }
        }
        self.records = records
    }

    /// Whether a line of the block is selected; lines are asked about in their order.
    mutating func passes(_ line: Range<Int>, in block: UnsafeRawBufferPointer) -> Bool {
        if selection.selectsRecords {
            let isNext = line.lowerBound == next
            next = line.upperBound + 1
            let isClear = line.lowerBound < clear && line.upperBound <= clear
            if isNext, isClear || cannotPass(line, block) { return false }
            clear = 0
            lookAt(upTo: line.upperBound, from: line.lowerBound, block)
            guard current.passes else { return false }
        }
        let line = UnsafeRawBufferPointer(rebasing: block[line])
        if selection.excluded.contains(where: { $0.finds(line) }) { return false }
        if current.isUnplaced, !current.isCounted {
            current.isCounted = true
            unplaced.count(isLeftOut: !current.isInTime)
        }
        return current.isInTime
    }

    /// Whether a line fails by itself, and does not belong to a record that passes, so that it need not be
    /// read.
    ///
    /// That is known only where the line in front of it was asked about.
    private mutating func cannotPass(_ range: Range<Int>, _ block: UnsafeRawBufferPointer) -> Bool {
        if !current.passesConditions, !areOfLevel {
            for index in selection.conditions.indices {
                let mayHold = selection.conditions[index].mayHold(
                    for: range, in: block, isKnown: hasFoundField[index], &cursors[index])
                if mayHold { continue }
                hasLooked = true
                clear = selection.conditions[index].clearPlace(cursors[index], isKnown: hasFoundField[index])
                return true
            }
        }
        if !current.hasLevel || needsLevel && !current.passesConditions, seldomHasLevel,
            !LineScan.mayHaveLevel(UnsafeRawBufferPointer(rebasing: block[range]))
        {
            hasLooked = true
            return true
        }
        guard hasFoundCategory, !current.hasCategory, !category.isEmpty else { return false }
        return !categoryCursors.mayContain(category, range, of: block)
    }

    /// Notes what the end of the block belongs to, so that the next one can be asked about.
    mutating func finish(_ block: UnsafeRawBufferPointer) {
        guard selection.selectsRecords else { return }
        if position < block.count {
            let end = block.last == .newline ? block.count - 1 : block.count
            lookAt(upTo: end, from: LogBlockReader.lineStart(in: block, of: end), block)
        }
        enterSure(block)
        beginBlock()
    }

    private mutating func beginBlock() {
        (position, next, clear) = (0, 0, 0)
        categoryCursors = NeedleCursors()
        for index in cursors.indices { cursors[index] = NeedleCursors() }
    }

    /// What a person should know who has asked for something that some lines, or all, do not have.
    var complaints: [String] {
        let count = unplaced.summary(selection.timeFilters).map { count in
            hasFoundMoment || hasFoundDoubt ? count : "\(count); heartwood recognizes no time in these lines"
        }
        return [count, complaint].compactMap { $0 }
    }

    /// What no line had that is asked for; nil where all is well.
    private var complaint: String? {
        guard hasLooked else { return nil }
        if selection.levels != nil, !hasFoundLevel {
            return "--level matches nothing: heartwood recognizes no level in these lines"
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
        defer { finish(line) }
        return passes(0..<line.count, in: line)
    }

    // MARK: Looking at lines

    /// Goes backward from a line to what has been looked at, or to what surely begins a record of a known
    /// time, and forward again.
    private mutating func lookAt(upTo end: Int, from start: Int, _ block: UnsafeRawBufferPointer) {
        hasLooked = true
        var line = start..<end
        /// The last line that begins a record.
        var last: (line: Range<Int>, head: LineRecognizer.Head)?
        // Where no line is sure, reading all lines from what is known on costs less than going back to it.
        var looks = 0
        while line.lowerBound > position, looks < 256 {
            looks += 1
            let (isSure, head) = look(at: line, in: block, levels: wantsLevel)
            if isSure, let head, !wantsTime || head.moment != nil {
                last = (line, head)
                break
            }
            // Zero bytes in front of a line are no part of it.
            var before = line.lowerBound
            while before > position, block[before - 1] == 0 { before -= 1 }
            guard before > position else { break }
            line = LogBlockReader.lineStart(in: block, of: before - 1)..<before - 1
        }
        var next = position
        if let last {
            sure = last.line
            note(last.head, UnsafeRawBufferPointer(rebasing: block[last.line]))
            next = last.line.upperBound + 1
        }
        while next <= start,
            let line = next == start ? start..<end : LogBlockReader.line(of: block, from: next),
            line.lowerBound <= start
        {
            if let head = take(line, in: block) { last = (line, head) }
            next = line.upperBound + 1
        }
        if let last { judge(last.line, last.head, in: block) }
        position = min(block.count, end + 1)
    }

    /// Whether a line surely begins a record, and its head where that was read.
    private func look(
        at line: Range<Int>, in block: UnsafeRawBufferPointer, levels: Bool
    ) -> (isSure: Bool, head: LineRecognizer.Head?) {
        AnsiText.withPlain(.init(rebasing: block[line])) { line in
            var head: LineRecognizer.Head?
            let isSure = RecordLines.isSure(line) {
                let own = parser.head(of: line, levels: levels)
                head = own
                return own.form
            }
            return (isSure, head)
        }
    }

    /// Takes the line after the last one that was taken; gives its head where it begins a record.
    private mutating func take(
        _ line: Range<Int>, in block: UnsafeRawBufferPointer
    ) -> LineRecognizer.Head? {
        // After a line that was not sure, the level is probably needed: it tells what a trace may have.
        let levels = wantsLevel || sure == nil
        var (isSure, head) = look(at: line, in: block, levels: levels)
        if isSure {
            sure = line
        } else {
            enterSure(block)
            let (parser, known) = (parser, levels ? head : nil)
            let begins = AnsiText.withPlain(.init(rebasing: block[line])) { line in
                records.begins(line) {
                    let own = known ?? parser.head(of: line)
                    head = own
                    return own
                }
            }
            if !begins { return nil }
        }
        if let head { note(head, UnsafeRawBufferPointer(rebasing: block[line])) }
        return head
    }

    /// Tells what decides about the next line of the line that surely began a record.
    private mutating func enterSure(_ block: UnsafeRawBufferPointer) {
        guard let line = sure.take() else { return }
        records = RecordLines()
        _ = AnsiText.withPlain(.init(rebasing: block[line])) { records.head(of: $0, parser) }
    }

    // MARK: What records say

    /// Notes the time of a record, by its first line.
    private mutating func note(_ head: LineRecognizer.Head, _ line: UnsafeRawBufferPointer) {
        guard wantsTime else { return }
        (current.isCounted, current.isUnplaced) = (false, head.moment == nil)
        guard let moment = head.moment else {
            guard let doubt = TimeDoubt(head, of: line) else { return }
            hasFoundDoubt = true
            return unplaced.note(doubt, line)
        }
        hasFoundMoment = true
        if year.isWrong(moment, line) { unplaced.note(.year, line) }
        current.isInTime = true
        if let since = selection.since, moment < since { current.isInTime = false }
        if let until = selection.until, moment >= until { current.isInTime = false }
    }

    /// Decides about a record of which nothing but the level is asked.
    private mutating func judge(_ level: LogLevel?) {
        if let level {
            hasFoundLevel = true
            if let levels = selection.levels { current.hasLevel = levels.contains(level) }
        } else {
            current.hasLevel = selection.levels == nil
        }
        current.passesConditions = true
        for index in selection.conditions.indices {
            if level != nil || !selection.conditions[index].needsLevel { hasFoundField[index] = true }
            if !selection.conditions[index].holds(for: level) { current.passesConditions = false }
        }
    }

    /// Decides about a record by its first line.
    private mutating func judge(
        _ line: Range<Int>, _ head: LineRecognizer.Head, in block: UnsafeRawBufferPointer
    ) {
        seldomHasLevel = head.level == nil
        guard wantsLevel || fields != nil else { return }
        if fields == nil, areOfLevel, !selection.conditions.isEmpty { return judge(head.level) }
        if fields == nil, selection.conditions.isEmpty {
            if head.level != nil { hasFoundLevel = true }
            current.hasLevel = head.level.map { selection.levels?.contains($0) == true } ?? false
            return
        }
        var record = LineRecord()
        if let fields {
            let line = UnsafeRawBufferPointer(rebasing: block[line])
            record = AnsiText.withPlain(line) { parser.record(of: $0, fields: fields) }
        } else {
            (record.moment, record.level) = (head.moment, head.level)
        }
        if record.level != nil { hasFoundLevel = true }
        if let levels = selection.levels { current.hasLevel = record.level.map(levels.contains) ?? false }
        if record.category != nil { hasFoundCategory = true }
        if let wanted = selection.category {
            let category = record.category ?? ""
            current.hasCategory = category == wanted || category.hasPrefix(wanted + ".")
        }
        current.passesConditions = true
        for index in selection.conditions.indices {
            if !hasFoundField[index], selection.conditions[index].hasField(in: record) {
                hasFoundField[index] = true
            }
            if !selection.conditions[index].holds(for: record) { current.passesConditions = false }
        }
    }
}
