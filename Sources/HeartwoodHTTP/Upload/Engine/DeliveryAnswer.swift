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
