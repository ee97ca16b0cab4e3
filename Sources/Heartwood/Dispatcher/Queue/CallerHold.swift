/// Decides how long callers wait for a logger whose backlog is full, or for a ring that is: pure, without
/// lock, thread or clock.
///
/// The time that counts is time without progress: a caller waits for what works, however slowly, and no
/// longer than `limit` for what does not. Progress is a number that changes: a logger counts it up with each
/// message and each write, of the ring it is the head. Whoever waits looks at it now and then. A logger's
/// callers share one decision; each that waits for the ring has its own.
///
///     open ── full ──> holding ── no progress for `limit` ──> given up
///      ^                  │                                       │
///      └── room appears ──┴──── works steadily again, or half ────┘
package struct CallerHold {
    /// What a caller does that has looked.
    package enum Answer: Equatable {
        /// There is room, or the logger has been given up: do not wait.
        case goOn
        /// Wait for room, and look again after this time.
        case wait(Duration)
        /// The logger has made no progress for the whole time: callers no longer wait for it.
        case giveUp
    }

    private enum Phase { case open, holding, givenUp }

    private var phase = Phase.open
    /// The progress at the last look.
    private var seen = 0
    /// The time of that look; nil if no caller has looked in this phase.
    private var looked: Duration?
    /// For how long the looks have found no progress.
    private var stalled = Duration.zero

    package init() {}

    /// That of a caller that waits already.
    static var holding: CallerHold {
        var hold = CallerHold()
        hold.phase = .holding
        return hold
    }

    /// Whether callers wait.
    var isHolding: Bool { phase == .holding }

    /// Whether a caller has waited the whole limit without progress, so that no caller waits.
    package var isGivenUp: Bool { phase == .givenUp }

    /// How much must be free again before callers go on: enough that they do not change places for each
    /// message.
    private static func slack(_ limit: Int) -> Int { min(limit / 8, 256 * 1024) }

    /// How long a caller waits between two looks.
    private static func interval(_ limit: Duration) -> Duration {
        min(max(limit / 8, .microseconds(100)), .milliseconds(50))
    }

    /// Takes note that messages have come.
    package mutating func fill(to weight: Int, of limit: Int) {
        if weight > limit, phase == .open { enter(.holding) }
    }

    /// Takes note that messages have been worked off.
    package mutating func empty(to weight: Int, of limit: Int) {
        switch phase {
        case .open: break
        case .holding: if weight <= limit - CallerHold.slack(limit) { enter(.open) }
        case .givenUp: if weight <= limit / 2 { enter(.open) }
        }
    }

    /// Takes note that the limit has changed, while so much waits.
    ///
    /// A logger that was given up stays so where it has no more room than it needs to be waited for again: a
    /// stuck logger costs its callers nothing more because a setting of it changes.
    mutating func change(to weight: Int, of limit: Int) {
        switch phase {
        case .open: fill(to: weight, of: limit)
        case .holding: if weight <= limit { enter(.open) }
        case .givenUp: empty(to: weight, of: limit)
        }
    }

    /// Callers no longer wait, as when the policy has changed or the messages were forgotten.
    mutating func reset() { enter(.open) }

    private mutating func enter(_ next: Phase) {
        phase = next
        looked = nil
        stalled = .zero
    }

    /// A caller that waits looks, at `now`, how far the logger is.
    package mutating func look(progress: Int, at now: Duration, limit: Duration) -> Answer {
        guard phase == .holding else { return .goOn }
        let interval = CallerHold.interval(limit)
        if let looked, progress == seen {
            // A look that comes late says that this process was not running, or hardly: nor was the logger.
            stalled += min(max(now - looked, .zero), interval * 2)
        } else {
            stalled = .zero
        }
        (seen, looked) = (progress, now)
        if stalled >= limit {
            enter(.givenUp)
            seen = progress
            return .giveUp
        }
        return .wait(min(interval, limit - stalled))
    }

    /// The same for the ring: how long to wait at most before the next look; nil where the time is over.
    mutating func pause(progress: UInt64, at now: Duration, limit: Duration) -> Duration? {
        let answer = look(progress: Int(truncatingIfNeeded: progress), at: now, limit: limit)
        return if case .wait(let pause) = answer { pause } else { nil }
    }

    /// Decides whether a logger that was given up has started to work again; called when messages come for
    /// it.
    ///
    /// Its first sign of life starts the measurement. From then on it works steadily if its steps are, in the
    /// mean, less than `limit` apart: one that limps on, a step in each second, would otherwise cost callers
    /// the limit each time.
    package mutating func revive(progress: Int, at now: Duration, limit: Duration) {
        guard phase == .givenUp, progress != seen else { return }
        guard let looked else {
            (seen, self.looked) = (progress, now)
            return
        }
        if (now - looked) / max(progress &- seen, 1) < limit { return enter(.open) }
        (seen, self.looked) = (progress, now)
    }
}
