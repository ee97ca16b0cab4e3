import Heartwood
import HeartwoodReading

/// Knows the stack traces of Swift, Java, Python and Go line by line: which lines belong to what began.
///
/// A line with a time, a priority or a JSON object begins something new. Everything that is indented continues. What is not
/// indented continues only where the trace's language writes it so: `Caused by:`, the exception's own line after the frames of
/// Python, Go's functions, Swift's frames and registers. An exception's name and a `Traceback` continue only a line that is an
/// error itself: an unrelated line in front of them does not become one.
struct TraceShape {
    typealias Bytes = UnsafeRawBufferPointer

    private enum Language { case unknown, java, python, pythonEnd, go, swift }

    private var language = Language.unknown
    private var isError = false
    private let parser = LineRecordParser(now: LogTimestamp(nanoseconds: 1_800_000_000_000_000_000))

    /// Begins a record.
    mutating func begin(with line: Bytes) {
        let level = LevelDetector.level(of: line)?.severity
        isError = level == .error || level == .fatal
        language = .unknown
        if Self.begins(line, "Traceback (most recent call last):") {
            language = .python
        } else if Self.begins(line, "panic: ") || Self.begins(line, "fatal error: ")
            || Self.begins(line, "goroutine ")
        {
            language = .go
        } else if Self.begins(line, "Exception in thread ") || Self.isException(line) {
            language = .java
        } else if Self.contains(line, "Fatal error: ") || Self.beginsSwift(line) {
            language = .swift
        }
    }

    /// Whether a line belongs to the record.
    mutating func takes(_ line: Bytes) -> Bool {
        guard let first = line.first else { return language != .unknown }
        if first == 0x20 || first == 0x09 { return true }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "<") || hasTime(line) { return false }
        if Self.begins(line, "Caused by: ") || Self.begins(line, "Suppressed: ") {
            language = .java
            return true
        }
        if Self.begins(line, "Traceback (most recent call last):") {
            guard isError || language == .pythonEnd else { return false }
            language = .python
            return true
        }
        if Self.begins(line, "goroutine ") {
            language = .go
            return true
        }
        return takesUnindented(line)
    }

    private mutating func takesUnindented(_ line: Bytes) -> Bool {
        switch language {
        case .python:
            language = .pythonEnd
            return true
        case .pythonEnd:
            return Self.begins(line, "During handling of the above exception")
                || Self.begins(line, "The above exception was the direct cause")
        case .go: return Self.isGo(line)
        case .swift: return Self.isSwift(line)
        case .java: return Self.isException(line)
        case .unknown:
            if isError, Self.isException(line) {
                language = .java
                return true
            }
            if isError, Self.beginsSwift(line) {
                language = .swift
                return true
            }
            return false
        }
    }

    /// Times begin with a digit, a bracket or the name of a month or day; frames of Swift with a digit, too.
    private func hasTime(_ line: Bytes) -> Bool {
        line.count > 8 && parser.moment(of: line) != nil && !(language == .swift && Self.isFrame(line))
    }

    // MARK: Shapes

    /// `java.lang.IllegalStateException: text`.
    private static func isException(_ line: Bytes) -> Bool {
        let name = line.prefix { $0 != UInt8(ascii: ":") && $0 != 0x20 }
        guard name.contains(UInt8(ascii: ".")), name.allSatisfy(isOfName) else { return false }
        let text = String(decoding: name, as: UTF8.self)
        return text.hasSuffix("Exception") || text.hasSuffix("Error") || text.hasSuffix("Throwable")
    }

    /// `main.run(0xc000)`, and what else Go writes between the frames.
    private static func isGo(_ line: Bytes) -> Bool {
        for word in ["created by ", "exit status ", "[signal ", "panic: ", "runtime: "]
        where begins(line, word) {
            return true
        }
        guard line.last == UInt8(ascii: ")"), let open = line.firstIndex(of: UInt8(ascii: "(")) else {
            return false
        }
        return open > 0 && !line[..<open].contains(0x20)
    }

    private static func beginsSwift(_ line: Bytes) -> Bool {
        for word in ["💣 ", "*** ", "Current stack trace", "Stack dump:", "Thread "] where begins(line, word) {
            return true
        }
        return false
    }

    private static func isSwift(_ line: Bytes) -> Bool {
        for word in [
            "Platform:", "Registers:", "Images (", "Backtrace took", "Press ", "Crash", "0x", "Backtrace ",
        ]
        where begins(line, word) {
            return true
        }
        return beginsSwift(line) || isFrame(line) || isRegister(line)
    }

    /// `0 0x00007f main + 12 in app at main.swift:3:1`, also `12 [ra] …` and the frames of LLVM (`3. …`).
    private static func isFrame(_ line: Bytes) -> Bool {
        let digits = line.prefix { $0 &- 0x30 < 10 }.count
        guard (1...4).contains(digits), digits < line.count else { return false }
        return line[digits] == 0x20 || line[digits] == 0x09 || line[digits] == UInt8(ascii: ".")
    }

    /// `rax 0x0000…`.
    private static func isRegister(_ line: Bytes) -> Bool {
        let name = line.prefix { $0 != 0x20 }
        return name.count <= 6 && contains(Bytes(rebasing: line.prefix(16)), " 0x")
            && name.allSatisfy(isOfName)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "$")
            || byte == UInt8(ascii: "_")
    }

    private static func begins(_ line: Bytes, _ word: String) -> Bool { line.starts(with: word.utf8) }

    private static func contains(_ line: Bytes, _ word: String) -> Bool {
        line.prefix(LevelDetector.reach).firstRange(of: Array(word.utf8)) != nil
    }
}
