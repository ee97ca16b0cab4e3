/// What has failed since the last success: counts for the policy, the breaker, and whether credentials were
/// renewed.
struct FailureRecord: Sendable {
    /// How often in a row a single message may be too large for the moment before it counts as refused.
    static let patience = 5
    /// From how many messages on a request counts as whole again, where its number has no limit.
    private static let widest = 1000

    private var failures = 0
    private var answers = 0
    private var batchesRejected = 0
    private var breaker = CircuitBreaker()
    private var hasRefreshed = false
    /// The most messages of a request, since larger ones broke off on their way; nil: any number.
    private(set) var width: Int?

    /// Whether an attempt may be made before its time.
    func allowsAttempt(at now: Duration) -> Bool { breaker.allows(at: now) }

    /// Whether what is too large for the moment may still be sent as it is.
    var isPatient: Bool { failures <= Self.patience }

    /// A request of so many messages broke off on its way: half of it may pass.
    mutating func brokeOff(_ records: Int) { width = max(1, records / 2) }

    /// A request of so many messages has passed; of the next one a quarter more is tried, up to `limit`.
    mutating func passed(_ records: Int, limit: Int?) {
        guard let old = width, records >= old else { return }
        let new = old + max(1, old / 4)
        width = new >= limit ?? Self.widest ? nil : new
    }

    /// A server that has taken something is alive.
    mutating func accepted(whole: Bool) {
        answeredAboutData()
        batchesRejected = 0
        breaker.succeeded()
        if whole { hasRefreshed = false }
    }

    /// An answer about the data shows that the server is alive, and no more.
    mutating func answeredAboutData() {
        failures = 0
        answers = 0
    }

    /// Counts a failure and describes it for the policy.
    mutating func failed(
        _ cause: DeliveryFailure.Cause, _ action: StatusAction, retryAfter: Duration?, canRefresh: Bool,
        at now: Duration
    ) -> DeliveryFailure {
        failures += 1
        if case .status = cause { answers += 1 }
        // What the server says of the data does not make it a dead server.
        if action == .retry || action == .hold || action == .authorize { breaker.failed(at: now) }
        return DeliveryFailure(
            cause: cause, action: action, retryAfter: retryAfter, consecutiveFailures: failures,
            consecutiveAnswers: answers, hasRefreshedAuthorization: hasRefreshed || !canRefresh)
    }

    /// Whether whole batches were refused so often that the server must be meant and not the data.
    mutating func rejectedBatch() -> Bool {
        batchesRejected += 1
        return batchesRejected >= 3
    }

    /// Everything was refused: as good as a dead server.
    mutating func refusedEverything(at now: Duration) { breaker.failed(at: now) }

    /// New credentials were asked for.
    mutating func refreshed() { hasRefreshed = true }
}
