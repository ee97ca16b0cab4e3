import CHeartwood
import Heartwood

/// What must be known of a line before it is written, found with a few operations for each 64 bytes.
///
/// It decides which lines take the long way, and is never wrong about one that does not:
/// - Without ``needsCare``, the line is printable ASCII without a backslash.
/// - Without ``mayHaveLevel``, ``LevelDetector`` finds no level in it. (It needs a word for a level, or a
///   key, that is in capitals, in front of a bracket or the like, or right after the time; or a special
///   beginning.)
package struct LineScan {
    /// Control characters, backslashes, or bytes that are not ASCII.
    package private(set) var needsCare = false
    /// Quotation marks.
    package private(set) var hasQuote = false
    /// ``LevelDetector`` must look at it.
    package private(set) var mayHaveLevel = false

    /// How many bytes after a line must be readable.
    package static let slack = 64

    package typealias Bytes = UnsafeRawBufferPointer

    /// Looks at a line, after which ``slack`` bytes more can be read.
    package init(_ line: Bytes, findsLevels: Bool) {
        guard let base = line.baseAddress, line.count > 0 else { return }
        let reach = findsLevels ? min(line.count, LevelDetector.reach) : 0
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
    }

    /// Whether the line begins as only some do: JSON, a priority, glog's letter and date, or a time and a
    /// word after it.
    @inline(__always)
    private static func hasSpecialStart(_ line: Bytes) -> Bool {
        let first = line[0]
        if (first | 0x20) &- 0x61 < 26 {
            return line.count > 6 && line[5] == 0x20 && line[1] &- 0x30 < 10
        }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "<") { return true }
        return hasWordAfterTime(line)
    }

    /// Whether the first word of three letters or more is one of interest; where none is near, that is not
    /// known.
    private static func hasWordAfterTime(_ line: Bytes) -> Bool {
        var index = 0
        let count = min(line.count, 64)
        while index < count {
            let start = index
            while index < line.count, (line[index] | 0x20) &- 0x61 < 26 { index += 1 }
            if index - start >= 3 { return LevelDetector.isOfInterest(line, start, index - start) }
            index += 1
        }
        return line.count > 64
    }

    /// Whether one of the words that end at a mark, or are in capitals, is one of interest.
    private static func hasWord(
        _ line: Bytes, _ reach: Int, _ index: Int, marked: UInt64, third: UInt64
    ) -> Bool {
        var marked = marked
        while marked != 0 {
            let end = index + marked.trailingZeroBitCount
            marked &= marked &- 1
            var start = end
            while start > 0, (line[start - 1] | 0x20) &- 0x61 < 26, end - start < 10 { start -= 1 }
            if LevelDetector.isOfInterest(line, start, end - start) { return true }
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
            while start > 0, (line[start - 1] | 0x20) &- 0x61 < 26, place - start < 10 { start -= 1 }
            var end = place + 1
            while end < reach, (line[end] | 0x20) &- 0x61 < 26, end - start < 10 { end += 1 }
            if LevelDetector.isOfInterest(line, start, end - start) { return true }
        }
        return false
    }
}
