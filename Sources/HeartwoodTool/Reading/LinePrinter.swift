import CHeartwood
import Heartwood
import HeartwoodReading

/// Shows lines on standard output: as they are in a pipe, colored and harmless on a terminal.
///
/// Not thread-safe: owned by the command.
final class LinePrinter {
    private let isColored: Bool
    private let isTerminal = Terminal.output.isTerminal
    private var records: RecordPrinter?
    /// Where the last line of a record ends, and its file.
    private var last = (path: "", end: 0)
    private let parser = LineRecognizer()
    private var pending = LogBuffer(capacity: 1 << 17)
    /// How the program ends where nothing can be written.
    var failureCode = ExitStatus.failure.code

    /// Makes a printer for what the arguments say.
    ///
    /// - Throws: ``UsageError`` where they are not valid.
    init(_ arguments: Arguments) throws {
        let depth = ConsoleColorDepth.detect(isTerminal: isTerminal, environment: ProcessEnvironment.all)
        let isAutomatic = depth != .none
        isColored =
            try arguments.choice("--color", ["auto": isAutomatic, "always": true, "never": false])
            ?? isAutomatic
        records = try RecordPrinter(arguments)
    }

    /// Whether lines are written byte for byte as they are, so that many may be written at once.
    var isPlain: Bool { !isColored && !isTerminal && records == nil }

    /// Writes lines as they are; the last one gets a newline where it has none.
    ///
    /// Only while ``isPlain`` is true.
    func write(lines: UnsafeRawBufferPointer) {
        if lines.count >= 1 << 15 {
            drain()
            write(lines)
        } else {
            pending.append(lines)
        }
        if lines.last != .newline, !lines.isEmpty { pending.append(0x0A as UInt8) }
        if pending.count > 1 << 16 { drain() }
    }

    /// Writes a line after a prefix, with the parts of it that were looked for emphasized.
    ///
    /// With `--json` and `--fields`, a record is written when the next one begins, or by ``flush()``.
    func print(_ lines: LogReading.Lines, prefix: String = "", matches: [Range<Int>] = []) {
        let line = lines.line
        let begins = records?.add(line, isNext: lines.follows(&last), to: &pending) ?? true
        if begins, !prefix.isEmpty { add(prefix) }
        if records == nil, isColored {
            color(line, matches)
        } else if records == nil {
            add(line)
            pending.append(0x0A as UInt8)
        }
        if pending.count > 1 << 16 { drain() }
    }

    /// Writes a line of the command's own.
    func print(_ text: String) {
        records?.end(to: &pending)
        add(text)
        pending.append(0x0A as UInt8)
    }

    private func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    private func color(_ line: UnsafeRawBufferPointer, _ matches: [Range<Int>]) {
        let color = LinePrinter.color(of: parser.level(of: line))
        if let color { pending.append(color) }
        var index = 0
        for match in matches where match.lowerBound >= index {
            add(UnsafeRawBufferPointer(rebasing: line[index..<match.lowerBound]))
            pending.append("\u{1b}[1;7m" as StaticString)
            add(UnsafeRawBufferPointer(rebasing: line[match]))
            pending.append("\u{1b}[0m" as StaticString)
            if let color { pending.append(color) }
            index = match.upperBound
        }
        add(UnsafeRawBufferPointer(rebasing: line[index...]))
        if color != nil { pending.append("\u{1b}[0m" as StaticString) }
        pending.append(0x0A as UInt8)
    }

    /// Adds text; on a terminal, controls and what changes the direction of writing are shown, and not
    /// obeyed.
    private func add(_ bytes: UnsafeRawBufferPointer) {
        guard isTerminal else { return pending.append(bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.unicodeScalars.contains(where: LinePrinter.isHarmful) else { return pending.append(text) }
        for scalar in text.unicodeScalars {
            if LinePrinter.isHarmful(scalar) {
                pending.append("\\u{\(String(scalar.value, radix: 16))}")
            } else {
                pending.append(String(scalar))
            }
        }
    }

    /// Writes all that was added; ends the program when its reader has gone.
    func flush() {
        records?.end(to: &pending)
        drain()
    }

    private func drain() {
        pending.withUnsafeBytes { write($0) }
        pending.removeAll()
        pending.shrink(to: 1 << 20)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        let error = SystemCalls.write(bytes, to: 1)
        if error == 0 { return }
        if error == EPIPE { exit(0) }  // the reader has seen enough
        Terminal.error.write(
            "heartwood: cannot write to standard output: \(String(cString: strerror(error)))\n")
        exit(failureCode)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9: false
        case 0..<32, 127..<160, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func color(of level: LogLevel?) -> String? {
        switch level?.severity {
        case .fatal?: "\u{1b}[1;31m"
        case .error?: "\u{1b}[31m"
        case .warning?: "\u{1b}[33m"
        case .notice?: "\u{1b}[36m"
        case .debug?, .verbose?: "\u{1b}[2m"
        default: nil
        }
    }
}
