import Heartwood
import HeartwoodReading

/// What `heartwood grep` shows of the lines that it finds, as GNU grep does: names, numbers, parts, and lines
/// around them.
///
/// Not thread-safe: owned by the command.
final class GrepOutput {
    /// What is shown of a file.
    enum Kind {
        case lines, count, nameIfFound, nameIfNot, nothing
    }

    let kind: Kind
    let showsNames: Bool
    private let printer: LinePrinter
    private let searcher: LineSearcher
    private let showsNumbers: Bool
    private let showsParts: Bool
    /// How many lines before and after one that is found are shown, too; nil without the lines `--` between
    /// them.
    private let around: (before: Int, after: Int)?
    /// How many lines of a file are looked for.
    private let maximum: Int

    /// How many lines of the file were found.
    private(set) var found = 0
    /// How many of the next lines are shown, whatever they contain.
    private var due = 0
    /// Where in the file the last shown line ends; -1 before the first.
    private var shownEnd = -1
    private var hasShown = false
    /// The last lines of the blocks before this one, as many as may be shown before a line that is found.
    private var kept: ArraySlice<[UInt8]> = []
    /// The number of the line that begins at the place `counted` of the file.
    private var number = 1
    private var counted = 0

    /// Reads the options that say what is shown.
    ///
    /// - Throws: ``UsageError`` where they are not valid.
    init(_ arguments: Arguments, _ searcher: LineSearcher, operands: Int) throws {
        self.searcher = searcher
        printer = try LinePrinter(arguments)
        printer.failureCode = ExitStatus.trouble.code
        kind =
            if arguments.has("--quiet") {
                .nothing
            } else if arguments.has("--files-without-match") {
                .nameIfNot
            } else if arguments.has("--files-with-matches") {
                .nameIfFound
            } else if arguments.has("--count") {
                .count
            } else {
                .lines
            }
        showsNames =
            !arguments.has("--no-filename") && (operands > 1 || arguments.has("--with-file"))
        showsNumbers = arguments.has("--line-number")
        showsParts = arguments.has("--only-matching")
        let both = try arguments.integer("--context")
        let before = try arguments.integer("--before-context") ?? both
        let after = try arguments.integer("--after-context") ?? both
        around = before == nil && after == nil ? nil : (before ?? 0, after ?? 0)
        let limit = try arguments.integer("--max-count") ?? .max
        maximum = kind == .lines || kind == .count ? limit : min(limit, 1)
    }

    /// Whether no line of any file is looked for, as with `-m 0`.
    var looksForNothing: Bool { maximum == 0 && kind != .nameIfNot }

    /// Whether lines are taken as they come, many at once.
    var takesRuns: Bool {
        switch kind {
        case .lines:
            printer.isPlain && !showsNames && !showsNumbers && !showsParts && around == nil && maximum == .max
        case .count: maximum == .max
        case .nameIfFound, .nameIfNot, .nothing: true
        }
    }

    /// Whether nothing more of the file is looked for or shown.
    var isEnough: Bool { found >= maximum && due == 0 }

    /// A file begins.
    func begin() {
        (found, due, shownEnd, number, counted) = (0, 0, -1, 1, 0)
        kept = []
    }

    /// Shows a line that was found, or several where ``takesRuns`` is true.
    func show(_ lines: LogReading.Lines) {
        guard found < maximum else { return }
        if takesRuns {
            found += kind == .count ? GrepOutput.lines(in: lines.bytes) : 1
            if kind == .lines { printer.write(lines: lines.bytes) }
            return
        }
        found += 1
        guard kind == .lines else { return }
        if let around { showBefore(lines, around.before) }
        let number = showsNumbers ? number(at: lines.range.lowerBound, of: lines) : 0
        let prefix = prefix(lines, number, ":")
        if showsParts {
            searcher.forEachPart(of: lines.line) {
                // A part comes after no line: each ends at -1 or later.
                let part = LogReading.Lines($0, offset: -2, path: lines.path)
                printer.print(part, prefix: prefix, matches: [0..<$0.count])
            }
        } else {
            printer.print(lines, prefix: prefix, matches: searcher.matches(in: lines.line))
        }
        shownEnd = lines.offset + lines.range.upperBound
        hasShown = true
        due = around?.after ?? 0
    }

