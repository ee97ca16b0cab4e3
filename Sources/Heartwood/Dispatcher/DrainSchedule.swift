import CHeartwood

/// What the drain is doing.
///
/// It sleeps only after it has looked for records without success, `sleep` first, then look: a record that
/// was reserved before the look is found by it, and the producer of one reserved later sees that it sleeps.
/// The same holds for room in a journal, which loggers make and the drain frees: who begins to wait for it,
/// and a logger that has made some while others wait, asks first, then looks whether the drain sleeps. A
/// signal would not do: the drain may have seen none, and not sleep yet.
enum DrainSchedule {
    static let asleep: UInt8 = 0
    /// Looks again after `interval`, or when woken.
    static let lingering: UInt8 = 1
    static let running: UInt8 = 2

    static let interval = Duration.milliseconds(1)
    /// How many times it looks without success before it sleeps.
    static let patience = 8
}
