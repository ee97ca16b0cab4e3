/// The text of one second, kept to be written again: `2026-11-20T10:20:30`, or a date in a layout of up to 32 bytes.
struct SecondText {
    /// How many bytes `write` needs room for.
    static let room = 32

    /// The second, counted from 1970; none at first.
    private(set) var number: Int64?
    private var size = 0
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init() {}

    /// Keeps a text, unless it is longer than there is room for.
    init(_ number: Int64, _ text: UnsafeRawBufferPointer) {
        if text.count > SecondText.room { return }
        (self.number, size) = (number, text.count)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: text) }
    }

    /// Writes the text in whole words, and so some zeros after it; returns its length.
    @inline(__always)
    func write(to target: UnsafeMutablePointer<UInt8>) -> Int {
        let target = UnsafeMutableRawPointer(target)
        target.storeBytes(of: words.0, as: UInt64.self)
        target.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        target.storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
        target.storeBytes(of: words.3, toByteOffset: 24, as: UInt64.self)
        return size
    }
}
