/// When a peer that could not be reached is tried again.
///
/// The first pause is `first` long, each further one twice as long, up to `longest`; of each, a random part of up to a
/// half is left out, so that many programs do not come back in the same moment.
struct ReconnectPlan {
    let first: Duration
    let longest: Duration
    private(set) var failures = 0
    private var due = Duration.zero

    init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = max(first, longest)
    }

    /// Whether it may be tried at `now`, a steady time.
    func mayTry(at now: Duration) -> Bool { failures == 0 || now >= due }

    /// It went well.
    mutating func succeed() { failures = 0 }

    /// It went wrong at `now`; returns the pause before it is tried again, chosen by a random number from 0 to 1.
    mutating func fail(at now: Duration, random: Double) -> Duration {
        let whole = ceiling
        failures += 1
        let pause = whole * (1 - min(1, max(0, random)) / 2)
        due = now + pause
        return pause
    }

    private var ceiling: Duration {
        var pause = first
        for _ in 0..<min(failures, 62) where pause < longest { pause = pause * 2 }
        return min(pause, longest)
    }
}
