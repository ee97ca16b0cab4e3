import CHeartwood

/// A growing buffer of UTF-8 bytes, which formatters write to.
///
/// It is not thread-safe: it belongs to the call that handed it over.
public struct LogBuffer: ~Copyable {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes.
    public private(set) var count = 0

    /// The number of colors that the destination of the bytes can show; none unless a console sets it.
    public var colorDepth = ConsoleColorDepth.none
    /// What is taken out of texts, for a logger that asks for it.
    var redaction: RedactionRules?
    /// The second that was written last, which most messages share with the one before them.
    private var second = SecondText()
    /// The same for the last moment in a layout: whose layout, and where three digits of the fraction belong.
    private var stamp = (layout: UInt64(0), fraction: 0, second: SecondText())

    /// Makes an empty buffer.
    public init(capacity: Int = 256) {
        self.capacity = max(16, capacity)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    /// The bytes as text; invalid UTF-8 is replaced by U+FFFD.
    public var text: String {
        String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
    }

    /// The last byte; nil if the buffer is empty.
    @inline(__always)
    public var last: UInt8? { count == 0 ? nil : base[count - 1] }

    /// Calls a function with the bytes.
    ///
    /// - Parameter body: The function. The pointer is valid only while it runs.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Removes all bytes, and keeps the memory.
    public mutating func removeAll() { count = 0 }

    /// Cuts the buffer to its first `length` bytes.
    public mutating func truncate(to length: Int) { count = min(count, max(0, length)) }

    /// Removes the first `length` bytes.
    public mutating func removeFirst(_ length: Int) {
        let length = min(count, max(0, length))
        if length == 0 { return }
        memmove(base, base + length, count - length)
        count -= length
    }

    /// Reserves memory for `extra` more bytes.
    @inline(__always)
    package mutating func reserve(_ extra: Int) {
        if capacity &- count < extra { grow(extra) }
    }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        capacity = max(capacity * 2, count + extra)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }

    /// Releases memory if the buffer has grown beyond `limit` and uses less than half of that.
    package mutating func shrink(to limit: Int) {
        if capacity <= limit || count * 2 > limit { return }
        capacity = max(16, limit)
        let smaller = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        smaller.update(from: base, count: count)
        base.deallocate()
        base = smaller
    }

    // MARK: Adding

    /// Appends a byte.
    @inline(__always)
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    /// Appends bytes unchanged.
    @inline(__always)
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        memcpy(base + count, source, bytes.count)
        count &+= bytes.count
    }

    /// Appends `size` bytes, after which so many others can be read that a few are copied in one step.
    @inline(__always)
    mutating func append(readableBeyond bytes: UnsafeRawPointer, _ size: Int) {
        if size > 32 { return append(UnsafeRawBufferPointer(start: bytes, count: size)) }
        reserve(32)
        UnsafeMutableRawPointer(base + count).storeBytes(
            of: bytes.loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
        count &+= size
    }

    /// A copy of the bytes, for ``append(readableBeyond:_:)``; the caller frees it.
    func copyReadableBeyond() -> UnsafeRawPointer {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: count + 31, alignment: 16)
        copy.copyMemory(from: base, byteCount: count)
        return UnsafeRawPointer(copy)
    }

    /// Appends bytes unchanged.
    @inline(__always)
    public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends a string.
    @inline(__always)
    public mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    /// Appends a string that is known when the program is compiled.
    @inline(__always)
    public mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the same byte `amount` times.
    package mutating func append(repeating byte: UInt8, count amount: Int) {
        guard amount > 0 else { return }
        reserve(amount)
        memset(base + count, Int32(byte), amount)
        count += amount
    }

    /// Calls `body` with room for `size` bytes, of which it fills as many as it returns.
    @inline(__always)
    mutating func append(upTo size: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        reserve(size)
        count &+= body(base + count)
    }

    /// Appends the date and the seconds of a moment in UTC, `2026-11-20T10:20:30`.
    ///
    /// - Returns: the nanoseconds on top.
    @inline(__always)
    mutating func append(secondsOf moment: LogTimestamp) -> Int {
        let (number, nanosecond) = CivilTime.split(moment.nanoseconds)
        if second.number == number {
            append(upTo: SecondText.room) { [second] in second.write(to: $0) }
        } else {
            appendNewSecond(number)
        }
        return nanosecond
    }

    @inline(never)
    private mutating func appendNewSecond(_ number: Int64) {
        let start = count
        append(dateAndSeconds: CivilTime(seconds: number, nanosecond: 0))
        second = SecondText(number, UnsafeRawBufferPointer(start: base + start, count: count - start))
    }

    /// Appends a moment as the same layout wrote it last, with its own milliseconds; false if that was
    /// another second.
    @inline(__always)
    mutating func append(stampOf layout: UInt64, _ number: Int64, _ nanosecond: Int) -> Bool {
        if stamp.layout != layout || stamp.second.number != number { return false }
        append(upTo: SecondText.room) { [stamp] target in
            let size = stamp.second.write(to: target)
            hw_write_decimal(UInt64(truncatingIfNeeded: nanosecond) / 1_000_000, 3, target + stamp.fraction)
            return size
        }
        return true
    }

    /// Keeps what a layout has written from `start` on, for the next moments of the second.
    mutating func keepStamp(of layout: UInt64, _ number: Int64, from start: Int, fraction: Int) {
        let bytes = UnsafeRawBufferPointer(start: base + start, count: count - start)
        stamp = (layout, fraction, SecondText(number, bytes))
    }

    /// Replaces the bytes from `start` to the end by what `body` makes of them.
    mutating func replaceEnd(from start: Int, _ body: (UnsafeRawBufferPointer, inout LogBuffer) -> Void) {
        var replacement = LogBuffer(capacity: (count - start) * 2)
        body(UnsafeRawBufferPointer(start: base + start, count: count - start), &replacement)
        count = start
        replacement.withUnsafeBytes { append($0) }
    }
}

extension String {
    /// Calls a function with the bytes of the text; nearly always they are in one piece, and not copied.
    @inline(__always)
    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        if utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) != nil { return }
        var copy = self
        copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

/// The text of one second, kept to be written again: `2026-11-20T10:20:30`, or a date in a layout of up to 32
/// bytes.
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
