import Heartwood

/// When the next request may go out: the interval, the points, the round at hand and the pause.
///
/// A request goes out when there is a reason: the interval is over, the points suffice, so many messages are
/// pending, or the user asked. Then everything that was pending at that moment goes, request by request: a
/// round. A pause holds for every reason, however many messages are pending.
struct SendingPace: Sendable {
    private var points = 0
    private var due: Duration?
    /// How many of those that are pending belong to the round.
    private var left = 0
    private var pausedUntil: Duration?
    /// Until when the server has asked for the pause: the user cannot end it before.
    private var boundUntil: Duration?
    /// Whether the pause ends with the interval.
    private var isPauseInterval = false

    /// Messages were stored.
    mutating func stored(points new: Int, _ moment: DeliveryMoment, _ rules: DeliveryRules) {
        points += new
        if due == nil { due = Self.next(moment, rules) }
    }

    /// Everything that is pending belongs to a round from now on.
    mutating func beginRound(of waiting: Int) { left = max(left, waiting) }

    /// Whether nothing may go out now.
    func isPaused(at now: Duration) -> Bool { pausedUntil.map { now < $0 } ?? false }

    /// Ends a pause, as far as the server has not asked for it.
    mutating func endPause() {
        guard let pause = pausedUntil else { return }
        pausedUntil = boundUntil.map { min($0, pause) }
        isPauseInterval = false
    }

    /// Counts the interval from now, after it was changed.
    mutating func intervalChanged(_ moment: DeliveryMoment, _ rules: DeliveryRules) {
        guard due != nil else { return }
        let next = Self.next(moment, rules)
        due = next
        if isPauseInterval, pausedUntil != nil { pausedUntil = next }
    }

    /// When the next request goes out, with `waiting` messages that could go: now or later; nil: not before
    /// something happens.
    mutating func nextRequest(_ waiting: Int, _ moment: DeliveryMoment, _ rules: DeliveryRules) -> Duration? {
        if let pause = pausedUntil {
            if moment.now < pause { return waiting > 0 ? pause : nil }
            (pausedUntil, boundUntil) = (nil, nil)
        }
        if waiting == 0 {
            (left, due, points) = (0, nil, 0)
            return nil
        }
        if left == 0 {
            let isFull = rules.countThreshold.limit.map { waiting >= $0 } ?? false
            let isUrgent = rules.pointThreshold.limit.map { points >= $0 } ?? false
            if isFull || isUrgent || due.map({ $0 <= moment.now }) ?? false { left = waiting }
        }
        if left > 0 { return moment.now }
        if due == nil { due = Self.next(moment, rules) }
        return due
    }

    /// A request goes out.
    mutating func began() {
        points = 0
        due = nil
    }

    /// A request has ended, and settled so many; what is left of the round goes on.
    mutating func ended(settling count: Int, _ moment: DeliveryMoment, _ rules: DeliveryRules) {
        left = max(0, min(left - count, moment.waiting))
        due = moment.waiting > 0 ? Self.next(moment, rules) : nil
    }

    /// Nothing may go out for a while; up to `bound` the server has asked for that.
    mutating func pause(until time: Duration, bound: Duration? = nil) {
        pausedUntil = time
        boundUntil = bound
        isPauseInterval = false
    }

    /// What is pending is left to the next interval, however much it is.
    mutating func leaveToInterval(_ moment: DeliveryMoment, _ rules: DeliveryRules) {
        let next = Self.next(moment, rules)
        left = 0
        points = 0
        due = next
        pause(until: next)
        isPauseInterval = true
    }

    /// Forgets the round, when the logger is removed; a pause stays.
    mutating func endRound() { (left, due, points) = (0, nil, 0) }

    private static func next(_ moment: DeliveryMoment, _ rules: DeliveryRules) -> Duration {
        let spread = 1 + max(0, min(1, rules.jitter)) * (2 * moment.random - 1)
        return moment.now + .seconds(max(0.001, rules.interval.seconds * spread))
    }
}
