extension LogFilter {
    /// Passes a share of the messages: all messages with the same key, or none of them.
    ///
    /// The choice depends only on the key, not on chance. All messages of one request are kept or dropped
    /// together, and other loggers and processes choose the same requests. Messages without the key pass.
    ///
    /// - Parameters:
    ///   - share: How many of the keys, from 0 (none) to 1 (all).
    ///   - key: What messages belong together by.
    /// - Returns: the filter.
    public static func sampling(_ share: Double, by key: FilterKey) -> LogFilter {
        // Exact at both ends: 2^64 itself is no UInt64.
        if share >= 1 { return .everything }
        let limit = share > 0 ? UInt64(share * 18_446_744_073_709_551_616) : 0
        return LogFilter { message in
            guard let hash = key.hash(of: message) else { return true }
            // Mixed once more: a sample of what a limit has chosen by the same key is a fair one.
            return StableHash.mixed(hash) < limit
        }
    }

    /// Passes a limited number of messages per key and time, by a token bucket.
    ///
    /// The filter uses the times of the messages. It remembers up to 4096 keys, and then forgets those that
    /// were not seen for the longest time. Messages without the key pass.
    ///
    /// - Parameters:
    ///   - count: How many messages, in the long run.
    ///   - interval: In how long a time.
    ///   - burst: How many at once after a time of silence; as many as `count` unless given.
    ///   - key: What messages belong together by; the place in the source unless given.
    /// - Returns: the filter.
    public static func rateLimit(
        _ count: Int, per interval: Duration, burst: Int? = nil, by key: FilterKey = .callSite
    ) -> LogFilter {
        precondition(count > 0, "A rate limit of \(count) passes nothing; use LogFilter.nothing.")
        precondition(interval > .zero, "A rate limit requires a positive interval, for example .seconds(1).")
        let limiter = RateLimiter(
            rate: Double(count) / Double(interval.nanoseconds), burst: Double(max(1, burst ?? count)))
        return LogFilter { message in
            guard let hash = key.hash(of: message) else { return true }
            return limiter.take(hash, at: message.timestamp)
        }
    }
}
