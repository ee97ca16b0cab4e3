extension Duration {
    /// Reads `30s`, `5m`, `12h`, `7d`, `2w`, `250ms`, `1h30m`, or a number of seconds; nil for anything else.
    package init?(parsing text: String) {
        var rest = text[...]
        var seconds = 0.0
        var last = Double.infinity
        repeat {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let number = Double(digits), number.isFinite else { return nil }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            let size: Double
            switch unit {
            case "ms": size = 0.001
            case "" where last == .infinity && rest.isEmpty, "s": size = 1
            case "m", "min": size = 60
            case "h": size = 3600
            case "d": size = 86_400
            case "w": size = 604_800
            default: return nil
            }
            // The parts come in order: `1h30m`.
            guard size < last else { return nil }
            last = size
            seconds += number * size
        } while !rest.isEmpty
        guard seconds < 9e9 else { return nil }
        self = .seconds(seconds)
    }

    /// The duration as `init(parsing:)` reads it, in the largest unit that leaves a whole number.
    ///
    /// `24h`, `7d`, `250ms`. Less than a millisecond is left out.
    package var shortText: String {
        let milliseconds = nanoseconds / 1_000_000
        let units: [(name: String, size: Int64)] = [("h", 3_600_000), ("m", 60_000), ("s", 1000)]
        // Days from two on: a day is 24 hours.
        if milliseconds >= 172_800_000, milliseconds % 86_400_000 == 0 {
            return "\(milliseconds / 86_400_000)d"
        }
        for (name, size) in units where milliseconds >= size && milliseconds % size == 0 {
            return "\(milliseconds / size)\(name)"
        }
        return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
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
