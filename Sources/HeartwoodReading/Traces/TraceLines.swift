package import Heartwood

/// Decides, line by line, which lines belong to the record of the line before: stack traces, crash reports.
///
/// An indented line continues, in any language. Another continues only where a trace has it: it begins as
/// ``TraceTable`` says, is a frame of the trace's language, or continues the exception's message. A line
/// that says its own time does not continue, and an ordinary line after a trace ends the record.
///
/// | Language     | What begins a trace, or joins an error         | What continues it unindented           |
/// |--------------|------------------------------------------------|----------------------------------------|
/// | Python       | `Traceback (most`, also at a line's end        | the exception, its chain, `HINT: `     |
/// | Java, Kotlin | `a.b.IOException: x`, `Exception in thread `   | `Caused by: `, `... 2 more`, `Detail:` |
/// | .NET         | `A.B.Exception: x`, `Unhandled exception. `    | `--- End of`, `File name: `            |
/// | Node         | `TypeError: x`, `/x.js:3` and the source line  | `}`, `Thrown at:`, `Node.js v20`       |
/// | Go           | `panic: `, `fatal error: `, `main.run`         | `main.run(0x1)`, `created by `         |
/// | Rust         | `thread 'main' panicked at`, `Error: `         | the message, `note: `                  |
/// | Swift        | `Fatal error: `, `💣 `, `*** `, `Thread 0`      | frames, registers, images              |
/// | Ruby         | `a.rb:3:in 'f': x (KeyError)`, `KeyError (x):` | frames, causes, the source line        |
/// | PHP          | `PHP Fatal error: `, `Stack trace:`            | `#0 /a.php(3): f()`, `[stacktrace]`    |
/// | C and C++    | `terminate called`, `==1==ERROR: `             | `#0 0x12 in f`, `SUMMARY: `, `Aborted` |
///
/// An exception's name and a `Traceback` join only an error, or a line that announces them. After the name
/// and before the first frame, up to 20 unindented lines of the message are taken, and only those that look
/// so: `Detail: near "x"`, `; nested exception`, or the line after one that ends with a colon or a comma.
///
/// A frame of PHP with a time in brackets belongs to a message of PHP with the same one.
///
/// The state is a few bytes. Nothing is allocated for a line; its first 512 bytes and its end are read.
package struct TraceLines: Sendable {
    package typealias Bytes = UnsafeRawBufferPointer

    private typealias Table = TraceTable
    private static let messageLimit: UInt8 = 20
    private static let reach = 512
    private var languages = TraceTable.Languages()
    private var phase = TraceTable.Phase.plain
    private var isError = false
    private var isIndented = false
    private var hasName = false
    private var messageLines: UInt8 = 0
    /// The time in brackets of a message of PHP, which its frames have again, as a hash; else nil.
    private var timeOfPHP: UInt64?

    package init() {}

    /// Begins a record with a line; `isError` tells whether it says that it is an error or worse.
    package mutating func begin(with line: Bytes, isError: Bool) {
        self = TraceLines()
        self.isError = isError
        timeOfPHP = Self.partsOfPHP(line).map { LineKey.Path().adding(line, $0.time).hash }
        let head = Bytes(rebasing: line.prefix(Self.reach))
        if let shape = Table.start([.begins, .joinsErrors, .joins], of: head) {
            enter(shape, line)
        } else if Table.ends(line, "Traceback (most recent call last):") {
            (languages, phase) = (.python, .head)
        } else if head.isEmpty || enterNamed(head, line) {
            return
        } else if let shape = Table.inside(head, isError ? [.begins, .joinsErrors] : .begins) {
            if shape.languages != .ruby {
                enter(shape, line)
            } else if isError || !head.prefix(while: { $0 != .colon }).contains(.space) {
                enterRuby(head, line)
            }
        }
    }

    /// Takes a line that belongs to the record for another reason: it may begin a trace there.
    mutating func follow(with line: Bytes) {
        var next = TraceLines()
        next.begin(with: line, isError: isError)
        next.timeOfPHP = timeOfPHP
        if next.phase != .plain { self = next }
    }

    /// Takes a line that belongs to the record for another reason, and ends a trace.
    mutating func leaveTrace() {
        let timeOfPHP = timeOfPHP
        self = TraceLines()
        self.timeOfPHP = timeOfPHP
    }

    /// Whether a line belongs to the record.
    ///
    /// `startsRecord` tells whether a line says its own time, has a syslog priority or is a JSON object. It
    /// is asked only about lines that would belong to the record otherwise.
    package mutating func takes(_ line: Bytes, startsRecord: (Bytes) -> Bool) -> Bool {
        guard let first = line.first else { return takesBlank() }
        let head = Bytes(rebasing: line.prefix(Self.reach))
        if first == .space || first == .tab {
            takeIndented(head, line)
            return true
        }
        if isIndented || phase != .plain, Self.isClosing(first) { return true }
        if takesFrameOfPHP(line) { return true }
        if let shape = Table.start(roles, languages, of: head) {
            enter(shape, line)
        } else {
            if phase == .plain && !isError || phase == .over { return false }
            var next = self
            guard next.takesUnlisted(head, line) else { return false }
            // The number of a frame in Swift may be read as a time.
            if next.languages != .swift, startsRecord(line) { return false }
            self = next
        }
        isIndented = false
        return true
    }

    /// Takes a frame that has the time of its message again.
    mutating func takesFrameOfPHP(_ line: Bytes) -> Bool {
        guard let timeOfPHP, Self.isFrameOfPHP(line), let parts = Self.partsOfPHP(line),
            LineKey.Path().adding(line, parts.time).hash == timeOfPHP
        else { return false }
        (languages, phase, isIndented) = (.php, .frames, false)
        return true
    }

    /// Whether a line belongs to the record, for lines that the recognizer reads.
    package mutating func takes(_ line: Bytes, _ recognizer: LineRecognizer) -> Bool {
        takes(line) { line in
            if line.first == UInt8(ascii: "{") || line.first == UInt8(ascii: "<") { return true }
            let head = recognizer.head(of: line)
            return head.moment != nil || head.hasUnknownZone
        }
    }

    /// Begins a record with a line of a level.
    package mutating func begin(with line: Bytes, level: LogLevel?) {
        begin(with: line, isError: level?.severity == .error || level?.severity == .fatal)
    }

    /// Whether a line, whatever is in front of it, can only continue a record.
    package static func isContinuation(_ line: Bytes) -> Bool {
        guard let first = line.first else { return true }
        if first == .space || first == .tab || isClosing(first) { return true }
        return Table.start(.joins, of: Bytes(rebasing: line.prefix(reach))) != nil
            || Table.begins(line, "Traceback (")
    }

    /// Whether a line looks like a frame of PHP with a time: `[20-Nov-2026 10:20:30 UTC] PHP   1. f() /a:3`.
    static func isFrameOfPHP(_ line: Bytes) -> Bool {
        guard let parts = partsOfPHP(line) else { return false }
        let text = Bytes(rebasing: line[parts.text...].prefix(reach).drop { $0 == .space })
        if Table.begins(text, "Stack trace:") { return true }
        guard Table.begins(text, "%. ") else { return false }
        let call = Bytes(rebasing: text.drop { $0 != .space }.dropFirst())
        guard let open = call.firstIndex(of: UInt8(ascii: "(")) else { return Table.begins(call, "{main}") }
        return open > 0 && call[open - 1] != .space && call[open...].contains(UInt8(ascii: ")"))
    }

    /// Where the time is, and the text begins, in `[20-Nov-2026 10:20:30 UTC] PHP Warning:  x`.
    private static func partsOfPHP(_ line: Bytes) -> (time: Range<Int>, text: Int)? {
        guard line.first == UInt8(ascii: "["),
            let close = line.prefix(64).firstIndex(of: UInt8(ascii: "]")),
            line.has("] PHP ", at: close, before: line.count)
        else { return nil }
        return (1..<close, close + 6)
    }

    /// Whether a line may be a frame in Swift that begins with its number.
    static func isNumbered(_ line: Bytes) -> Bool {
        let digits = line.prefix(5).prefix { $0.isDigit }.count
        guard 1...4 ~= digits, digits < line.count else { return false }
        switch line[digits] {
        case 0x20, 0x09, UInt8(ascii: "."): return isSwiftFrame(Bytes(rebasing: line.prefix(reach)))
        default: return false
        }
    }

    // MARK: Steps

    /// What a line may be to the record now.
    private var roles: TraceTable.Roles {
        switch phase {
        case .plain, .name, .mention, .marked:
            isError ? [.joins, .joinsOwn, .joinsErrors, .followsErrors] : [.joins, .joinsOwn]
        case .expects, .chain: [.joins, .joinsOwn, .joinsErrors]
        case .head, .location, .caret, .fields, .frames: [.joins, .joinsOwn]
        case .over: .joins
        }
    }

    private mutating func enter(_ shape: TraceTable.Shape, _ line: Bytes) {
        let both = languages.intersection(shape.languages)
        languages = both.isEmpty ? shape.languages : both
        phase = shape.then
        messageLines = 0
        if phase == .name || phase == .mention, Self.isOpen(line) { phase = .expects }
    }

    /// Takes a line with a place in Ruby: an exception's, or a frame.
    private mutating func enterRuby(_ head: Bytes, _ line: Bytes) {
        let isMarked = Table.marked.contains { Table.ends(line, $0) }
        let isException = Table.contains(head, "': ")
        (languages, phase, messageLines) = (.ruby, isMarked ? .marked : isException ? .name : .frames, 0)
    }

    /// Takes a line that begins with an exception's name.
    private mutating func enterNamed(_ head: Bytes, _ line: Bytes) -> Bool {
        let isRails = Self.isRails(head, line)
        if isRails { (languages, phase, messageLines) = (.ruby, .name, 0) }
        guard !isRails, let name = Self.exceptionName(head) else { return isRails }
        if languages.isEmpty { languages = .named }
        hasName = true
        let isCertain = name.contains(.period) || languages == .node || Table.begins(head, "Error: ")
        phase = Self.isOpen(line) ? .expects : isCertain ? .name : .mention
        return true
    }

    /// Blank lines belong to the traces of some languages, and to the message of an exception.
    private mutating func takesBlank() -> Bool {
        switch phase {
        case .plain, .mention, .over: return false
        case .location, .caret, .expects, .head: return true
        case .name: return isWithinLimit()
        case .marked: phase = .expects
        case .chain: return languages == .python
        case .fields, .frames: return !languages.isEmpty && languages.isSubset(of: .spaced)
        }
        return true
    }

    private mutating func takeIndented(_ head: Bytes, _ line: Bytes) {
        isIndented = true
        guard let start = head.firstIndex(where: { $0 != .space && $0 != .tab }) else { return }
        let text = Bytes(rebasing: head[start...])
        if phase == .location || phase == .caret {
            phase = phase == .caret && text.first == UInt8(ascii: "^") ? .expects : .caret
        } else if Table.begins(text, "at "), languages.isEmpty || languages.contains(.node) {
            languages = Self.isNodeFrame(line) ? .node : languages.isEmpty ? .named : languages
            languages.subtract([.python, .rust, .php])
            phase = .frames
        } else if let shape = Table.indented(languages, text) {
            if phase != .head, phase != .fields { enter(shape, line) }
        } else if phase == .plain, Table.begins(text, "+ Exception Group Traceback") {
            (languages, phase) = (.python, .frames)
        } else if phase == .expects {
            phase = languages == .python ? .frames : .name
        }
    }

    /// Takes a line that no shape of the table begins: an exception's name, a frame, a line of a message.
    private mutating func takesUnlisted(_ head: Bytes, _ line: Bytes) -> Bool {
        switch phase {
        case .location: phase = .caret
        case .caret where head.first == UInt8(ascii: "^"): phase = .expects
        case .head:
            guard Self.isPythonName(head) else { return takesFrame(head, line) }
            languages = .python
            let hasFields = Table.contains(head, " validation error")
            phase = hasFields ? .fields : Self.isOpen(line) ? .expects : .frames
            messageLines = 0
        case .fields: return !head.contains(.space) && isWithinLimit()
        case .plain: return enterNamed(head, line) || takesFrame(head, line)
        case .name, .mention, .marked, .expects:
            if phase == .expects || isError && !hasName, enterNamed(head, line) { return isWithinLimit() }
            if takesFrame(head, line) { return true }
            guard phase == .expects || Self.isMessage(head) else { return false }
            let isOpen = Self.isOpen(line)
            if isOpen || phase == .expects {
                phase = isOpen ? .expects : languages == .python ? .frames : .name
            }
            return isWithinLimit()
        case .frames: return takesFrame(head, line)
        case .caret, .chain, .over: return false
        }
        return true
    }

    private mutating func isWithinLimit() -> Bool {
        messageLines += 1
        return messageLines <= Self.messageLimit
    }

    /// Takes a frame that is not indented; in an error without a trace, one that is unmistakable.
    private mutating func takesFrame(_ head: Bytes, _ line: Bytes) -> Bool {
        func may(_ language: Table.Languages) -> Bool {
            phase == .plain ? language != .swift : languages.contains(language)
        }
        if may(.go), Self.isGoFunction(head, line, needsPath: phase == .plain) {
            languages = .go
        } else if may(.swift), Self.isSwiftFrame(head) {
            languages = .swift
        } else if may(.ruby) || phase == .head, Table.inside(head, .begins)?.languages == .ruby {
            let isLast = phase == .head
            enterRuby(head, line)
            if !isLast { return true }
        } else if may(.java), Table.begins(head, "at "), let last = line.last,
            last == UInt8(ascii: ")") || last.isDigit
        {
            if phase == .plain { languages = .named }
        } else {
            return false
        }
        phase = .frames
        return true
    }

    // MARK: Shapes

    private static func isClosing(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "}") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]")
    }

    /// Whether the message goes on in the next line, as a line does that ends with a colon or a comma.
    private static func isOpen(_ line: Bytes) -> Bool {
        guard let last = line.suffix(8).last(where: { $0 != .space && $0 != .carriageReturn }) else {
            return false
        }
        switch last {
        case UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            return true
        default: return false
        }
    }

    /// The name in `java.io.IOException: text`, `TypeError`, `Error [ERR_X]: text`, `SqlException (1): x`.
    private static func exceptionName(_ head: Bytes) -> Bytes? {
        guard let first = head.first, first.isLetter || first == UInt8(ascii: "_") else {
            return nil
        }
        let name = Bytes(rebasing: head.prefix(while: isOfName))
        let isKnown = Table.exceptions.contains { Table.ends(name, $0) }
        guard isKnown, first < 0x61 || name.contains(.period) else { return nil }
        let rest = Bytes(rebasing: head[name.count...])
        let isName = rest.isEmpty || Table.begins(rest, ":$") || Table.begins(rest, ": ")
        return isName || Table.begins(rest, " (") || Table.begins(rest, " [") ? name : nil
    }

    /// `KeyError: 'x'`, `shop.Declined`: a name of any kind.
    private static func isPythonName(_ head: Bytes) -> Bool {
        let name = head.prefix { isOfName($0) || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }.count
        guard name > 0, let first = head.first, first &- 0x30 >= 10 else { return false }
        let rest = Bytes(rebasing: head[name...])
        return rest.isEmpty || Table.begins(rest, ": ") || Table.begins(rest, ":$")
    }

    /// `ActiveRecord::RecordNotFound (text):`.
    private static func isRails(_ head: Bytes, _ line: Bytes) -> Bool {
        guard let first = head.first, first &- 0x41 < 26, Table.ends(line, "):") else { return false }
        let name = head.prefix { isOfName($0) || $0 == UInt8(ascii: ":") }
        guard Table.contains(Bytes(rebasing: name), "::") || Table.ends(Bytes(rebasing: name), "Error") else {
            return false
        }
        return Table.begins(Bytes(rebasing: head[name.count...]), " (")
    }

    /// `Detail: near "x"`, `; nested exception`: one capitalized word and a colon, or what the table has.
    private static func isMessage(_ head: Bytes) -> Bool {
        if Table.messages.contains(where: { Table.begins(head, $0) }) { return true }
        let word = Bytes(rebasing: head.prefix { $0.isLetter })
        guard let first = word.first, first < 0x61, 2...20 ~= word.count else { return false }
        let rest = Bytes(rebasing: head[word.count...])
        guard Table.begins(rest, ": ") || Table.begins(rest, ":$") else { return false }
        return !Table.levels.contains { level in
            word.count == level.utf8CodeUnitCount
                && word.indices.allSatisfy { word[$0] | 0x20 == level.utf8Start[$0] }
        }
    }

    /// `main.run(0xc000)`, and names alone as zap and `pkg/errors` write them: `shop.com/net.(*Server).Run`.
    private static func isGoFunction(_ head: Bytes, _ line: Bytes, needsPath: Bool) -> Bool {
        if Table.begins(head, "panic("), line.last == UInt8(ascii: ")") { return true }
        if needsPath, head.contains(.space) { return false }
        let name = Bytes(rebasing: head.prefix { $0 > 0x20 && $0 != UInt8(ascii: "(") && $0 != .colon })
        let base = (name.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        guard name.first != UInt8(ascii: "/"), base < name.count,
            let dot = name[base...].firstIndex(of: .period), dot > base
        else { return false }
        let isCall =
            line.last == UInt8(ascii: ")") && name.count < head.count && head[name.count] == .openParenthesis
        if isCall, !needsPath { return true }
        guard !head.contains(.space), !head.contains(.colon), dot + 1 < head.count else { return false }
        return base > 0 || Table.begins(head, "main.") || Table.begins(head, "runtime.")
    }

    /// `0 0x00007f main + 12 in app`, `12 [ra] …`, `3. …`, and registers: `rax 0x0000…`.
    private static func isSwiftFrame(_ head: Bytes) -> Bool {
        let digits = head.prefix { $0.isDigit }.count
        guard digits > 0 else {
            let name = head.prefix(while: isOfName)
            return 1...6 ~= name.count
                && Table.contains(Bytes(rebasing: head[name.count...].prefix(10)), " 0x")
        }
        let rest = Bytes(rebasing: head[digits...])
        guard digits <= 4, !Table.begins(rest, "\t"), !Table.begins(rest, ". "), !Table.begins(rest, ".\t")
        else { return digits <= 4 }
        guard Table.begins(rest, " ") else { return false }
        return Table.begins(rest, " [") || Table.contains(rest, " 0x") || Table.contains(rest, " in ")
    }

    /// `    at f (/app/x.js:3:11)`, `    at node:internal/main:28:49 {`.
    private static func isNodeFrame(_ line: Bytes) -> Bool {
        var end = line.count
        if end > 2, line[end - 1] == UInt8(ascii: "{") { end -= 2 }
        if end > 1, line[end - 1] == UInt8(ascii: ")") { end -= 1 }
        for _ in 0..<2 {
            let digits = line[..<end].suffix(8).reversed().prefix { $0.isDigit }.count
            guard digits > 0, end > digits + 1, line[end - digits - 1] == .colon else { return false }
            end -= digits + 1
        }
        return true
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte >= 0x80
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }
}
