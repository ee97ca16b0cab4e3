import CHeartwood
import Heartwood
import HeartwoodReading

/// Cuts a stream of bytes into lines, in bounded memory.
///
/// - A line ends at a newline, or at the end of the input; a carriage return before the newline belongs to
///   the end, unless it is to be kept.
/// - A line longer than ``limit`` is handed out in pieces of at most so many bytes, cut between characters
///   where the bytes are UTF-8. Where the cuts are depends on the line alone, not on how the bytes came in.
/// - Zero bytes in front of a line, which `copytruncate` leaves in a file, are not part of it, unless lines
///   are to be kept as they are.
/// - Nothing else is left out, added or changed: the lines and their ends are the input.
struct LineSplitter: ~Copyable {
    /// What was handed out: a line, or which piece of one.
    enum Part: Equatable {
        case whole
        case piece(Int)
        case last(Int)

        /// What a message says of a piece; nil for a whole line.
        var fields: LogMetadata? {
            switch self {
            case .whole: nil
            case .piece(let number): ["part": LogValue(number)]
            case .last(let number): ["part": LogValue(number), "last": true]
            }
        }
    }

    /// The longest piece of a line, in bytes.
    let limit: Int
    let keepsCarriageReturn: Bool

    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    /// What waits for its end: `base[start..<end]`, of which `scanned` bytes hold no newline.
    private var start = 0
    private var end = 0
    private var scanned = 0
    /// Where in the stream `base` is.
    private var origin = 0
    /// How many pieces of the current line are out already.
    private var pieces = 0

    /// How many bytes are asked for at once, at most.
    static let blockSize = 256 * 1024

    init(limit: Int, keepsCarriageReturn: Bool = false) {
        self.limit = max(16, limit)
        self.keepsCarriageReturn = keepsCarriageReturn
        capacity = self.limit + 2 + LineSplitter.blockSize
        base = .allocate(byteCount: capacity + LineScan.slack, alignment: 16)
    }

    deinit { base.deallocate() }

    /// Calls `fill` with room for at least a block, of which it fills as many bytes as it returns; none at
    /// the end.
    mutating func fill(_ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        if start > 0 {
            memmove(base, base + start, end - start)
            origin += start
            end -= start
            start = 0
        }
        let count = fill(UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end))
        end += max(0, count)
        return count
    }

    /// Hands out all lines that are there, with the number of bytes of the stream up to the end of each.
    ///
    /// After each, ``LineScan/slack`` bytes more may be read, whatever they are.
    @inline(__always)
    mutating func forEachLine(_ body: (UnsafeRawBufferPointer, Part, Int) -> Void) {
        while true {
            skipZeros()
            guard let found = memchr(base + start + scanned, 0x0A, end - start - scanned) else { break }
            let newline = base.distance(to: found)
            var last = newline
            if !keepsCarriageReturn, last > start, (base + last - 1).load(as: UInt8.self) == .carriageReturn {
                last -= 1
            }
            handOut(upTo: last, newline + 1, body)
            start = newline + 1
            scanned = 0
        }
        // A line that has not ended, and is longer than a piece however it ends.
        while end - start >= limit + 2 { handOutPiece(body) }
        scanned = end - start
    }

    /// Hands out what is left when the input has ended without a newline, with the number of bytes of the
    /// stream.
    mutating func finish(_ body: (UnsafeRawBufferPointer, Part, Int) -> Void) {
        if end > start || pieces > 0 { handOut(upTo: end, end, body) }
        start = end
        scanned = 0
    }

    @inline(__always)
    private mutating func handOut(
        upTo last: Int, _ next: Int, _ body: (UnsafeRawBufferPointer, Part, Int) -> Void
    ) {
        while last - start > limit { handOutPiece(body) }
        let bytes = UnsafeRawBufferPointer(start: base + start, count: last - start)
        body(bytes, pieces == 0 ? .whole : .last(pieces + 1), origin + next)
        pieces = 0
    }

    private mutating func handOutPiece(_ body: (UnsafeRawBufferPointer, Part, Int) -> Void) {
        var cut = limit
        // Not inside of a character: it is at most four bytes long.
        for back in 0..<4 where isContinuation(start + limit - back) == false {
            cut = limit - back
            break
        }
        pieces += 1
        body(UnsafeRawBufferPointer(start: base + start, count: cut), .piece(pieces), origin + start + cut)
        start += cut
    }

    @inline(__always)
    private mutating func skipZeros() {
        if pieces > 0 || scanned > 0 || keepsCarriageReturn { return }
        while start < end, (base + start).load(as: UInt8.self) == 0 { start += 1 }
    }

    private func isContinuation(_ index: Int) -> Bool { (base + index).load(as: UInt8.self) & 0xC0 == 0x80 }
}
