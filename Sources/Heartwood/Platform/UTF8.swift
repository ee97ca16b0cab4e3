extension UnsafeRawBufferPointer {
    /// Whether all of it is well-formed UTF-8 (table 3-7 of the Unicode standard).
    package var isUTF8: Bool {
        var index = 0
        while index < count {
            if self[index] < 0x80 {
                index += 1
            } else {
                let length = sequenceLength(at: index)
                if length == 0 { return false }
                index += length
            }
        }
        return true
    }

    /// The length of the well-formed sequence that begins at `index`; 0 where none does.
    func sequenceLength(at index: Int) -> Int {
        let first = self[index]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0..<0x80: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: return 0
        }
        guard index + length <= count, second.contains(self[index + 1]) else { return 0 }
        for offset in 2..<Swift.max(2, length) where self[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
