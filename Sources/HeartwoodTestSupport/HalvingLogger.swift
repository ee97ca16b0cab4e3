package import Heartwood

/// A logger that drops every other message, and counts it as filtered.
package class HalvingLogger: RecordingLogger, @unchecked Sendable {  // `seen` is used in hooks only
    private var seen = 0

    /// Records the first, third, fifth … message.
    package override func log(_ message: LogMessage) {
        seen += 1
        if seen % 2 == 0 { return countFiltered() }
        record(message)
    }
}
