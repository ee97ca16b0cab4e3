import HeartwoodSystem
/// Decides, line by line, which lines of a file begin a record: for all commands, filters and the viewer.
///
/// The first rule that says something of a line decides; the first line of a file begins a record.
///
/// 1. A line that can only continue does so: a blank or an indented one, a closing bracket, `Caused by: `.
/// 2. A line with a time or a priority of syslog, a JSON object, and `key=value` pairs of which one is a
///    time, a level or a message by its key, begin a record.
/// 3. What the trace of the record has continues it: see ``TraceLines``. A frame of PHP with the time of its
///    message does so in spite of rule 2.
/// 4. A line with a level in front begins a record.
/// 5. Other `key=value` pairs begin a record. After a line with a header, which may have a text of several
///    lines, they do so only if all of the line is pairs, two or more.
/// 6. Any other line continues a record whose first line has a header: a time or a level in front. It is a
///    record by itself after a JSON object, pairs, or another such line.
///
/// With the name of a container in front, a line continues only a record of the same container.
///
/// So a line of rule 2 that is no such frame begins a record whatever is in front of it. What a record says
/// is what its first line says.
///
/// The state is a few bytes. Nothing is allocated for a line.
package struct RecordLines: Sendable {
    package typealias Bytes = UnsafeRawBufferPointer

    private var trace = TraceLines()
    /// The form of the record's first line; nil in front of the first record.
    private var form: LineRecord.Form?
    /// Which file, container or process the record is of, where another tool has put that in front.
    private var origin: UInt64 = 0

    package init() {}

    /// Whether a line begins a record; the lines of a file are asked about in their order.
    ///
    /// The line is without colors. `head` is called at most once: where the beginning of the line does not
    /// tell that it continues.
    package mutating func begins(_ line: Bytes, _ head: () -> LineRecognizer.Head) -> Bool {
        let line = RecordLines.withoutEnd(line)
        if form != nil, TraceLines.isContinuation(line) {
            join(line)
            return false
        }
        let head = head()
        if let form, head.origin == origin, continues(line, head.form, after: form) { return false }
        trace.begin(with: line, level: head.level)
        (form, origin) = (head.form, head.origin)
        return true
    }

    /// The head of a line that begins a record; nil for one that continues.
    package mutating func head(of line: Bytes, _ recognizer: LineRecognizer) -> LineRecognizer.Head? {
        var head = LineRecognizer.Head()
        let begins = begins(line) {
            head = recognizer.head(of: line)
            return head
        }
        return begins ? head : nil
    }

    /// Whether a line begins a record whatever is in front of it; `form` is asked for only where it matters.
    package static func isSure(_ line: Bytes, _ form: () -> LineRecord.Form) -> Bool {
        let line = withoutEnd(line)
        return !TraceLines.isContinuation(line) && begins(line, form()) && !TraceLines.isFrameOfPHP(line)
    }

    // MARK: Rules

    /// Takes a line that continues whatever the record is.
    private mutating func join(_ line: Bytes) {
        if trace.takes(line, startsRecord: { _ in false }) { return }
        if line.isEmpty { trace.leaveTrace() } else { trace.follow(with: line) }
    }

    private mutating func continues(
        _ line: Bytes, _ form: LineRecord.Form, after current: LineRecord.Form
    ) -> Bool {
        if trace.takesFrameOfPHP(line) { return true }
        if RecordLines.begins(line, form) { return false }
        if trace.takes(line, startsRecord: { _ in form == .timed }) { return true }
        let hasHeader = current == .timed || current == .marked
        switch form {
        case .timed, .marked: return false
        case .pairs: return hasHeader && !RecordLines.isWhole(line)
        case .plain, .object:
            // The line may begin a trace within the record.
            if hasHeader { trace.follow(with: line) }
            return hasHeader
        }
    }

    /// Rule 2.
    private static func begins(_ line: Bytes, _ form: LineRecord.Form) -> Bool {
        switch form {
        case .plain, .marked: return false
        case .pairs: return isOfLog(line)
        // The number of a frame in Swift may be read as a time.
        case .timed: return !TraceLines.isNumbered(line)
        case .object:
            // What another tool has put in front has no brace.
            guard let brace = line.firstIndex(of: UInt8(ascii: "{")) else { return false }
            let next = line[(brace + 1)...].first { $0 != .space && $0 != .tab }
            return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
        }
    }

    /// Whether one of the pairs tells that this is a line of a log.
    private static func isOfLog(_ line: Bytes) -> Bool {
        var pairs = LogfmtPairs(line)
        while let pair = pairs.next() {
            if LineKey.key(line, pair.name)?.isOfLog == true { return true }
        }
        return false
    }

    /// Whether a line that begins with a pair has nothing but pairs, and two or more.
    private static func isWhole(_ line: Bytes) -> Bool {
        var pairs = LogfmtPairs(line)
        var count = 0
        var end: Int?
        var isWhole = true
        func isEmpty(_ range: Range<Int>) -> Bool {
            line[range].allSatisfy { $0 == .space || $0 == .tab || $0 == .quote }
        }
        while let pair = pairs.next() {
            // What is in front of the first one is of another tool.
            if let end, !isEmpty(end..<pair.name.lowerBound) { isWhole = false }
            end = min(pair.value.upperBound, line.count)
            count += 1
        }
        return isWhole && count > 1 && isEmpty((end ?? 0)..<line.count)
    }

    private static func withoutEnd(_ line: Bytes) -> Bytes {
        line.last == .carriageReturn ? Bytes(rebasing: line.dropLast()) : line
    }
}
