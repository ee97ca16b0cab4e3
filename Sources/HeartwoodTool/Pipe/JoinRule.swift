import Heartwood

/// Decides which lines belong to the record of the line before.
struct JoinRule {
    enum Kind {
        /// Lines that begin with a blank or a tab continue.
        case indented
        /// Stack traces of Swift, Java, Python and Go continue.
        case traces
        /// Every line continues but those that match.
        case start(LinePattern)
        /// Lines that match continue.
        case continuation(LinePattern)
    }

    private let kind: Kind
    private var trace = TraceShape()
    private var hasRecord = false

    init(_ kind: Kind) { self.kind = kind }

    /// Whether a line continues the record; one that does not begins the next.
    mutating func continues(_ line: UnsafeRawBufferPointer) -> Bool {
        defer { hasRecord = true }
        switch kind {
        case .indented: return hasRecord && (line.first == 0x20 || line.first == 0x09)
        case .traces:
            if hasRecord, trace.takes(line) { return true }
            trace.begin(with: line)
            return false
        case .start(let pattern): return hasRecord && !pattern.matches(line)
        case .continuation(let pattern): return hasRecord && pattern.matches(line)
        }
    }

    /// The record has ended: the next line begins one.
    mutating func end() { hasRecord = false }
}
