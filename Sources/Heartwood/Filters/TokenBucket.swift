/// How much room a rate limit has left: it fills up with time, and each message takes one.
struct TokenBucket: Equatable {
    private(set) var tokens: Double
    private(set) var time: LogTimestamp

    init(burst: Double, at time: LogTimestamp) {
        tokens = burst
        self.time = time
    }

    /// Takes one token; false if the bucket is empty.
    ///
    /// `rate` is in tokens for each nanosecond.
    mutating func take(at now: LogTimestamp, rate: Double, burst: Double) -> Bool {
        // A clock that was set back fills nothing; from then on its new time counts.
        let elapsed = max(0, (now - time).nanoseconds)
        time = now
        tokens = min(burst, tokens + Double(elapsed) * rate)
        // What rounding has taken off a token that is due is given back.
        if tokens < 1 - 1e-9 { return false }
        tokens = max(0, tokens - 1)
        return true
    }
}
