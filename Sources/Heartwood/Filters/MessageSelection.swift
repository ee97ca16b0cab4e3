/// What a logger leaves out of what it is handed: by its filter, until something goes wrong, and because it
/// is said already.
///
/// Owned by the thread that runs the logger's hooks.
final class MessageSelection {
    /// What is to be done with a message.
    enum Step {
        case write
        case writeAfter(LogMessage)
        case skip
        case skipAfter(LogMessage)
    }

    private var filter: LogFilter?
    private var collapse: DuplicateSuppression?
    private var run = RepeatRun()
    /// What is held back.
    var flight: FlightMemory?

    deinit { release() }

    /// What it has seen so far; put back where messages will come again.
    struct Checkpoint {
        fileprivate let run: RepeatRun
        fileprivate let flight: FlightMemory?
    }

    var checkpoint: Checkpoint {
        get { Checkpoint(run: run, flight: flight) }
        set { (run, flight) = (newValue.run, newValue.flight) }
    }

    /// Takes settings over.
    func configure(_ filter: LogFilter?, _ collapse: DuplicateSuppression?, _ recorder: FlightRecorder?) {
        self.filter = filter
        self.collapse = collapse
        if recorder !== flight?.recorder {
            release()
            flight = recorder.map(FlightMemory.init)
        }
    }

    /// Forgets what is held back.
    func release() {
        guard let recorder = flight?.recorder, let count = flight?.takeAll().messages.count else { return }
        recorder.note(discarded: count)
    }

    /// Whether the filter lets a message pass.
    func passes(_ message: LogMessage) -> Bool { filter?.passes(message) ?? true }

    /// How long repeats may wait for their report.
    var interval: Duration? { collapse?.interval }

    /// Whether repeats wait for their report.
    var owesReport: Bool { run.repeated > 0 }

    /// What is to be done with a message that the filter lets pass, and that is not held back.
    func step(_ message: LogMessage) -> Step {
        guard let collapse else { return .write }
        let last = run.subject
        switch run.take(message, interval: collapse.interval) {
        case .write(repeatedBefore: 0): return .write
        case .write(let count): return .writeAfter(MessageSelection.note(count, of: last))
        case .skip(report: 0): return .skip
        case .skip(let count): return .skipAfter(MessageSelection.note(count, of: run.subject))
        }
    }

    /// The report that is due when no message comes; nil where none is.
    func owed() -> LogMessage? {
        let count = run.report()
        return count == 0 ? nil : MessageSelection.note(count, of: run.subject)
    }

    private static func note(_ count: Int, of last: RepeatRun.Subject) -> LogMessage {
        let times = count == 1 ? "once" : "\(count) times"
        return LogMessage(
            "last message repeated \(times)", level: last.level, category: last.category,
            context: last.context,
            metadata: ["repeated": .integer(Int64(count))], timestamp: last.time, file: "", function: "",
            line: 0)
    }
}

/// The message that was written last, and how often it came again.
struct RepeatRun {
    /// What is to be done with a message.
    enum Step: Equatable {
        /// It is to be written; before it, how often the last one came again, unless that is 0.
        case write(repeatedBefore: Int)
        /// It is the same once more, and is counted; `report` of them are to be reported now, unless that is
        /// 0.
        case skip(report: Int)
    }

    /// What a report is about.
    struct Subject {
        var level = LogLevel.info
        var category = LogCategory.default
        var context = 0
        /// When it was logged last.
        var time = LogTimestamp(nanoseconds: 0)
    }

    private(set) var subject = Subject()
    private var text: [UInt8] = []
    private var isEmpty = true
    private(set) var repeated = 0
    /// When the last report was, or the message itself.
    private var startedAt = LogTimestamp(nanoseconds: 0)

    /// Takes the next message.
    mutating func take(_ message: LogMessage, interval: Duration) -> Step {
        if isSame(message) {
            repeated += 1
            subject.time = message.timestamp
            let isDue = message.timestamp - startedAt >= interval
            return .skip(report: isDue ? report() : 0)
        }
        let before = report()
        text.removeAll(keepingCapacity: true)
        text.append(contentsOf: message.storage.text)
        text.append(contentsOf: message.storage.fields)
        subject = Subject(
            level: message.level, category: message.category, context: message.context,
            time: message.timestamp)
        (isEmpty, startedAt) = (false, message.timestamp)
        return .write(repeatedBefore: before)
    }

    /// How often the message came again since the last report, which this is.
    mutating func report() -> Int {
        defer { repeated = 0 }
        if repeated > 0 { startedAt = subject.time }
        return repeated
    }

    private func isSame(_ message: LogMessage) -> Bool {
        let storage = message.storage
        // Text and fields are one after the other, in the message as here.
        return !isEmpty && storage.textSize + storage.fieldsSize == text.count
            && message.level == subject.level
            && message.category == subject.category && message.context == subject.context
            && UnsafeRawBufferPointer(start: storage.text.baseAddress, count: text.count).elementsEqual(text)
    }
}
