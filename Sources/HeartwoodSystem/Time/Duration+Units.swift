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
