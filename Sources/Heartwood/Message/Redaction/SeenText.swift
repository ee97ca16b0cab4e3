import CHeartwood

/// A text as a person sees it.
///
/// It has no terminal colors and other escape sequences, no characters that others are struck over, and none
/// without width. A secret is looked for in this text, and replaced in the original.
struct SeenText {
    private(set) var bytes: [UInt8] = []
    /// Where each byte is in the original, with the characters that it is struck over.
    private var starts: [Int] = []
    private var ends: [Int] = []
    /// Where sequences are in the original that are long enough to hide a secret, such as a link's address.
    private(set) var unseen: [Range<Int>] = []

    /// Reads a text; nil where all of it is visible.
    init?(_ text: UnsafeRawBufferPointer) {
        guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var next = hw_next_unseen(base, text.count, 0)
        if next == text.count { return nil }
        for capacity in [text.count] {
            bytes.reserveCapacity(capacity)
            starts.reserveCapacity(capacity)
            ends.reserveCapacity(capacity)
        }
        var index = 0
        var start: Int?
        while index < text.count {
            guard index == next else {
                bytes.append(text[index])
                starts.append(start ?? index)
                index += 1
                ends.append(index)
                start = nil
                continue
            }
            if text[index] == 0x08 {
                index += 1
                // An underline is struck before or after its letter.
                if index < text.count, text[index] == 0x5F, let last = bytes.last, last != 0x5F {
                    index += 1
                    ends[ends.count - 1] = index
                    start = nil
                } else {
                    start = removeLast() ?? start
                }
            } else {
                let length = hw_unseen(base, text.count, index)
                if length > 12 { unseen.append(index..<index + length) }
                index += length
            }
            next = hw_next_unseen(base, text.count, index)
        }
    }

    /// Removes the last character; gives the place where it began.
    private mutating func removeLast() -> Int? {
        while let byte = bytes.popLast() {
            ends.removeLast()
            let start = starts.removeLast()
            if byte & 0xC0 != 0x80 { return start }
        }
        return nil
    }

    /// Where a part of this text is in the original.
    func place(of range: Range<Int>) -> Range<Int> {
        guard !range.isEmpty else {
            let place = range.lowerBound < starts.count ? starts[range.lowerBound] : ends.last ?? 0
            return place..<place
        }
        return starts[range.lowerBound]..<ends[range.upperBound - 1]
    }
}