    /// A block of the file is over: shows the lines that are due, and keeps those that may be shown before
    /// the next one.
    func finish(_ block: LogReading.Lines) {
        guard kind == .lines, around != nil || showsNumbers else { return }
        showAfter(upTo: block.range.upperBound, of: block)
        if let before = around?.before, before > 0 {
            var lines: [[UInt8]] = []
            var end = block.range.upperBound
            let first = max(0, shownEnd - block.offset)
            while end > first, lines.count < before {
                let start = LogBlockReader.lineStart(in: block.block, of: end - 1)
                lines.append(Array(block.block[start..<end]))
                end = start
            }
            kept = (kept + lines.reversed()).suffix(before)
        }
        if showsNumbers { _ = number(at: block.range.upperBound, of: block) }
    }

    /// Shows the count of a file or an operand, or its name; at its end.
    func summarize(_ path: String, count: Int) {
        let name = LogReading.name(of: path)
        switch kind {
        case .count: Terminal.output.write((showsNames ? name + ":" : "") + "\(count)\n")
        case .nameIfFound: if count > 0 { Terminal.output.write(name + "\n") }
        case .nameIfNot: if count == 0 { Terminal.output.write(name + "\n") }
        case .lines, .nothing: break
        }
    }

    func flush() { printer.flush() }

    // MARK: Lines around

    private func showBefore(_ lines: LogReading.Lines, _ before: Int) {
        let start = lines.range.lowerBound
        showAfter(upTo: start, of: lines)
        var firsts: [Int] = []
        var first = start
        while first > max(0, shownEnd - lines.offset), firsts.count < before {
            first = LogBlockReader.lineStart(in: lines.block, of: first - 1)
            firsts.append(first)
        }
        let earlier = first == 0 && shownEnd <= lines.offset ? kept.suffix(before - firsts.count) : []
        var place = lines.offset + first - earlier.reduce(0) { $0 + $1.count }
        if hasShown, place != shownEnd { printer.print("--") }
        kept = []
        guard !showsParts else { return }
        var number = showsNumbers ? number(at: start, of: lines) - firsts.count - earlier.count : 0
        for line in earlier {
            line.withUnsafeBytes { line in
                let line = LogReading.Lines(line, offset: place, path: lines.path)
                printer.print(line, prefix: prefix(lines, number, "-"))
            }
            (place, number) = (place + line.count, number + 1)
        }
        for first in firsts.reversed() {
            printer.print(lines.line(at: first), prefix: prefix(lines, number, "-"))
            number += 1
        }
    }

    private func showAfter(upTo end: Int, of lines: LogReading.Lines) {
        var start = max(0, shownEnd - lines.offset)
        while due > 0, start < end {
            let line = lines.line(at: start)
            if !showsParts {
                let number = showsNumbers ? number(at: start, of: lines) : 0
                printer.print(line, prefix: prefix(lines, number, "-"))
            }
            start = min(line.range.upperBound + 1, lines.block.count)
            shownEnd = lines.offset + start
            due -= 1
        }
    }

    /// The number of the line that begins at a place of the block; places do not go backward.
    private func number(at place: Int, of lines: LogReading.Lines) -> Int {
        let range = (counted - lines.offset)..<place
        number += GrepOutput.lines(in: UnsafeRawBufferPointer(rebasing: lines.block[range]))
        counted = lines.offset + place
        return number
    }

    private func prefix(_ lines: LogReading.Lines, _ number: Int, _ separator: String) -> String {
        (showsNames ? LogReading.name(of: lines.path) + separator : "")
            + (showsNumbers ? "\(number)" + separator : "")
    }

    /// How many lines there are, the last one included where it has no newline.
    private static func lines(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        bytes.withMemoryRebound(to: UInt8.self) { bytes in
            // Sums of bytes that the compiler can keep in vector registers.
            for start in stride(from: 0, to: bytes.count, by: 128) {
                var sum: UInt8 = 0
                for byte in bytes[start..<min(start + 128, bytes.count)] { sum &+= byte == .newline ? 1 : 0 }
                count += Int(sum)
            }
        }
        if let last = bytes.last, last != .newline { count += 1 }
        return count
    }
}
