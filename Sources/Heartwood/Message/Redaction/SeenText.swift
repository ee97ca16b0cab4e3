import CHeartwood

/// A text as a person sees it.
///
/// It lacks terminal colors and other escape sequences, overstruck characters, and characters without width.
/// Secrets are found in this text and replaced in the original.
struct SeenText {
    /// A range of bytes that is contiguous in the original.
    private struct Run {
        /// Where it begins in this text.
        let seen: Int
        /// Where it begins in the original, including the characters that it overstrikes.
        let start: Int
        /// Where its first byte is in the original.
        let place: Int
    }

    private(set) var bytes: [UInt8] = []
    private var runs: [Run] = []
    /// Where invisible sequences are in the original.
    private(set) var unseen: [Range<Int>] = []

    /// Reads a text; nil where all of it is visible.
    init?(_ text: UnsafeRawBufferPointer) {
        guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var next = hw_next_unseen(base, text.count, 0)
        if next == text.count { return nil }
        bytes.reserveCapacity(text.count)
        var index = 0
        var start: Int?
        while index < text.count {
            if index < next {
                runs.append(Run(seen: bytes.count, start: start ?? index, place: index))
                bytes += text[index..<next]
                (index, start) = (next, nil)
                continue
            }
            if text[index] == 0x08 {
                index += 1
                next = hw_next_unseen(base, text.count, index)
                guard let (letter, place) = removeLast() else { continue }
                start = place
                // An underline can come before or after its letter.
                if index < text.count, text[index] == .underscore, letter.last != .underscore {
                    index += 1
                    runs.append(Run(seen: bytes.count, start: place, place: index - letter.count))
                    bytes += letter
                    start = nil
                    next = hw_next_unseen(base, text.count, index)
                }
                continue
            }
            let length = hw_unseen(base, text.count, index)
            unseen.append(index..<index + length)
            index += length
            next = hw_next_unseen(base, text.count, index)
        }
    }

    /// Removes the last character and returns it, with its start in the original.
    private mutating func removeLast() -> (character: ArraySlice<UInt8>, start: Int)? {
        guard !bytes.isEmpty else { return nil }
        var first = bytes.count - 1
        while first > 0, bytes[first] & 0xC0 == 0x80 { first -= 1 }
        let result = (bytes[first...], place(of: first..<first).lowerBound)
        bytes.removeLast(bytes.count - first)
        while let run = runs.last, run.seen >= first { runs.removeLast() }
        return result
    }

    /// Where a part of this text is in the original.
    func place(of range: Range<Int>) -> Range<Int> {
        let first = run(of: range.lowerBound)
        let start = range.lowerBound == first.seen ? first.start : first.place + range.lowerBound - first.seen
        if range.isEmpty { return start..<start }
        let index = range.upperBound - 1
        let last = run(of: index)
        return start..<(last.place + index - last.seen + 1)
    }

    /// The run that a byte is in.
    private func run(of index: Int) -> Run {
        var (low, high) = (0, runs.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if runs[middle].seen <= index { low = middle } else { high = middle }
        }
        return low < runs.count ? runs[low] : Run(seen: 0, start: 0, place: 0)
    }
}
