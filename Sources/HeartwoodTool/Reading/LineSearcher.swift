import CHeartwood
import Heartwood
import HeartwoodReading

/// Finds the lines of blocks in which a pattern is, without looking at every line where that can be avoided.
///
/// 1. A text is looked for in the block as a whole, and the line is found from it.
/// 2. A regular expression that cannot match a newline is matched against the block as a whole.
/// 3. Any other is matched line by line; where every match must contain a text, only lines that do.
///
/// The lines that it finds are the same in all three ways: those that match by themselves.
///
/// A line that is a JSON object is also found as its reader sees it, with the escapes resolved. Only lines
/// with a backslash are looked at a second time for that.
///
/// Not thread-safe: owned by whoever searches.
final class LineSearcher {
    private enum Way {
        /// Every line, or none.
        case all(Bool)
        case text([UInt8])
        case blocks(CompiledPattern)
        case lines(CompiledPattern, required: [UInt8]?)
    }

    private let way: Way
    /// Whether lines that do not match are the ones to find.
    let isInverted: Bool
    private let marker: CompiledPattern?
    /// The text of the line at hand, with its escapes resolved.
    private var resolved: [UInt8] = []

    /// Makes a searcher.
    ///
    /// - Throws: ``UsageError`` where the pattern is not a regular expression.
    init(
        _ pattern: String, isLiteral: Bool = false, ignoresCase: Bool = false, isInverted: Bool = false
    ) throws {
        self.isInverted = isInverted
        let shape = PatternShape(pattern, isLiteral: isLiteral, ignoresCase: ignoresCase)
        if isLiteral, !shape.isSafeForBlocks {
            way = .all(false)  // no line contains a newline
            marker = nil
            return
        }
        let compiled = try CompiledPattern(pattern, isLiteral: isLiteral, ignoresCase: ignoresCase)
        marker = compiled
        if shape.isText, let text = shape.requiredText {
            way = text.isEmpty ? .all(true) : .text(text)
        } else if shape.isSafeForBlocks {
            way = .blocks(compiled)
        } else {
            way = .lines(compiled, required: shape.requiredText)
        }
    }

    /// Lines on which the search was given up, because the pattern needs too many steps for them.
    var failures: Int { marker?.failures ?? 0 }

    /// Calls `body` with the lines to find, in their order, as ranges of whole lines with their newlines.
    ///
    /// A range is one line; when the searcher is inverted, it may be several that follow each other.
    func forEachRun(in block: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
        var index = 0
        var plain = nextLine(in: block, from: 0)
        var escaped = nextEscaped(in: block, from: 0)
        while let match = LineSearcher.first(plain, escaped) {
            if isInverted {
                if match.lowerBound > index { body(index..<match.lowerBound) }
            } else {
                body(match)
            }
            index = match.upperBound
            if index >= block.count { break }
            if let last = plain, last.lowerBound < index { plain = nextLine(in: block, from: index) }
            if let last = escaped, last.lowerBound < index { escaped = nextEscaped(in: block, from: index) }
        }
        if isInverted, index < block.count { body(index..<block.count) }
    }

    private static func first(_ one: Range<Int>?, _ other: Range<Int>?) -> Range<Int>? {
        guard let one, let other else { return one ?? other }
        return one.lowerBound <= other.lowerBound ? one : other
    }

    /// Calls `body` with each line to find, as a range without the newline.
    func forEachLine(in block: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
        forEachRun(in: block) { run in
            var start = run.lowerBound
            while start < run.upperBound {
                let end = min(LogBlockReader.lineEnd(in: block, from: start), run.upperBound)
                body(start..<end)
                start = end + 1
            }
        }
    }

    /// Whether a line, without its newline, is one to find.
    func finds(_ line: UnsafeRawBufferPointer) -> Bool {
        let hasMatch = hasMatch(line) || (resolve(line) && resolved.withUnsafeBytes(hasMatch))
        return hasMatch != isInverted
    }

    private func hasMatch(_ line: UnsafeRawBufferPointer) -> Bool {
        switch way {
        case .all(let isEvery): isEvery
        case .text(let text): LineSearcher.find(text, in: line, from: 0) != nil
        case .blocks(let pattern), .lines(let pattern, _): pattern.firstMatch(in: line) != nil
        }
    }

