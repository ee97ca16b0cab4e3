import Heartwood

/// Looks, while a failed attempt holds the sending back, whether the files of its certificates and secrets
/// are exchanged: then the next attempt need not wait.
///
/// 1. What counts is a change since before the attempt has read them.
/// 2. It looks every ``pause`` at most, and only while something waits for a time.
struct CredentialWatch {
    /// What is to be done when a timer fires.
    enum Finding: Equatable {
        /// The files are others now.
        case changed
        /// It is not time yet.
        case wait(until: Duration)
        /// It is time for what the engine waits for.
        case due
    }

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

    /// A timer has fired.
    mutating func look(at now: Duration) -> Finding {
        guard isHeld, let due, let next, now < due else { return .due }
        if now < next { return .wait(until: min(due, next)) }
        let isSame = zip(present, seen).allSatisfy { $0?.isSame(as: $1) ?? ($1 == nil) }
        if !isSame {
            isHeld = false
            return .changed
        }
        self.next = now + Self.pause
        return .wait(until: min(due, now + Self.pause))
    }

    /// The files with the ways to them; nil for one that cannot be reached.
    private var present: [SecretPath?] { files.map { try? SecretPath($0, SystemCalls()) } }
}
