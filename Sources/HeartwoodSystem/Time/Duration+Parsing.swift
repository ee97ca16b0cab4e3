extension Duration {
    /// Reads `30s`, `5m`, `12h`, `7d`, `2w`, `250ms`, or a number of seconds; nil for anything else.
    package init?(parsing text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number.isFinite else { return nil }
        let seconds: Double
        switch text.dropFirst(digits.count) {
        case "ms": seconds = number / 1000
        case "", "s": seconds = number
        case "m", "min": seconds = number * 60
        case "h": seconds = number * 3600
        case "d": seconds = number * 86_400
        case "w": seconds = number * 604_800
        default: return nil
        }
        guard seconds < 9e9 else { return nil }
        self = .seconds(seconds)
    }
}

extension Duration {
    /// The duration in whole nanoseconds; stops at the ends of `Int64`.
    @inlinable
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds.
    @inlinable
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
