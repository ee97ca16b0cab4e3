import Heartwood

/// Sees that time passes, and that a condition that says no is asked once per interval.
struct SimulatedProgress {
    private var stepsAtThisTime = 0
    private var lastTime = Duration.zero
    /// When the condition was asked within the last minute, and how often in all.
    private var asked: (times: [Duration], count: Int) = ([], 0)

    /// Notes a step of the shell.
    ///
    /// - Throws: `SimulatedProblem` when there are too many steps, or questions, for the time that has passed.
    mutating func note(at now: Duration, _ settings: SimulatedSettings, _ requests: SimulatedRequests) throws
    {
        if now == lastTime {
            stepsAtThisTime += 1
            if stepsAtThisTime > 300 { throw SimulatedProblem("it goes round without time passing") }
        } else {
            (lastTime, stepsAtThisTime) = (now, 0)
        }
        let count = settings.takeQuestions()
        guard count > asked.count else { return }
        for _ in asked.count..<count { asked.times.append(now) }
        asked.count = count
        asked.times.removeAll { now - $0 > .seconds(60) }
        // But for what else asks for attempts.
        let limit = 70 + 2 * requests.pressures(since: now - .seconds(60))
        if asked.times.count > limit {
            throw SimulatedProblem("the condition was asked \(asked.times.count) times in a minute")
        }
    }
}
