/// Scrooge's rule: 404, 500, 502 and 503 are tried again at the next interval; failing more than twice in a
/// row, or with anything else at once, the oldest 50 records are thrown away "to see whether it recovers".
///
/// It loses records where ``StandardRetryPolicy`` would not; it is here for those who move from Scrooge. A
/// device that is offline, or whose proxy lets nothing through, counts as no failure.
public struct ScroogeRetryPolicy: RetryPolicy, Equatable {
    /// How many records are thrown away, 50.
    var dropCount: Int

    /// Sets the policy.
    public init(dropCount: Int = 50) { self.dropCount = dropCount }

    /// The decision, which the random number does not change.
    public func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision {
        switch failure.cause {
        case .status(404), .status(500), .status(502), .status(503):
            failure.consecutiveAnswers > 2 ? .dropOldest(dropCount) : .retryAtNextInterval
        case .transport(let error)
        where [.cannotConnect, .cannotResolve, .proxyRefused].contains(error.reason):
            .retryAtNextInterval
        case .status, .transport, .local: .dropOldest(dropCount)
        }
    }
}
