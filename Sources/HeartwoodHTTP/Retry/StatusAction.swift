/// What an answer's status means for the batch that was sent.
public enum StatusAction: String, Sendable, Hashable, CaseIterable {
    /// The server has it: delete it here.
    case deliver
    /// The server cannot now: keep it and send the same again later.
    case retry
    /// It was too large: send its halves.
    case split
    /// Something in it is not acceptable: find it by halving, set it aside, deliver the rest.
    case isolate
    /// The server will never take it: set it all aside.
    case reject
    /// A setting is wrong, not the data: keep everything, pause long, report.
    case hold
    /// Our credentials are not accepted: ask for new ones once, then hold.
    case authorize
}
