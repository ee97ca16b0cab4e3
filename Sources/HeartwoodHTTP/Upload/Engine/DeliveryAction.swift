/// What a ``DeliveryEngine`` wants done.
///
/// "The piece" is the one of the request that just ended.
enum DeliveryAction: Equatable, Sendable {
    /// Ask the condition; ``DeliveryEvent/condition(_:)`` follows.
    case askCondition
    /// Send the next piece; with `probe` one that is as new as possible.
    case send(maximumCount: Int, probe: Bool)
    /// Come back at that time, and at no other.
    case wait(until: Duration)
    /// Do not come back until something happens.
    case rest
    /// Settle what the server said of single messages: taken ones are removed, refused ones set aside.
    case settleItems
    /// Remove the piece: the server has it.
    case complete
    /// Set what is left of the piece aside.
    case setAside
    /// Make two pieces of it.
    case split
    /// Keep the piece, and continue with those after it; with a receipt until that is confirmed.
    case park(receipt: String?)
    /// Keep the piece, which cannot be set aside now, and continue with those after it.
    case keep
    /// All pieces that were parked without a receipt come back; with `andKept` those that were kept, too.
    case unpark(andKept: Bool)
    /// The pieces with these receipts come back, to be sent again.
    case resend([String])
    /// Remove the pieces with these receipts: the server has them.
    case confirm([String])
    /// Ask the server which of these receipts it confirms.
    case poll([String])
    /// Ask for new credentials.
    case refreshAuthorization
    /// Drop the oldest messages, and count them.
    case dropOldest(Int)
    /// An attempt failed and is repeated.
    case countRetry
    /// Report to the user.
    case report(DeliveryReport)
    /// Look at what the store holds now; ``DeliveryEvent/looked`` follows.
    case look

    /// Whether it changes what is pending.
    var changesStore: Bool {
        switch self {
        case .settleItems, .complete, .setAside, .confirm, .dropOldest: true
        default: false
        }
    }
}
