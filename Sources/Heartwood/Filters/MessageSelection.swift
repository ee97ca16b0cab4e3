/// What a logger leaves out of what it is handed: by its filter, until something goes wrong, and because it is said
/// already.
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
