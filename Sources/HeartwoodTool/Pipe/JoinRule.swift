import Heartwood
import HeartwoodReading

/// Decides which lines belong to the record of the line before.
struct JoinRule {
    enum Kind {
        /// Lines that begin with a blank or a tab continue.
        case indented
        /// Stack traces continue, of the languages that ``TraceLines`` knows.
        case traces
        /// Every line continues but those that match.
        case start(LinePattern)
        /// Lines that match continue.
        case continuation(LinePattern)
    }

    private let kind: Kind
    private let recognizer = LineRecognizer()
    private var trace = TraceLines()
    private var hasRecord = false

    init(_ kind: Kind) { self.kind = kind }

    /// Whether a line continues the record; one that does not begins the next.
    mutating func continues(_ line: UnsafeRawBufferPointer) -> Bool {
        defer { hasRecord = true }
        switch kind {
        case .indented: return hasRecord && (line.first == 0x20 || line.first == 0x09)
        case .traces:
            if hasRecord, trace.takes(line, startsRecord: beginsRecord) { return true }
            let level = recognizer.level(of: line)?.severity
            trace.begin(with: line, isError: level == .error || level == .fatal)
            return false
        case .start(let pattern): return hasRecord && !pattern.matches(line)
        case .continuation(let pattern): return hasRecord && pattern.matches(line)
        }
    }

    /// Whether a line is the first of a record: an object, one with a priority, or one that says its time.
    private func beginsRecord(_ line: UnsafeRawBufferPointer) -> Bool {
        if line.first == UInt8(ascii: "{") || line.first == UInt8(ascii: "<") { return true }
        let head = recognizer.head(of: line)
        return head.moment != nil || head.hasUnknownZone
    }

    /// The record has ended: the next line begins one.
    mutating func end() { hasRecord = false }
}
