/// Keeps attempts away from a server that has failed many times in a row.
///
/// Closed, it lets everything through. After ``threshold`` failures it opens: until its time is over, nothing
/// but the retry that the policy has set may go out, and a flush or a full batch do not cause attempts of
/// their own. Then it is half open: one attempt decides.
struct CircuitBreaker: Sendable, Equatable {
    /// The states of the breaker.
    enum State: Sendable, Equatable {
        /// Everything passes.
        case closed
        /// Nothing passes until that time (steady, as of the clock's `uptime`).
        case open(until: Duration)
        /// One attempt passes and decides.
        case halfOpen
    }

    /// How many failures in a row open it, 5 by default.
    let threshold: Int
    /// How long it stays open, 30 s by default.
    let openTime: Duration
    private var failures = 0
    private var openUntil: Duration?

    /// Makes a closed breaker.
    init(threshold: Int = 5, openTime: Duration = .seconds(30)) {
        self.threshold = max(1, threshold)
        self.openTime = openTime
    }

    /// Its state at `now`.
    func state(at now: Duration) -> State {
        guard let openUntil else { return .closed }
        return now < openUntil ? .open(until: openUntil) : .halfOpen
    }

    /// Whether an attempt beyond the policy's own retries may be made at `now`.
    func allows(at now: Duration) -> Bool {
        if case .open = state(at: now) { return false }
        return true
    }

    /// Notes a success: the breaker closes.
    mutating func succeeded() {
        failures = 0
        openUntil = nil
    }

    /// Notes a failure at `now`; the threshold's opens it, and so does any further one.
    mutating func failed(at now: Duration) {
        failures += 1
        if failures >= threshold { openUntil = now + openTime }
    }
}
