import CHeartwood
import Heartwood

/// What must be known of a line before it is written, found with a few operations for each 64 bytes.
///
/// It decides which lines take the long way, and is never wrong about one that does not:
/// - Without ``needsCare``, the line is printable ASCII without a backslash.
/// - Without ``mayHaveLevel``, ``LineRecognizer`` finds no level in it. (It needs a word for a level, or a
///   key, that is in capitals, in front of a bracket or the like, or right after the time; or a special
///   beginning or end.)
package struct LineScan {
    /// Control characters, backslashes, or bytes that are not ASCII.
    package private(set) var needsCare = false
    /// Quotation marks.
    package private(set) var hasQuote = false
    /// ``LineRecognizer`` must look at it.
    package private(set) var mayHaveLevel = false

    /// How many bytes after a line must be readable.
    package static let slack = 64

    package typealias Bytes = UnsafeRawBufferPointer

    /// Whether ``LineRecognizer`` must look for a level in a line; nothing after it need be readable.
    package static func mayHaveLevel(_ line: Bytes) -> Bool {
        guard let base = line.baseAddress, line.count <= 448 else { return line.count > 0 }
        return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { room in
            room.copyMemory(from: Bytes(start: base, count: line.count))
            return LineScan(Bytes(rebasing: room[..<line.count]), findsLevels: true).mayHaveLevel
        }
    }

    /// Looks at a line, after which ``slack`` bytes more can be read.
    package init(_ line: Bytes, findsLevels: Bool) {
        guard let base = line.baseAddress, line.count > 0 else { return }
        let reach = findsLevels ? line.count : 0
        if findsLevels { mayHaveLevel = LineScan.hasSpecialStart(line) }
        var care: UInt64 = 0
        var quotes: UInt64 = 0
        var lastLetters: UInt64 = 0
        var lastCapitals: UInt64 = 0
        var index = 0
        while index < line.count {
            let masks = hw_masks_of_64(base + index)
            let rest = line.count - index
            let valid: UInt64 = rest >= 64 ? .max : (1 << UInt64(rest)) &- 1
            care |= masks.special & valid
            quotes |= masks.quotes & valid
            if !mayHaveLevel, index < reach {
                let near = reach - index
                let seen: UInt64 = near >= 64 ? .max : (1 << UInt64(near)) &- 1
                let letters = masks.letters & seen
                let capitals = masks.capitals & seen
                // A mark after a letter, and the third of several capitals.
                let marked = masks.marks & seen & (letters << 1 | lastLetters >> 63)
                let third =
                    capitals & (capitals << 1 | lastCapitals >> 63) & (capitals << 2 | lastCapitals >> 62)
                if marked | third != 0 {
                    mayHaveLevel = LineScan.hasWord(line, reach, index, marked: marked, third: third)
                }
                lastLetters = letters
                lastCapitals = capitals
            }
            index += 64
        }
        needsCare = care != 0
        hasQuote = quotes != 0
        if findsLevels, !mayHaveLevel { mayHaveLevel = hasUnusualForm(line) || LineScan.hasSpecialRest(line) }
    }

    /// Whether there are colors, an object after other text, or a request after a time in brackets.
    private func hasUnusualForm(_ line: Bytes) -> Bool {
        guard let base = line.baseAddress else { return false }
        if needsCare, memchr(base, 0x1B, line.count) != nil { return true }
        // A code of Cisco.
        if let percent = memchr(base, 0x25, line.count - 1) {
            let next = base.distance(to: UnsafeRawPointer(percent)) + 1
            if line[next] &- 0x41 < 26 { return true }
        }
        // A letter in brackets.
        var index = 0
        while index + 2 < line.count, let found = memchr(base + index, 0x5B, line.count - index - 2) {
            index = base.distance(to: UnsafeRawPointer(found)) + 1
            if line[index + 1] == UInt8(ascii: "]"), line[index] &- 0x41 < 26 { return true }
        }
        guard hasQuote, let quote = memchr(base, 0x22, line.count) else { return false }
        let place = base.distance(to: UnsafeRawPointer(quote))
        if place > 1, line[place - 1] == 0x20, line[place - 2] == UInt8(ascii: "]") { return true }
        var last = line.count - 1
        while last > 0, line[last] == 0x20 || line[last] == 0x0D { last -= 1 }
        return line[last] == UInt8(ascii: "}")
    }

    /// Whether a word, wherever it is in a line, may be a level or the key of one, or tell of a status.
    private static func isOfInterest(_ line: Bytes, _ start: Int, _ length: Int) -> Bool {
        guard length >= 3, length <= LevelWord.longest else { return false }
        return LevelWord.isOfInterest(line, start..<start + length)
    }

    /// Whether the line begins as only some do: JSON, a priority, a letter and a date, a name that another
    /// tool has put in front of it, or a time and a word after it.
    @inline(__always)
    private static func hasSpecialStart(_ line: Bytes) -> Bool {
        let first = line[0]
        guard line.count > 2 else { return false }
        if first == UInt8(ascii: "("), line[2] == UInt8(ascii: ")") { return true }
        if first.isLetter || first == 0x2F || first == 0x2E || first == 0x5F {
            return line[1].isDigit || line[1].isOne(of: "/, ") || hasLineWithin(line)
                || hasLevelAndSlash(line)
        }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "<") { return true }
        return hasWordAfterTime(line)
    }

    private static func hasLevelAndSlash(_ line: Bytes) -> Bool {
        var end = 0
        while end < line.count, end <= LevelWord.longest, line[end].isLetter { end += 1 }
        return end < line.count && line[end] == 0x2F && isOfInterest(line, 0, end)
    }

    /// Whether what follows a tag of syslog begins as only some lines do.
    private static func hasSpecialRest(_ line: Bytes) -> Bool {
        guard let base = line.baseAddress else { return false }
        var index = 0
        while index < line.count, let found = memchr(base + index, 0x3A, line.count - index) {
            index = base.distance(to: UnsafeRawPointer(found)) + 1
            guard index + 2 < line.count, line[index] == 0x20 else { continue }
            let rest = Bytes(rebasing: line[(index + 1)...])
            return !rest[0].isLetter || rest[1].isDigit || rest[1].isOne(of: "/, ") || hasLevelAndSlash(rest)
        }
        return false
    }

    /// Whether a bar, a date or the beginning of a line of glog is near.
    private static func hasLineWithin(_ line: Bytes) -> Bool {
        guard let base = line.baseAddress, line.count > 8 else { return false }
        // The name of a pod.
        let word = line.prefix(80).prefix { $0 != 0x20 }
        if word.contains(0x2D), word.contains(where: { $0.isDigit }) { return true }
        let near = min(line.count - 5, 96)
        // Columns with names.
        if memchr(base, 0x09, near) != nil, memchr(base, 0x3A, near) != nil { return true }
        if memchr(base, Int32(UInt8(ascii: "|")), near) != nil { return true }
        for separator in [UInt8(ascii: "-"), UInt8(ascii: "/")] {
            var index = 4
            while index < near, let found = memchr(base + index, Int32(separator), near - index) {
                index = base.distance(to: UnsafeRawPointer(found))
                if line[index + 3] == separator, line.number(index + 1, 2) != nil,
                    line.number(index - 4, 4) != nil
                {
                    return true
                }
                index += 1
            }
        }
        var index = 1
        while index < near, let found = memchr(base + index, Int32(UInt8(ascii: ":")), near - index) {
            index = base.distance(to: UnsafeRawPointer(found)) + 1
            let letter = line[index] == 0x20 ? index + 1 : index
            if letter + 4 < line.count, line[letter] &- 0x41 < 26, line.number(letter + 1, 4) != nil {
                return true
            }
        }
        return false
    }

    /// Whether the first word of three letters or more is one of interest; where none is near, that is not
    /// known.
    private static func hasWordAfterTime(_ line: Bytes) -> Bool {
        if line.count > 11, line[10] == 0x2E || line[1] == UInt8(ascii: "p") { return true }
        var index = 0
        let count = min(line.count, 64)
        while index < count {
            let start = index
            while index < line.count, line[index].isLetter { index += 1 }
            let length = index - start
            if length >= 3 {
                if isOfInterest(line, start, length) { return true }
                // The name of a month or a zone, or of a stream of a container.
                let isMonth =
                    length == 3 && index + 1 < line.count && (line[index + 1].isDigit || line[index].isDigit)
                let isZone = length < 6 && line[start] & line[start + 1] & line[start + 2] & 0x20 == 0
                if !isMonth, !isZone { return length == 6 && line[start] | 0x20 == 0x73 || hasBar(line) }
            } else if length == 1, line[start] & 0x20 == 0, index < line.count,
                line[index].isOne(of: " /]|\t")
            {
                return true
            }
            index += 1
        }
        return line.count > 64 || hasBar(line)
    }

    private static func hasBar(_ line: Bytes) -> Bool { line.prefix(64).contains(UInt8(ascii: "|")) }

    /// Whether one of the words that end at a mark, or are in capitals, is one of interest.
    private static func hasWord(
        _ line: Bytes, _ reach: Int, _ index: Int, marked: UInt64, third: UInt64
    ) -> Bool {
        var marked = marked
        while marked != 0 {
            let end = index + marked.trailingZeroBitCount
            marked &= marked &- 1
            var start = end
            while start > 0, line[start - 1].isLetter, end - start < 14 { start -= 1 }
            if LineScan.isOfInterest(line, start, end - start) { return true }
        }
        var third = third
        while third != 0 {
            let place = index + third.trailingZeroBitCount
            // Of a row of capitals, the third is enough; the others follow without a gap.
            let row = third.trailingZeroBitCount
            let following = ~(third >> UInt64(row))
            third &=
                following.trailingZeroBitCount + row >= 64
                ? 0 : .max << UInt64(row + following.trailingZeroBitCount)
            var start = place - 2
            while start > 0, line[start - 1].isLetter, place - start < 14 { start -= 1 }
            var end = place + 1
            while end < reach, line[end].isLetter, end - start < 14 { end += 1 }
            if LineScan.isOfInterest(line, start, end - start) { return true }
        }
        return false
    }
}
