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

/// Token buckets by key, a limited number of them.
final class RateLimiter: Sendable {
    static let capacity = 4096

    // MARK: Constants (any thread)
    private let rate: Double
    private let burst: Double

    // MARK: Guarded by 'buckets'
    private let buckets = Locked<[UInt64: TokenBucket]>([:])

    init(rate: Double, burst: Double) {
        self.rate = rate
        self.burst = burst
    }

    var count: Int { buckets.withLock { $0.count } }

    func take(_ key: UInt64, at time: LogTimestamp) -> Bool {
        buckets.withLock { buckets in
            if buckets[key] == nil, buckets.count >= RateLimiter.capacity { RateLimiter.makeRoom(&buckets) }
            return buckets[key, default: TokenBucket(burst: burst, at: time)].take(
                at: time, rate: rate, burst: burst)
        }
    }

    /// Forgets the quarter that has not been seen for longest.
    private static func makeRoom(_ buckets: inout [UInt64: TokenBucket]) {
        let times = buckets.values.map(\.time).sorted()
        let limit = times[times.count / 4]
        var left = buckets.count / 4 + 1
        for (key, bucket) in buckets where bucket.time <= limit && left > 0 {
            buckets[key] = nil
            left -= 1
        }
    }
}
