extension Duration {
    /// A number of seconds as CocoaLumberjack's settings have it: what is not positive switches the setting off.
    static func lumberjackSeconds(_ seconds: TimeInterval) -> Duration {
        // Beyond 292 years it is no limit, either.
        seconds > 0 && seconds < 9e9 ? .seconds(seconds) : .zero
    }

    /// The seconds.
    var seconds: TimeInterval {
        let parts = components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}
