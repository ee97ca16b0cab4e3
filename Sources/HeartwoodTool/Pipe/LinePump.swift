import CHeartwood
import Heartwood
import HeartwoodReading

/// Moves lines from the inputs to the dispatcher, on the thread that calls it.
final class LinePump {
    private let options: PipeOptions
    private let destinations: PipeDestinations
    private let stop: StopSignal
    private let progress: ProgressLine?
    private let category: LogCategory
    private let began = SystemClock().uptime()
    private var lastLevel = LogLevel.info
    private let levelOf: LevelRule
    private let direct: DirectLines?
    private var joiner: RecordJoiner?
    private var redactor: LineRedactor?
    private let recognizer = LineRecognizer()
    private(set) var counts = PipeCounts()
    private var isAtLastInput = true
    /// Where a journal is: what was read and is not in it yet.
    private let inputJournal: InputJournal?
    /// Where in the stream of the input's journal the last line ended that was put into a record.
    private var lastEnd = 0

    init(
        _ options: PipeOptions, _ destinations: PipeDestinations, _ stop: StopSignal,
        _ inputJournal: InputJournal?
    ) {
        self.options = options
        self.inputJournal = inputJournal
        self.destinations = destinations
        self.stop = stop
        category = options.name.map { LogCategory($0) } ?? .default
        levelOf = LevelRule(options)
        joiner = options.joiner
        redactor = options.content.redaction.map { LineRedactor($0) }
        direct = destinations.onlyFile.map { [category] file in
            DirectLines(options, file: file, formatter: destinations.formatter, category: category, stop)
        }
        let isShown = !options.isQuiet && Terminal.error.isTerminal
        let isDisturbed = options.showsOnConsole && Terminal.output.isTerminal
        progress = isShown && !isDisturbed ? ProgressLine() : nil
    }

    /// How long it has been at it.
    var duration: Duration { SystemClock().uptime() - began }

    /// Reads all inputs to their ends, or until it is asked to stop.
    ///
    /// - Returns: false where an input could not be read; the others were.
    func run() -> Bool {
        var isInOrder = true
        takeLeftover()
        let inputs = options.inputs.isEmpty ? ["-"] : options.inputs
        for (index, path) in inputs.enumerated() where !stop.isRequested {
            do {
                let decompresses = options.form != .raw
                let source =
                    path == "-"
                    ? LineSource(decompresses: decompresses)
                    : try LineSource(path: path, decompresses: decompresses)
                isAtLastInput = index == inputs.count - 1
                if path == "-", isatty(0) == 1, !options.isQuiet {
                    Terminal.error.write("heartwood pipe: reading from the terminal; Ctrl-D ends the input\n")
                }
                try pump(source)
                counts.inputs += 1
            } catch {
                progress?.clear()
                Terminal.error.write("heartwood pipe: \(error)\n")
                isInOrder = false
            }
            if destinations.isPointless { break }
        }
        progress?.clear()
        if !destinations.isPointless { inputJournal?.finish() }
        return isInOrder
    }

    /// The lines that an earlier process had read when it was killed; what follows the last newline is a
    /// line, too.
    private func takeLeftover() {
        guard let inputJournal, !inputJournal.leftover.isEmpty else { return }
        var rest = inputJournal.leftover[...]
        if !options.isQuiet {
            Terminal.error.write(
                "heartwood pipe: \(ByteCount(rest.count)) of input that the last run had read are written "
                    + "first\n")
        }
        var splitter = LineSplitter(
            limit: options.lineLimit.bytes, keepsCarriageReturn: options.form == .raw)
        while !rest.isEmpty {
            let count = splitter.fill { room in
                let part = rest.prefix(room.count)
                room.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
                return part.count
            }
            rest = rest.dropFirst(count)
            counts.bytes += count
            takeLines(of: &splitter, 0)
        }
        finishLines(of: &splitter, 0)
    }

    private func pump(_ source: LineSource) throws {
        let keepsCarriageReturn = options.form == .raw
        var splitter = LineSplitter(limit: options.lineLimit.bytes, keepsCarriageReturn: keepsCarriageReturn)
        var failure: LogError?
        var deadline: Duration?
        // What a file has can be read again.
        let journal = source.isFile ? nil : inputJournal
        let origin = journal?.total ?? 0
        reading: while !destinations.isPointless {
            var reading = LineSource.Reading.nothing
            _ = splitter.fill { room in
                let wait = patience
                reading =
                    journal?.read(source, into: room, stop: stop, milliseconds: wait)
                    ?? source.read(into: room, stop: stop, milliseconds: wait)
                if case .bytes(let count) = reading { return count }
                return 0
            }
            switch reading {
            case .bytes(let count):
                counts.bytes += count
                takeLines(of: &splitter, origin)
            case .end: break reading
            case .failed(let error):
                failure = error
                break reading
            case .nothing where deadlineOfRecord != nil:
                direct?.expire(&counts)
                joiner?.expire(at: SystemClock().uptime()) { logJoined($0) }
            case .nothing: if stop.isRequested, deadline != nil { break reading }
            }
            if stop.isRequested {
                // The line that the last block ends in is in the file for whoever comes back: it is not torn
                // here.
                if source.isFile { return }
                // The program in front may have last words; but it is not waited for as long as it likes to
                // speak.
                let now = SystemClock().uptime()
                if let deadline, now > deadline { break }
                deadline = deadline ?? now + .seconds(2)
            }
            progress?.show(counts, after: duration)
        }
        if let direct {
            let isLast = stop.isRequested || isAtLastInput
            direct.take(&splitter, atEnd: true, isLast: isLast, &counts)
        } else {
            finishLines(of: &splitter, origin)
        }
        if let failure { throw failure }
    }

