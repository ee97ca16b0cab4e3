/// How wide a token's text is made: `<10.20` is at least 10 characters, to the left, and at most 20.
///
/// A character is a Unicode scalar here; one that takes two columns of a terminal counts as one.
struct FieldShape: Hashable, Sendable {
    enum Alignment: Hashable, Sendable {
        /// The text is at the left, followed by blanks.
        case left
        /// The text is at the right.
        case right
        case center
    }

    var alignment = Alignment.left
    var fill = UInt8(ascii: " ")
    var minimum = 0
    var maximum: Int?
    /// Whether the end of a text that is too long is kept, instead of its beginning.
    var keepsEnd = false
    /// No text is made wider than this.
    static let widest = 1000

    func apply(to output: inout LogBuffer, from start: Int) {
        var length = output.characterCount(from: start)
        if let maximum, length > maximum {
            if keepsEnd {
                output.remove(start..<output.index(ofCharacter: length - maximum, from: start))
            } else {
                output.truncate(to: output.index(ofCharacter: maximum, from: start))
            }
            length = maximum
        }
        let missing = minimum - length
        if missing <= 0 { return }
        switch alignment {
        case .left: output.append(repeating: fill, count: missing)
        case .right: output.insert(repeating: fill, count: missing, at: start)
        case .center:
            output.insert(repeating: fill, count: missing / 2, at: start)
            output.append(repeating: fill, count: missing - missing / 2)
        }
    }
}

extension LogBuffer {
    /// The number of Unicode scalars from `start` on.
    func characterCount(from start: Int) -> Int {
        var number = 0
        for index in start..<count where base[index] & 0xC0 != 0x80 { number += 1 }
        return number
    }

    /// Where the scalar with a number begins, counted from `start`; the end where there are not so many.
    func index(ofCharacter number: Int, from start: Int) -> Int {
        var rest = number
        var index = start
        while index < count {
            if base[index] & 0xC0 != 0x80 {
                if rest == 0 { return index }
                rest -= 1
            }
            index += 1
        }
        return count
    }

    /// Removes bytes in the middle.
    mutating func remove(_ range: Range<Int>) {
        base.advanced(by: range.lowerBound).update(
            from: base.advanced(by: range.upperBound), count: count - range.upperBound)
        truncate(to: count - range.count)
    }

    /// Adds `amount` times the same byte in the middle.
    mutating func insert(repeating byte: UInt8, count amount: Int, at start: Int) {
        let moved = count - start
        append(repeating: byte, count: amount)
        base.advanced(by: start + amount).update(from: base.advanced(by: start), count: moved)
        base.advanced(by: start).update(repeating: byte, count: amount)
    }
}
