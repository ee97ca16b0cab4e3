import Dispatch
import Heartwood
import HeartwoodReading

/// The short way of lines into files, where those are the only place that they go to: from the block that was
/// read to the block that is written, without a message for each.
///
/// What is written, counted and left out is the same as on the long way through a dispatcher; all lines of a
/// block have the time at which it was read.
///
/// Owned by the pump's thread.
final class DirectLines {
    private let options: PipeOptions
    private let template: LineTemplate
    private let output: BlockOutput
    private let stop: StopSignal
    private let levelOf: LevelRule
    /// Lines of each level in the block at hand.
    private let levels: UnsafeMutablePointer<Int>
    private var lastLevel = LogLevel.info
    private let recognizer = LineRecognizer()
    private var redactor: LineRedactor?
    private var joiner: RecordJoiner?
    /// When the current lines were read.
    private var now = Duration.zero
    private var owner = ThreadOwner("the direct way of lines")

    init(
        _ options: PipeOptions, file: FileLogger, formatter: LogFormatter?, category: LogCategory,
        _ stop: StopSignal
    ) {
        self.options = options
        self.stop = stop
        template = LineTemplate(options.form, formatter: formatter, category: category)
        output = BlockOutput(file)
        levelOf = LevelRule(options)
        redactor = options.content.redaction.map { LineRedactor($0) }
        joiner = options.joiner
        levels = .allocate(capacity: 7)
        levels.initialize(repeating: 0, count: 7)
    }

    deinit { levels.deallocate() }

    /// Takes all lines that the splitter has; the rest, too, where the input is at its end.
    ///
    /// The last line of the last input has a newline only if it came with one, where bytes are written as
    /// they are.
    func take(
        _ splitter: inout LineSplitter, atEnd: Bool, isLast: Bool = false, _ counts: inout PipeCounts
    ) {
        fill(&counts) { buffer, ends, tally in
            if atEnd {
                splitter.finish { line, part, _ in add(line, part, &buffer, &ends, &tally) }
                joiner?.finish { addJoined($0, &buffer, &ends, &tally) }
                if isLast, options.form == .raw, let end = ends.popLast() {
                    buffer.truncate(to: end - 1)
                    ends.append(end - 1)
                }
            } else {
                splitter.forEachLine { line, part, _ in add(line, part, &buffer, &ends, &tally) }
            }
        }
    }

    /// When the current record stops waiting for a line that continues it.
    var deadline: Duration? { joiner?.deadline }

    /// Takes a record that has waited long enough.
    func expire(_ counts: inout PipeCounts) {
        guard let deadline, SystemClock().uptime() >= deadline else { return }
        fill(&counts) { buffer, ends, tally in joiner?.finish { addJoined($0, &buffer, &ends, &tally) } }
    }

    /// Writes a block, and counts what is in it.
    private func fill(
        _ counts: inout PipeCounts, _ body: (inout LogBuffer, inout [Int], inout PipeCounts) -> Void
    ) {
        owner.enter()
        let clock = SystemClock()
        now = clock.uptime()
        template.begin(at: clock.now())
        let block = output.next(unless: stop)
        var tally = PipeCounts()
        block.fill { body(&$0, &$1, &tally) }
        output.write(block)
        for index in 0..<7 {
            counts.levels[index] += levels[index]
            levels[index] = 0
        }
        counts.lines += tally.lines
        counts.records += tally.records
        counts.joinedRecords += tally.joinedRecords
        counts.joinedLines += tally.joinedLines
        counts.cutLines += tally.cutLines
        counts.belowLevel += tally.belowLevel
        counts.notUTF8 += tally.notUTF8
    }

    @inline(__always)
    private func add(
        _ line: UnsafeRawBufferPointer, _ part: LineSplitter.Part, _ buffer: inout LogBuffer,
        _ ends: inout [Int], _ tally: inout PipeCounts
    ) {
        if redactor == nil { return join(line, part, &buffer, &ends, &tally) }
        var clear = LogBuffer(capacity: line.count)
        redactor?.append(line, to: &clear)
        clear.reserve(LineScan.slack)
        clear.withUnsafeBytes { join($0, part, &buffer, &ends, &tally) }
    }

    /// Puts lines together where that is wanted; a piece of a long line is a record of its own.
    @inline(__always)
    private func join(
        _ line: UnsafeRawBufferPointer, _ part: LineSplitter.Part, _ buffer: inout LogBuffer,
        _ ends: inout [Int], _ tally: inout PipeCounts
    ) {
        guard joiner != nil else { return addClear(line, part, nil, &buffer, &ends, &tally) }
        if part == .whole {
            joiner?.add(line, at: now) { addJoined($0, &buffer, &ends, &tally) }
        } else {
            joiner?.finish { addJoined($0, &buffer, &ends, &tally) }
            addClear(line, part, nil, &buffer, &ends, &tally)
        }
    }