    /// When the current record stops waiting for a line that continues it.
    private var deadlineOfRecord: Duration? { direct?.deadline ?? joiner?.deadline }

    /// How long to wait for input, in milliseconds; -1 for as long as it takes.
    private var patience: Int32 {
        if stop.isRequested { return 200 }
        if let deadline = deadlineOfRecord {
            let wait = (deadline - SystemClock().uptime()).nanoseconds / 1_000_000
            return Int32(clamping: min(max(1, wait), 500))
        }
        return progress == nil && !destinations.canBecomePointless ? -1 : 500
    }

    // MARK: Lines

    private func takeLines(of splitter: inout LineSplitter, _ origin: Int) {
        if let direct { return direct.take(&splitter, atEnd: false, &counts) }
        splitter.forEachLine { join($0, $1, origin + $2) }
        destinations.waitForRoom(after: counts.records, unless: stop)
    }

    private func finishLines(of splitter: inout LineSplitter, _ origin: Int) {
        splitter.finish { join($0, $1, origin + $2) }
        joiner?.finish { logJoined($0) }
    }

    /// Takes the secrets out of a line, and puts lines together where that is wanted.
    private func join(_ bytes: UnsafeRawBufferPointer, _ part: LineSplitter.Part, _ end: Int) {
        if redactor == nil { return joinClear(bytes, part, end) }
        var line = LogBuffer(capacity: bytes.count)
        redactor?.append(bytes, to: &line)
        line.reserve(LineScan.slack)
        line.withUnsafeBytes { joinClear($0, part, end) }
    }

    /// Puts lines together; a piece of a long line is a record of its own.
    private func joinClear(_ bytes: UnsafeRawBufferPointer, _ part: LineSplitter.Part, _ end: Int) {
        if joiner != nil, part == .whole {
            joiner?.add(bytes, at: SystemClock().uptime()) { logJoined($0) }
            lastEnd = end
            return
        }
        joiner?.finish { logJoined($0) }
        log(bytes, part)
        lastEnd = end
        inputJournal?.take(upTo: end)
    }

    /// Logs a record of one or more lines, all of which came before the line at hand.
    private func logJoined(_ record: RecordJoiner.Record) {
        log(record.bytes, .whole, record)
        inputJournal?.take(upTo: lastEnd)
    }

    private func log(
        _ bytes: UnsafeRawBufferPointer, _ part: LineSplitter.Part, _ record: RecordJoiner.Record? = nil
    ) {
        let lines = record?.lines ?? 1
        // All pieces of a line have the level of the first, and all lines of a record.
        let level: LogLevel
        switch part {
        case .whole, .piece(1):
            level = levelOf(bytes, levelOf.scan(bytes, record), record?.head)
            lastLevel = level
        default: level = lastLevel
        }
        switch part {
        case .whole, .last:
            counts.lines += lines
            if lines > 1 {
                counts.joinedRecords += 1
                counts.joinedLines += lines
            }
            counts.levels[min(level.index, 6)] += 1
            if part != .whole { counts.cutLines += 1 }
        case .piece: break
        }
        if !options.levels.contains(level) {
            if case .piece = part { return }
            counts.belowLevel += 1
            return
        }
        if !bytes.isUTF8 { counts.notUTF8 += 1 }
        counts.records += 1
        if options.content.readsContent, part == .whole,
            let content = LineContent(
                bytes, merges: options.content.mergesJSON, recognizer: recognizer,
                takesTime: options.content.takesTime)
        {
            return destinations.dispatcher.log(
                LogMessage(
                    content.text ?? LogText(utf8: bytes), level: level, category: category,
                    metadata: content.fields, timestamp: content.moment, file: "", function: "", line: 0),
                asynchronous: true)
        }
        // Without a call site: the line comes from no place in this source.
        Heartwood.log(
            LogText(utf8: bytes), level: level, category: category, metadata: part.fields,
            asynchronous: true, to: destinations.dispatcher, file: "", function: "", line: 0)
    }
}
