import Heartwood

/// Looks, while a failed attempt holds the sending back, whether the files of its certificates and secrets
/// are exchanged: then the next attempt need not wait.
///
/// 1. What counts is a change since before the attempt has read them.
/// 2. It looks every ``pause`` at most, and only while something waits for a time.
struct CredentialWatch {
    static let pause = Duration.seconds(5)

    private var files: [String] = []
    private var seen: [SecretPath?] = []
    /// When the engine wants to come back, and when the files are looked at; nil while nothing is held.
    private var due: Duration?
    private var next: Duration?
    private var isHeld = false

    /// An attempt begins, with these files.
    mutating func begin(_ files: [String]) {
        self.files = files
        seen = present
        (isHeld, due, next) = (false, nil, nil)
    }

    /// The attempt has failed in a way that needs intervention.
    mutating func hold() { isHeld = !files.isEmpty }

    /// When to wake for something that is due at `time`.
    mutating func wake(at time: Duration, _ now: Duration) -> Duration {
        guard isHeld else { return time }
        due = time
        let look = next ?? now + Self.pause
        next = look
        return min(time, look)
    }

    /// What the timer means for the engine; nil: it fired early, and is set again to ``wakeTime``.
    mutating func timerFired(at now: Duration) -> DeliveryEvent? {
        guard isHeld, let due, let next, now < due else { return .timer }
        if now < next { return nil }
        guard zip(present, seen).allSatisfy({ $0?.isSame(as: $1) ?? ($1 == nil) }) else {
            isHeld = false
            return .credentialsChanged
        }
        self.next = now + Self.pause
        return nil
    }

    /// When to wake while something is held.
    var wakeTime: Duration? { if let due, let next { min(due, next) } else { nil } }

    /// The files with the ways to them; nil for one that cannot be reached.
    private var present: [SecretPath?] { files.map { try? SecretPath($0, SystemCalls()) } }
}
