/// Messages in the form in which they go over a socket, in their order, until they have gone.
///
/// Pure bookkeeping. Invariants:
/// 1. The bytes from `head` on are those of the frames, one after the other, and nothing else.
/// 2. A frame of which a part has gone stays until the rest has gone too, or the connection was lost: then
///    all of it goes again.
/// 3. `messages` is the sum of what the frames that wait say.
/// 4. What is dropped to keep the limit is the oldest that is not partly sent. It is counted, and a note of
///    it goes in its place.
struct SystemOutbox {
    /// A message as the peer shall get it.
    private struct Frame {
        var size: Int
        /// How many messages it is: one, or none where it is a note.
        var messages: Int
        /// How many messages it says are missing.
        var announced = 0
    }

    private var bytes: [UInt8] = []
    private var head = 0
    private var frames = Deque<Frame>()
    /// How many bytes of the first frame have gone.
    private var sentOfFirst = 0
    /// How many messages are missing before the first frame that is not partly sent, and no frame says so.
    private(set) var unannounced = 0

    var isEmpty: Bool { frames.isEmpty }
    /// How many frames wait.
    var count: Int { frames.count }
    /// How many bytes wait.
    var size: Int { bytes.count - head }
    /// How many messages wait.
    private(set) var messages = 0

    // MARK: In

    /// Adds a message; or a note of the framework's own, which says that so many messages are missing.
    mutating func append(_ frame: UnsafeRawBufferPointer, isNote: Bool = false, announcing announced: Int = 0)
    {
        bytes.append(contentsOf: frame)
        messages += isNote ? 0 : 1
        frames.append(Frame(size: frame.count, messages: isNote ? 0 : 1, announced: announced))
    }

    /// Puts a note of the messages that are missing where they are missing.
    mutating func announce(_ note: UnsafeRawBufferPointer) {
        let index = sentOfFirst > 0 ? 1 : 0
        let place = head + frames.prefix(index).reduce(0) { $0 + $1.size }
        bytes.insert(contentsOf: note, at: place)
        frames.insert(Frame(size: note.count, messages: 0, announced: unannounced), at: index)
        unannounced = 0
    }

    /// Drops the oldest messages when more than `limit` bytes wait, and returns how many.
    ///
    /// One frame stays, whatever its size.
    mutating func trim(to limit: Int) -> Int {
        if size <= limit { return 0 }
        var dropped = 0
        if sentOfFirst == 0 {
            while size > limit, count > 1 {
                unannounced += frames[0].messages + frames[0].announced
                dropped += removeFirst()
            }
            return dropped
        }
        // What follows the first frame moves: a little more than needed, so that it does not for each
        // message.
        let (first, goal) = (frames[0].size, limit / 8 * 7)
        var (end, removed) = (1, 0)
        while size - removed > goal, end < frames.count {
            unannounced += frames[end].messages + frames[end].announced
            dropped += frames[end].messages
            removed += frames[end].size
            end += 1
        }
        messages -= dropped
        bytes.removeSubrange(head + first..<head + first + removed)
        frames.removeSubrange(1..<end)
        return dropped
    }

    /// Forgets everything, and returns how many messages that were.
    mutating func removeAll() -> Int {
        let count = messages
        self = SystemOutbox()
        return count
    }

    // MARK: Out

    /// Calls `body` with the first frame.
    func withFirst<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[head..<head + frames[0].size]))
        }
    }

    /// Calls `body` with what has not gone yet, `limit` bytes at most.
    func withRest<Result>(upTo limit: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[(head + sentOfFirst)...].prefix(limit)))
        }
    }

    /// The first frame has gone, or never will; returns how many messages it was.
    @discardableResult
    mutating func removeFirst() -> Int {
        guard let frame = frames.popFirst() else { return 0 }
        messages -= frame.messages
        head += frame.size
        sentOfFirst = 0
        if isEmpty {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
            frames.removeAll(keepingCapacity: frames.capacity <= 1 << 14)
            head = 0
        } else if head > 1 << 16, head > bytes.count / 2 {
            bytes.removeSubrange(..<head)
            head = 0
        }
        return frame.messages
    }

    /// So many more bytes have gone.
    mutating func advance(by count: Int) {
        sentOfFirst += count
        while !isEmpty, sentOfFirst >= frames[0].size {
            let rest = sentOfFirst - frames[0].size
            removeFirst()
            sentOfFirst = rest
        }
    }

    /// The connection was lost: what has gone in part goes again from its beginning.
    mutating func restartFirst() { sentOfFirst = 0 }
}
