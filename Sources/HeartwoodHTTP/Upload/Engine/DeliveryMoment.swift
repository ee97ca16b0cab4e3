/// What an engine is told with each event: the time, and what the store holds after the event.
struct DeliveryMoment: Sendable {
    /// The steady time, as of the clock's `uptime`.
    var now: Duration
    /// How many messages are pending.
    var waiting: Int
    /// Whether the store has an open batch: pieces of it were sent, and not all of it is settled.
    var hasOpenBatch = false
    /// A number in 0 ..< 1, evenly spread.
    var random = 0.5
}