    private func addJoined(
        _ record: RecordJoiner.Record, _ buffer: inout LogBuffer, _ ends: inout [Int],
        _ tally: inout PipeCounts
    ) {
        tally.lines += record.lines - 1
        if record.lines > 1 {
            tally.joinedRecords += 1
            tally.joinedLines += record.lines
        }
        addClear(record.bytes, .whole, record, &buffer, &ends, &tally)
    }

    /// Adds a line without secrets.
    @inline(__always)
    private func addClear(
        _ line: UnsafeRawBufferPointer, _ part: LineSplitter.Part, _ record: RecordJoiner.Record?,
        _ buffer: inout LogBuffer, _ ends: inout [Int], _ tally: inout PipeCounts
    ) {
        let known = record?.head
        let scan = levelOf.scan(line, record)
        guard part == .whole else { return addPiece(line, part, scan, &buffer, &ends, &tally) }
        var moment: LogTimestamp?
        let level: LogLevel
        if options.content.takesTime {
            (level, moment) = levelOf.head(line, scan, known)
        } else {
            level = levelOf(line, scan, known)
        }
        tally.lines += 1
        levels[min(level.index, 6)] += 1
        if !options.levels.contains(level) {
            tally.belowLevel += 1
            return
        }
        if scan.needsCare, !line.isUTF8 { tally.notUTF8 += 1 }
        tally.records += 1
        defer { ends.append(buffer.count) }
        if options.form == .json, line.first == UInt8(ascii: "{"),
            let content = LineContent(
                line, merges: options.content.mergesJSON, recognizer: recognizer,
                takesTime: options.content.takesTime)
        {
            return template.append(
                content.text ?? LogText(utf8: line), level, fields: content.fields, at: content.moment,
                to: &buffer)
        }
        if options.content.takesTime {
            return template.append(
                line, level, needsCare: scan.needsCare, hasQuote: scan.hasQuote, at: moment, to: &buffer)
        }
        template.append(
            line, level, needsCare: scan.needsCare, hasQuote: scan.hasQuote, to: &buffer)
    }

    /// A piece of a line has the level of the first, and says which it is.
    private func addPiece(
        _ line: UnsafeRawBufferPointer, _ part: LineSplitter.Part, _ scan: LineScan,
        _ buffer: inout LogBuffer, _ ends: inout [Int], _ tally: inout PipeCounts
    ) {
        if part == .piece(1) { lastLevel = levelOf(line, scan) }
        let level = lastLevel
        if case .last = part {
            tally.lines += 1
            tally.cutLines += 1
            levels[min(level.index, 6)] += 1
        }
        if !options.levels.contains(level) {
            if case .last = part { tally.belowLevel += 1 }
            return
        }
        if scan.needsCare, !line.isUTF8 { tally.notUTF8 += 1 }
        tally.records += 1
        template.append(line, level, fields: part.fields ?? [:], to: &buffer)
        ends.append(buffer.count)
    }
}

/// Hands finished lines to the file logger, a block at a time: while one is written, the next is filled.
///
/// Owned by the pump's thread; the logger's queue gives blocks back.
final class BlockOutput {
    private let file: FileLogger
    private let free: Locked<[LineBlock]>
    private let returned = DispatchSemaphore(value: BlockOutput.count)
    private var owner = ThreadOwner("the output of blocks")

    /// How many blocks there are: so much may be on its way.
    private static let count = 3
    private static let capacity = 640 * 1024

    init(_ file: FileLogger) {
        self.file = file
        free = Locked((0..<BlockOutput.count).map { _ in LineBlock(capacity: BlockOutput.capacity) })
    }

    /// An empty block, as soon as one is free.
    ///
    /// Once the process is asked to end, a writer that hangs is not waited for: then it is a new one.
    func next(unless stop: StopSignal) -> LineBlock {
        owner.enter()
        while returned.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if stop.isRequested { return LineBlock(capacity: BlockOutput.capacity) }
        }
        return free.withLock { $0.popLast() } ?? LineBlock(capacity: BlockOutput.capacity)
    }

    /// Has the block written after those before it.
    func write(_ block: LineBlock) {
        owner.enter()
        file.write(block) { [free, returned] in
            free.withLock { $0.append(block) }
            returned.signal()
        }
    }
}
