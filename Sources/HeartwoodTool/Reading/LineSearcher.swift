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
/// A line that is a JSON object is also found as its reader sees it: with the escapes resolved, and by its
/// message where that is a list of bytes, as journald writes one with colors. Only lines with a backslash, or
/// with a message that begins as such a list does, are looked at a second time for that.
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
    /// The text of the current line as its reader sees it.
    private var resolved: [UInt8] = []
    private let recognizer = LineRecognizer()

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

    /// What a person should know of the search; nil where all is well.
    var complaint: String? { marker?.complaint }

    /// Calls `body` with the lines to find, in their order, as ranges of whole lines with their newlines.
    ///
    /// A range is one line; when the searcher is inverted, it may be several that follow each other.
    func forEachRun(in block: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
        var index = 0
        var plain = nextLine(in: block, from: 0)
        var escaped = nextEscaped(in: block, from: 0)
        var listed = nextListed(in: block, from: 0)
        while let match = LineSearcher.first(LineSearcher.first(plain, escaped), listed) {
            if isInverted {
                if match.lowerBound > index { body(index..<match.lowerBound) }
            } else {
                body(match)
            }
            index = match.upperBound
            if index >= block.count { break }
            if let last = plain, last.lowerBound < index { plain = nextLine(in: block, from: index) }
            if let last = escaped, last.lowerBound < index { escaped = nextEscaped(in: block, from: index) }
            if let last = listed, last.lowerBound < index { listed = nextListed(in: block, from: index) }
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
        (hasMatch(line) || hasEscapedMatch(line) || hasListedMatch(line)) != isInverted
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
        guard ranges.isEmpty, hasEscapedMatch(line) || hasListedMatch(line) else { return }
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
            let isEnded = block.last == .newline
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
        next(LineSearcher.backslash, in: block, from: start, { _ in true }, hasEscapedMatch)
    }

    /// The first line, at or after `start`, whose message is a list of bytes that matches as a text.
    private func nextListed(in block: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        // Most logs of text have no brace at all.
        guard LineSearcher.place(of: UInt8(ascii: "{"), in: block, from: start) != nil else { return nil }
        return nextList(in: block, from: start, hasListedMatch)
    }

    private func nextList(
        in block: UnsafeRawBufferPointer, from start: Int, _ hasMatch: (UnsafeRawBufferPointer) -> Bool
    ) -> Range<Int>? {
        let isMessage = { LineSearcher.isMessage(at: $0, in: block) }
        return next(UInt8(ascii: "["), in: block, from: start, isMessage, hasMatch)
    }

    /// The first line, at or after `start`, that has a byte in a place that counts, and matches.
    private func next(
        _ byte: UInt8, in block: UnsafeRawBufferPointer, from start: Int, _ counts: (Int) -> Bool,
        _ hasMatch: (UnsafeRawBufferPointer) -> Bool
    ) -> Range<Int>? {
        if case .all = way { return nil }
        var index = start
        while let place = LineSearcher.place(of: byte, in: block, from: index) {
            index = place + 1
            guard counts(place) else { continue }
            let first = LogBlockReader.lineStart(in: block, of: place)
            let end = LogBlockReader.lineEnd(in: block, from: place)
            index = min(end + 1, block.count)
            if hasMatch(UnsafeRawBufferPointer(rebasing: block[first..<end])) { return first..<index }
        }
        return nil
    }

    /// Whether a line that is a JSON object matches with its escapes resolved; it is ``resolved`` then.
    private func hasEscapedMatch(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.first == UInt8(ascii: "{"), line.contains(LineSearcher.backslash) else { return false }
        JSONTokens.unescape(line, into: &resolved)
        return resolved.withUnsafeBytes(hasMatch)
    }

    /// Whether the message of a JSON object is a list of bytes that matches as a text, ``resolved`` then.
    private func hasListedMatch(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.first == UInt8(ascii: "{"), nextList(in: line, from: 0, { _ in true }) != nil else {
            return false
        }
        resolved = Array(AnsiText.plain(recognizer.record(of: line, fields: .none).message).utf8)
        return resolved.withUnsafeBytes(hasMatch)
    }

    /// Whether a list of numbers begins at a bracket, after a name such as `"MESSAGE":`, also an escaped one.
    private static func isMessage(at bracket: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        var next = bracket + 1
        while next < bytes.count, bytes[next] == UInt8(ascii: " ") { next += 1 }
        guard next < bytes.count, bytes[next].isDigit else { return false }
        guard let colon = place(of: UInt8(ascii: ":"), before: bracket, in: bytes),
            var end = place(of: UInt8(ascii: "\""), before: colon, in: bytes)
        else { return false }
        while end > 0, bytes[end - 1] == backslash { end -= 1 }
        return has("message", before: end, in: bytes) || has("msg", before: end, in: bytes)
    }

    /// Where a byte is that is in front of a place, with nothing but blanks between them.
    private static func place(
        of byte: UInt8, before end: Int, in bytes: UnsafeRawBufferPointer
    ) -> Int? {
        var index = end - 1
        while index > 0, bytes[index] == UInt8(ascii: " ") { index -= 1 }
        return index >= 0 && bytes[index] == byte ? index : nil
    }

    /// Whether a name in lowercase is in front of a place, in any case.
    private static func has(_ name: StaticString, before end: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        let start = end - name.utf8CodeUnitCount
        return start >= 0 && (start..<end).allSatisfy { bytes[$0] | 0x20 == name.utf8Start[$0 - start] }
    }

    private static func place(of byte: UInt8, in block: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = block.baseAddress, start < block.count else { return nil }
        let found = memchr(base + start, Int32(byte), block.count - start)
        return found.map { base.distance(to: UnsafeRawPointer($0)) }
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
