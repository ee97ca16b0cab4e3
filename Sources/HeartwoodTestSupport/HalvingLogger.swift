public import Heartwood

/// A logger that throws every other message away, and says so to the statistics.
open class HalvingLogger: RecordingLogger, @unchecked Sendable {  // `seen` is used in hooks only
    private var seen = 0

    /// Records the first, third, fifth … message.
    open override func log(_ message: LogMessage) {
        seen += 1
        if seen % 2 == 0 { return countFiltered() }
        record(message)
    }
}
