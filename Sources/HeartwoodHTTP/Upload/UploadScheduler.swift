/// Decides when the next request goes out; pure: times come in, a decision comes out.
///
/// A request goes out when something waits, none is on its way, no pause is on, and there is a reason: the interval is
/// over, the points are enough, a batch is full, or somebody asked. Then everything that waited at that moment goes,
/// request by request. Times are steady ones, as of the clock's `uptime`.
struct UploadScheduler: Equatable, Sendable {
    /// What it goes by.
    struct Settings: Equatable, Sendable {
        var interval = Duration.seconds(60)
        var jitter = 0.1
        var threshold = 10
        var maximumCount = 300
    }

    /// Why a request may go out before its time.
    enum Request: Equatable, Sendable {
        case sendNow, flush, connectivity
    }

    /// What is to be done.
    enum Decision: Equatable, Sendable {
        /// Send now.
        case send
        /// Look again at that time.
        case wait(until: Duration)
        /// Nothing to do until something happens.
        case idle
    }

    private(set) var points = 0
    private var due: Duration?
    private var pausedUntil: Duration?
    private var isPauseBinding = false
    /// How many of those that wait belong to a round that has begun.
    private(set) var left = 0
    var isInFlight = false

    /// Notes that messages were stored, `waiting` in all now.
    mutating func stored(points: Int, at now: Duration, random: Double, _ settings: Settings) {
        self.points += points
        if due == nil { due = next(after: now, random, settings) }
    }

    /// Notes that somebody wants what waits to be sent.
    ///
    /// A flush keeps to any pause; the others to one that the server asked for, and to all while the breaker is open.
    mutating func asked(_ request: Request, waiting: Int, breakerAllows: Bool) {
        left = max(left, waiting)
        switch request {
        case .flush: break
        case .connectivity, .sendNow: if breakerAllows && !isPauseBinding { pausedUntil = nil }
        }
    }

    /// Takes the interval anew after a change of settings.
    mutating func settingsChanged(at now: Duration, random: Double, _ settings: Settings) {
        guard due != nil else { return }
        due = next(after: now, random, settings)
    }

    /// What is to be done now.
    mutating func decide(at now: Duration, waiting: Int, _ settings: Settings) -> Decision {
        if isInFlight { return .idle }
        if waiting == 0 {
            left = 0
            due = nil
            points = 0
            return .idle
        }
        if let pause = pausedUntil {
            if now < pause { return .wait(until: pause) }
            pausedUntil = nil
            isPauseBinding = false
        }
        let isFull = settings.maximumCount > 0 && waiting >= settings.maximumCount
        if left == 0,
            isFull || (settings.threshold > 0 && points >= settings.threshold)
                || due.map({ $0 <= now }) ?? true
        {
            left = waiting
        }
        if left > 0 { return .send }
        return due.map { .wait(until: $0) } ?? .idle
    }

    /// Notes that a request goes out.
    mutating func began() {
        isInFlight = true
        points = 0
        due = nil
    }

    /// Notes that a request is over, and `count` messages with it; what is left of the round goes on at once.
    mutating func ended(
        settling count: Int, waiting: Int, at now: Duration, random: Double, _ settings: Settings
    ) {
        isInFlight = false
        left = max(0, min(left - count, waiting))
        due = waiting > 0 ? next(after: now, random, settings) : nil
    }

    /// Notes that nothing may go out for a while; `isBinding` when the server has asked for it.
    mutating func pause(until time: Duration, isBinding: Bool) {
        pausedUntil = time
        isPauseBinding = isBinding
    }

    /// Notes that what waits is left to the next interval.
    mutating func leaveToInterval(at now: Duration, random: Double, _ settings: Settings) {
        left = 0
        due = next(after: now, random, settings)
    }

    private func next(after now: Duration, _ random: Double, _ settings: Settings) -> Duration {
        let spread = 1 + max(0, min(1, settings.jitter)) * (2 * random - 1)
        return now + .seconds(settings.interval.inSeconds * spread)
    }
}
