/// What happens to a ``DeliveryEngine``.
enum DeliveryEvent: Sendable {
    /// Why pending messages may be sent before their time.
    enum Wish: Equatable, Sendable {
        /// The user asked for it.
        case sendNow
        /// A flush asked for it.
        case flush
    }

    /// The logger was added to a dispatcher; with `atFirstUse` what an earlier run left waits until something
    /// is stored or asked for, or for ``DeliveryEngine/grace`` after the last change of a setting.
    case added(atFirstUse: Bool)
    /// The logger is being removed, or the process ends without a wait: nothing new is started.
    case closing
    /// The removal is complete: what is in flight does not concern this logger any more.
    case removed
    /// The process ends, or the logger is removed, and a caller waits until then.
    case ending(until: Duration)
    /// Messages were stored.
    case stored(points: Int)
    /// The time that was asked for has come.
    case timer
    /// Settings changed.
    case rules(DeliveryRules)
    /// The network's state was told.
    case network(Bool)
    /// The user, or a flush, wants pending messages to be sent.
    case wish(Wish)
    /// The files of certificates or secrets are others than those of the attempt that was held.
    case credentialsChanged
    /// What the condition said.
    case condition(Bool)
    /// There was nothing to send.
    case empty
    /// An attempt ended.
    case answered(DeliveryAnswer)
    /// The hook for new credentials has returned.
    case refreshed
    /// The server was asked for acknowledgements; it has confirmed these. Nil: it gave no usable answer.
    case acknowledged([String]?)
    /// The store has done what the last actions said.
    case looked
    /// So many messages of the piece should be set aside and could not be written to the dead letters: they
    /// are kept.
    case setAsideFailed(Int)
    /// The user threw everything away.
    case discarded
}

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
