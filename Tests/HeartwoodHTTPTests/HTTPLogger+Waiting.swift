import HeartwoodHTTP
import Testing

extension HTTPLogger {
    /// Until the figures satisfy a condition; an issue after half a minute, so that no mistake hangs the whole run.
    ///
    /// Conditions must be such that once true they stay true: what lies between two looks is not seen.
    func figures(
        _ sourceLocation: SourceLocation = #_sourceLocation, satisfy condition: (HTTPStatistics) -> Bool
    ) async {
        let deadline = ContinuousClock.now + .seconds(300)
        while !condition(httpStatistics) {
            guard ContinuousClock.now < deadline else {
                Issue.record("not within 300 s: \(httpStatistics)", sourceLocation: sourceLocation)
                return
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
