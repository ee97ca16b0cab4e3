/// The text of one second, kept to be written again: `2026-11-20T10:20:30`.
struct SecondText {
    private static let size = 19
    /// How many bytes `write` needs room for.
    static let room = 24

    /// The second, counted from 1970; none at first.
    private(set) var number: Int64?
    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

    init() {}

    /// Keeps a text of the usual length; a longer one, of a year without four digits, is not kept.
    init(_ number: Int64, _ text: UnsafeRawBufferPointer) {
        if text.count != SecondText.size { return }
        self.number = number
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: text) }
    }

    /// Writes the text in whole words, and so some zeros after it; returns its length.
    @inline(__always)
    func write(to target: UnsafeMutablePointer<UInt8>) -> Int {
        UnsafeMutableRawPointer(target).storeBytes(of: words.0, as: UInt64.self)
        UnsafeMutableRawPointer(target).storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        UnsafeMutableRawPointer(target).storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
        return SecondText.size
    }
}
