import Heartwood
import HeartwoodReading

/// Puts lines together that are one record, in bounded memory and time.
///
/// A record is complete when the next one begins, when it has waited for ``patience``, when the next line
/// would make it longer than ``limit``, and at the end of the input. Its lines have newlines between them.
struct RecordJoiner {
    /// A record of one or more lines.
    struct Record {
        /// After these, ``LineScan/slack`` bytes more can be read.
        let bytes: UnsafeRawBufferPointer
        let lines: Int
        /// What its first line says, and what its bytes are; nil where that was not read.
        let head: LineRecognizer.Head?
        let scan: LineScan?
    }

    /// The longest record, in bytes.
    let limit: Int
    /// How long a record waits for another line.
    let patience: Duration

    private var rule: JoinRule
    /// What the first line of the record says, where the rule had to know.
    private var head: LineRecognizer.Head?
    private var scan: LineScan?
    /// The record that is not complete yet, and room after it that a scan may read.
    private var record: [UInt8] = []
    private var lines = 0
    /// When the record no longer waits.
    private(set) var deadline: Duration?

    init(_ rule: JoinRule, limit: Int, patience: Duration) {
        (self.rule, self.limit, self.patience) = (rule, limit, patience)
    }

    /// Takes a line, after which ``LineScan/slack`` bytes more can be read; hands out the record that it
    /// completes, with the number of its lines.
    mutating func add(
        _ line: UnsafeRawBufferPointer, at now: Duration, _ body: (Record) -> Void
    ) {
        let continues = rule.continues(line)
        if lines > 0, continues, record.count + 1 + line.count <= limit {
            record.append(.newline)
        } else {
            handOut(body)
            (head, scan) = continues ? (nil, nil) : (rule.head, rule.scan)
        }
        record.append(contentsOf: line)
        lines += 1
        deadline = now + patience
    }

    /// Hands out a record that has waited long enough.
    mutating func expire(at now: Duration, _ body: (Record) -> Void) {
        if let deadline, now >= deadline { finish(body) }
    }

    /// Hands out what there is: nothing continues it.
    mutating func finish(_ body: (Record) -> Void) {
        handOut(body)
        rule.end()
    }

    private mutating func handOut(_ body: (Record) -> Void) {
        deadline = nil
        guard lines > 0 else { return }
        // Room that a scan may read.
        if record.capacity < record.count + LineScan.slack {
            record.reserveCapacity(record.count * 2 + LineScan.slack)
        }
        record.withUnsafeBytes {
            body(Record(bytes: $0, lines: lines, head: head, scan: lines == 1 ? scan : nil))
        }
        record.removeAll(keepingCapacity: true)
        lines = 0
    }
}

/// Decides which lines belong to the record of the line before.
struct JoinRule {
    enum Kind {
        /// Lines that begin with a blank or a tab continue.
        case indented
        /// Stack traces continue, of the languages that ``TraceLines`` knows.
        case traces
        /// Every line continues but those that match.
        case start(CompiledPattern)
        /// Lines that match continue.
        case continuation(CompiledPattern)
    }

    private let kind: Kind
    private let recognizer = LineRecognizer()
    /// Time and level of the line that began a record last, where they were read.
    private(set) var head: LineRecognizer.Head?
    private(set) var scan: LineScan?
    private var trace = TraceLines()
    private var hasRecord = false

    init(_ kind: Kind) { self.kind = kind }

    /// Whether a line continues the record; one that does not begins the next.
    ///
    /// After the line, ``LineScan/slack`` bytes more can be read.
    mutating func continues(_ line: UnsafeRawBufferPointer) -> Bool {
        defer { hasRecord = true }
        switch kind {
        case .indented: return hasRecord && line.first.map { " \t".utf8.contains($0) } == true
        case .traces:
            if hasRecord, trace.takes(line, recognizer) { return true }
            let scan = LineScan(line, findsLevels: true)
            let head = recognizer.head(of: line, levels: scan.mayHaveLevel)
            trace.begin(with: line, level: head.level)
            (self.head, self.scan) = (head, scan)
            return false
        case .start(let pattern): return hasRecord && pattern.firstMatch(in: line) == nil
        case .continuation(let pattern): return hasRecord && pattern.firstMatch(in: line) != nil
        }
    }

    /// The record has ended: the next line begins one.
    mutating func end() { hasRecord = false }

    /// The pattern that decides, where one does.
    var pattern: CompiledPattern? {
        switch kind {
        case .start(let pattern), .continuation(let pattern): pattern
        case .indented, .traces: nil
        }
    }
}