    /// Where the pattern matches in a line, for showing it; nothing when the searcher is inverted.
    func matches(in line: UnsafeRawBufferPointer) -> [Range<Int>] {
        guard let marker, !isInverted else { return [] }
        var ranges: [Range<Int>] = []
        var index = 0
        while index <= line.count, let match = marker.firstMatch(in: line, from: index) {
            if !match.isEmpty { ranges.append(match) }
            index = max(match.upperBound, index + (match.isEmpty ? 1 : 0))
            if match.isEmpty { index = match.upperBound + 1 }
        }
        return ranges
    }

    /// Calls `body` with each part of a line in which the pattern matches, as `-o` shows them.
    func forEachPart(of line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        let ranges = matches(in: line)
        for range in ranges { body(UnsafeRawBufferPointer(rebasing: line[range])) }
        guard ranges.isEmpty, resolve(line) else { return }
        resolved.withUnsafeBytes { line in
            for range in matches(in: line) { body(UnsafeRawBufferPointer(rebasing: line[range])) }
        }
    }

    // MARK: Looking

    /// The first line that matches and begins at or after `start`, where a line begins; with its newline.
    private func nextLine(in block: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        switch way {
        case .all(false): return nil
        case .all(true): return start..<after(start, block)
        case .text(let text):
            guard let found = LineSearcher.find(text, in: block, from: start) else { return nil }
            return LogBlockReader.lineStart(in: block, of: found)..<after(found, block)
        case .blocks(let pattern):
            // The newline at the end belongs to the last line, and begins no other.
            let isEnded = block.last == 0x0A
            let text = UnsafeRawBufferPointer(rebasing: block[..<(block.count - (isEnded ? 1 : 0))])
            guard let match = pattern.firstMatch(in: text, from: start) else { return nil }
            let first = LogBlockReader.lineStart(in: block, of: match.lowerBound)
            return first..<after(match.lowerBound, block)
        case .lines(let pattern, let required): return nextLine(pattern, required, block, start)
        }
    }

    private func nextLine(
        _ pattern: CompiledPattern, _ required: [UInt8]?, _ block: UnsafeRawBufferPointer, _ start: Int
    ) -> Range<Int>? {
        var index = start
        while index < block.count {
            if let required {
                guard let found = LineSearcher.find(required, in: block, from: index) else { return nil }
                index = LogBlockReader.lineStart(in: block, of: found)
            }
            let end = LogBlockReader.lineEnd(in: block, from: index)
            let line = UnsafeRawBufferPointer(rebasing: block[index..<end])
            let next = min(end + 1, block.count)
            if pattern.firstMatch(in: line) != nil { return index..<next }
            index = next
            if end == block.count { break }
        }
        return nil
    }

    /// The first line, at or after `start`, that matches when the escapes of JSON in it are resolved.
    private func nextEscaped(in block: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        if case .all = way { return nil }
        var index = start
        while let base = block.baseAddress, index < block.count,
            let found = memchr(base + index, Int32(LineSearcher.backslash), block.count - index)
        {
            let place = base.distance(to: UnsafeRawPointer(found))
            let first = LogBlockReader.lineStart(in: block, of: place)
            let end = LogBlockReader.lineEnd(in: block, from: place)
            index = min(end + 1, block.count)
            if resolve(UnsafeRawBufferPointer(rebasing: block[first..<end])),
                resolved.withUnsafeBytes(hasMatch)
            {
                return first..<index
            }
        }
        return nil
    }

    /// Resolves the escapes of a line that is a JSON object; false for all other lines.
    private func resolve(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.first == UInt8(ascii: "{"), line.contains(LineSearcher.backslash) else { return false }
        JSONTokens.unescape(line, into: &resolved)
        return true
    }

    private static let backslash = UInt8(ascii: "\\")

    private func after(_ index: Int, _ block: UnsafeRawBufferPointer) -> Int {
        min(LogBlockReader.lineEnd(in: block, from: index) + 1, block.count)
    }

    private static func find(_ text: [UInt8], in block: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = block.baseAddress else { return text.isEmpty ? 0 : nil }
        guard let found = hw_find(base + start, block.count - start, text, text.count) else { return nil }
        return base.distance(to: found)
    }
}
