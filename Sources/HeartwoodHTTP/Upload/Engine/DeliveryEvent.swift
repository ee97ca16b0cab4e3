/// What happens to a ``DeliveryEngine``.
enum DeliveryEvent: Sendable {
    /// The logger was added to a dispatcher; with `atFirstUse` what an earlier run left waits until something
    /// is stored or asked for, or for ``DeliveryEngine/grace`` after the last change of a setting.
    case added(atFirstUse: Bool)
    /// The logger is being removed, or the process ends without a wait: nothing new is started.
    case closing
    /// The removal is complete: a request in flight does not concern this logger.
    case removed
    /// The process ends, or the logger is removed, and a caller waits until then.
    case ending(until: Duration)
    /// Messages were stored.
    case stored(points: Int)
    /// The time of the last ``DeliveryAction/wait(until:)`` has come.
    case timer
    /// Settings changed.
    case rules(DeliveryRules)
    /// The network is there, or not.
    case network(Bool)
    /// The user wants pending messages to be sent now: that ends a pause, unless the server
    /// asked for it, or the circuit breaker is open.
    case sendNow
    /// A flush wants pending messages to be sent.
    case flush
    /// The files of certificates or secrets are others than those of the attempt that was held.
    case credentialsChanged
    /// What the condition returned.
    case condition(Bool)
    /// There was nothing to send.
    case empty
    /// An attempt ended.
    case answered(DeliveryAnswer)
    /// The hook for new credentials has returned.
    case refreshed
    /// The server has confirmed these receipts; nil: it gave no usable answer.
    case acknowledged([String]?)
    /// The store has done what the last actions said.
    case looked
    /// So many messages of the piece could not be written to the dead letters: they are kept.
    case setAsideFailed(Int)
    /// The user threw everything away.
    case discarded
}

/// What an attempt came to, as far as it decides anything.
struct DeliveryAnswer: Sendable {
    /// What the attempt was answered with.
    enum Outcome: Sendable {
        /// The server has taken the piece.
        case accepted
        /// The server has received the piece, and will confirm later that it has it.
        case received(receipt: String)
        /// The server, or this side, could not take it.
        case failed(DeliveryFailure.Cause, StatusAction, retryAfter: Duration?)
        /// Nothing was sent: the body was larger than allowed.
        case tooLarge
        /// Nothing was sent: no message of the piece could be read.
        case nothingReadable
    }

    /// What the attempt was answered with.
    var outcome: Outcome
    /// How many messages the piece had that could be read.
    var records: Int
    /// How many of them the server has taken, by its word on each.
    var delivered = 0
    /// How many of them the server refuses for good, by its word on each.
    var refused = 0
    /// Messages that were settled before the engine was asked, because they cannot be read.
    var unreadable = 0
}

/// What goes with each event: the time, and what the store holds after the event.
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

/// The settings of a logger as its ``DeliveryEngine`` sees them.
@dynamicMemberLookup
struct DeliveryRules: Sendable {
    var settings = HTTPSettings()
    /// Whether the server is this machine, which needs no network.
    var isLoopback = false
    /// Whether nothing may ever be dropped, whatever the policy says.
    var neverDrops = false

    subscript<Value>(dynamicMember member: WritableKeyPath<HTTPSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }

    /// How often pending messages are sent.
    var interval: Duration {
        settings.isInBackground ? settings.backgroundInterval ?? settings.sendInterval : settings.sendInterval
    }
}
