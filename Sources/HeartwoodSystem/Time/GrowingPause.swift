/// Pauses between attempts that grow with each failure in a row, up to a limit.
package struct GrowingPause: Sendable, Equatable {
    /// The pause after the first failure.
    package let first: Duration
    /// The longest pause.
    package let longest: Duration
    /// What each further failure multiplies the pause by; less than 1 counts as 1.
    package let factor: Double
    /// The part of each pause, from 0 to 1, that chance can leave out, so that many programs do not return at
    /// the same moment.
    package let jitter: Double

    package init(first: Duration, longest: Duration, factor: Double = 2, jitter: Double = 0) {
        self.first = max(.zero, first)
        self.longest = max(.zero, longest)
        self.factor = max(1, factor)
        self.jitter = min(1, max(0, jitter))
    }

    /// The pause after `failures` failures in a row, at least 1, if chance leaves nothing out.
    package func ceiling(failures: Int) -> Duration {
        if failures <= 1 || first >= longest { return min(first, longest) }
        let limit = longest.seconds
        var seconds = first.seconds
        for _ in 1..<min(failures, 64) where seconds < limit { seconds *= factor }
        return seconds < limit ? .seconds(seconds) : longest
    }

    /// The pause after `failures` failures in a row; `random`, from 0 to 1, is how much of ``jitter`` is left
    /// out.
    package func length(failures: Int, random: Double = 0) -> Duration {
        let left = 1 - jitter * min(1, max(0, random))
        return left == 1 ? ceiling(failures: failures) : ceiling(failures: failures) * left
    }
}
