/// How long a caller waits for room in the ring: as long as the ring empties, and for a limited time in which nothing leaves
/// it.
///
/// Pure: the caller brings the head of the ring and the time.
struct RingPatience {
    private let limit: Duration
    private var head: UInt64
    private var deadline: Duration

    init(_ limit: Duration, head: UInt64, at now: Duration) {
        self.limit = limit
        self.head = head
        deadline = now + limit
    }

    /// How long to wait at most before the next look; nil where the time is over.
    mutating func rest(head: UInt64, at now: Duration) -> Duration? {
        if head != self.head { (self.head, deadline) = (head, now + limit) }
        return now < deadline ? deadline - now : nil
    }
}
