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
    /// Digits as times have them.
    private(set) var mayHaveTime = false

    /// How many bytes after a line must be readable.
    package static let slack = 64

    package typealias Bytes = UnsafeRawBufferPointer

    /// Looks at a line of which nothing is known; nothing after it need be readable.
    init(_ line: Bytes) {
        let rest = line.count & 63
        guard let base = line.baseAddress, line.count <= 448 else {
            (mayHaveLevel, mayHaveTime) = (line.count > 0, line.count > 0)
            return
        }
        self = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { room in
            room.copyMemory(from: Bytes(start: base + line.count - rest, count: rest))
            return LineScan(line, findsLevels: true, end: room.baseAddress.map { UnsafeRawPointer($0) })
        }
    }

    /// Whether ``LineRecognizer`` must look for a level in a line; nothing after it need be readable.
    package static func mayHaveLevel(_ line: Bytes) -> Bool { LineScan(line).mayHaveLevel }

    /// Looks at a line, after which ``slack`` bytes more can be read.
    package init(_ line: Bytes, findsLevels: Bool) { self.init(line, findsLevels: findsLevels, end: nil) }

    /// Looks at a line; `end` is a copy of its last bytes, where less than ``slack`` bytes can be read there.
    @inline(__always)
    private init(_ line: Bytes, findsLevels: Bool, end: UnsafeRawPointer?) {
        guard let base = line.baseAddress, line.count > 0 else { return }
        // What some byte of the line is.
        var (special, quotes, times) = (UInt64(0), UInt64(0), UInt64(0))
        var last = hw_byte_masks()
        var index = 0
        while index < line.count {
            let rest = line.count - index
            let block = rest < 64 ? end ?? base + index : base + index
            var masks = hw_masks_of_64(block)
            if rest < 64 { masks.keep(1 &<< UInt64(rest) &- 1) }
            special |= masks.special
            quotes |= masks.quotes
            if findsLevels {
                if index == 0 { mayHaveLevel = LineScan.hasSpecialStart(line, masks) }
                times |= masks.times(after: last)
                if !mayHaveLevel { mayHaveLevel = LineScan.hasLevel(line, index, masks, last) }
                last = masks
            }
            index += 64
        }
        (needsCare, hasQuote, mayHaveTime) = (special != 0, quotes != 0, times != 0)
        if findsLevels, !mayHaveLevel { mayHaveLevel = hasUnusualForm(line) || LineScan.hasSpecialRest(line) }
    }

    /// Whether 64 bytes may have a level: a word of interest in front of a mark, or in capitals, a letter in
    /// brackets, or a code of Cisco.
    @inline(__always)
    private static func hasLevel(
        _ line: Bytes, _ index: Int, _ masks: hw_byte_masks, _ last: hw_byte_masks
    ) -> Bool {
        let capitals = masks.capitals
        let afterLetter = masks.letters &<< 1 | last.letters &>> 63
        // A mark after a letter, and the third of several capitals.
        let marked = masks.marks & afterLetter
        let third =
            capitals & (capitals &<< 1 | last.capitals &>> 63) & (capitals &<< 2 | last.capitals &>> 62)
        if marked | third != 0, hasWord(line, index, marked: marked, third: third) { return true }
        var initials = capitals & ~afterLetter
        while initials != 0 {
            let place = index + initials.trailingZeroBitCount
            initials &= initials &- 1
            guard place > 0, place + 1 < line.count else { continue }
            switch line[place - 1] {
            case UInt8(ascii: "%"): return true
            case UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "<"):
                let next = line[place + 1]
                if next.isOne(of: "])>") || next == line[place] { return true }
            default: break
            }
        }
        return false
    }

    /// Whether there are colors, an object after other text, or a request after a time in brackets.
    private func hasUnusualForm(_ line: Bytes) -> Bool {
        guard let base = line.baseAddress else { return false }
        if needsCare, memchr(base, 0x1B, line.count) != nil { return true }
        guard hasQuote, let quote = memchr(base, 0x22, line.count) else { return false }
        let place = base.distance(to: UnsafeRawPointer(quote))
        if place > 1, line[place - 1] == .space, line[place - 2] == UInt8(ascii: "]") { return true }
        var last = line.count - 1
        while last > 0, line[last] == .space || line[last] == .carriageReturn { last -= 1 }
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
    private static func hasSpecialStart(_ line: Bytes, _ masks: hw_byte_masks) -> Bool {
        let first = line[0]
        guard line.count > 2 else { return false }
        if first.isLetter || first == .slash || first == .period || first == .underscore {
            return line[1].isDigit || line[1].isOne(of: "/, ") || hasLineWithin(line, masks)
        }
        // Also a mark of UTF-8.
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "<") || first == 0xEF { return true }
        return hasWordAfterTime(line, masks)
    }

    /// Whether what follows a tag of syslog begins as only some lines do.
    private static func hasSpecialRest(_ line: Bytes) -> Bool {
        guard let base = line.baseAddress else { return false }
        var index = 0
        while index < line.count, let found = memchr(base + index, 0x3A, line.count - index) {
            index = base.distance(to: UnsafeRawPointer(found)) + 1
            guard index + 2 < line.count, line[index] == .space else { continue }
            let rest = Bytes(rebasing: line[(index + 1)...])
            return !rest[0].isLetter || rest[1].isDigit || rest[1].isOne(of: "/, ")
        }
        return false
    }

    /// Whether a bar, a date, the beginning of a line of glog, or a tab and a colon are within 64 bytes.
    private static func hasLineWithin(_ line: Bytes, _ masks: hw_byte_masks) -> Bool {
        guard line.count > 8 else { return false }
        // The name of a pod.
        var isPod = false
        var hasDigit = false
        for byte in line.prefix(80) {
            if byte == .space { break }
            isPod = isPod || byte == .hyphen
            hasDigit = hasDigit || byte.isDigit
        }
        if isPod, hasDigit || line.count > 80 { return true }
        let near = min(line.count - 5, 64)
        var marks = masks.marks
        while marks != 0 {
            let place = marks.trailingZeroBitCount
            marks &= marks &- 1
            guard place < near else { break }
            if line[place] == UInt8(ascii: "|") { return true }
            guard line[place] == UInt8(ascii: ":") else { continue }
            // Columns with names, and glog.
            if masks.special != 0, let base = line.baseAddress, memchr(base, 0x09, near) != nil {
                return true
            }
            let letter = line[place + 1] == .space ? place + 2 : place + 1
            if letter + 4 < line.count, line[letter] &- 0x41 < 26, line.number(letter + 1, 4) != nil {
                return true
            }
        }
        // Four digits, and what follows them.
        let digits = masks.digits
        var years = digits & digits &<< 1 & digits &<< 2 & digits &<< 3 & ~(digits &>> 1)
        while years != 0 {
            let separator = years.trailingZeroBitCount + 1
            years &= years &- 1
            guard separator + 3 < line.count else { break }
            if line[separator].isOne(of: "-/"), line[separator + 3] == line[separator],
                line.number(separator + 1, 2) != nil
            {
                return true
            }
        }
        return false
    }

    /// Whether the first word of three letters or more is one of interest; where none is near, that is not
    /// known.
    private static func hasWordAfterTime(_ line: Bytes, _ masks: hw_byte_masks) -> Bool {
        if line.count > 11, line[10] == .period || line[1] == UInt8(ascii: "p") { return true }
        var letters = masks.letters
        while letters != 0 {
            let start = letters.trailingZeroBitCount
            var end = start + (~(letters &>> UInt64(start))).trailingZeroBitCount
            letters = end < 64 ? letters & .max &<< UInt64(end) : 0
            if end >= 64 { while end < line.count, line[end].isLetter { end += 1 } }
            let length = end - start
            if length >= 3 {
                if isOfInterest(line, start, length) { return true }
                // The name of a month or a zone, or of a stream of a container.
                let isMonth =
                    length == 3 && end + 1 < line.count && (line[end + 1].isDigit || line[end].isDigit)
                if isMonth, hasMark(line, end) { return true }
                let isZone = length < 6 && line[start] & line[start + 1] & line[start + 2] & 0x20 == 0
                if !isMonth, !isZone {
                    return length == 6 && line[start] | 0x20 == UInt8(ascii: "s") || hasBar(line)
                }
            } else if length == 1, line[start] & 0x20 == 0, end < line.count, line[end].isOne(of: " /]|\t") {
                return true
            }
        }
        return line.count > 64 || hasBar(line)
    }

    /// Whether a mark of Redis is near, with a blank on each side.
    private static func hasMark(_ line: Bytes, _ start: Int) -> Bool {
        (start..<max(start, min(line.count - 1, start + 24))).contains {
            line[$0].isOne(of: "*#.-") && line[$0 - 1] == .space && line[$0 + 1] == .space
        }
    }

    private static func hasBar(_ line: Bytes) -> Bool { line.prefix(64).contains(UInt8(ascii: "|")) }

    /// Whether one of the words that end at a mark, or are in capitals, is one of interest.
    private static func hasWord(_ line: Bytes, _ index: Int, marked: UInt64, third: UInt64) -> Bool {
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
            let following = ~(third &>> UInt64(row))
            third &=
                following.trailingZeroBitCount + row >= 64
                ? 0 : .max &<< UInt64(row + following.trailingZeroBitCount)
            var start = place - 2
            while start > 0, line[start - 1].isLetter, place - start < 14 { start -= 1 }
            var end = place + 1
            while end < line.count, line[end].isLetter, end - start < 14 { end += 1 }
            if LineScan.isOfInterest(line, start, end - start) { return true }
        }
        return false
    }
}

extension hw_byte_masks {
    /// Keeps some of the bytes.
    @inline(__always)
    fileprivate mutating func keep(_ valid: UInt64) {
        letters &= valid
        capitals &= valid
        digits &= valid
        marks &= valid
        special &= valid
        quotes &= valid
    }

    /// Where something ends like `1:20`, `2026-11` or six digits, of which each time has one.
    @inline(__always)
    fileprivate func times(after last: hw_byte_masks) -> UInt64 {
        /// Whether a byte so far in front is a digit.
        func digit(_ back: UInt64) -> UInt64 { digits &<< back | last.digits &>> (64 - back) }
        let two = digits & digit(1)
        let four = digit(3) & digit(4) & digit(5)
        let isClock = (marks &<< 2 | last.marks &>> 62) & digit(3)
        let isDate = ~digit(2) & four & digit(6)
        let isRow = digit(2) & four
        return two & (isClock | isDate | isRow)
    }
}
