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
