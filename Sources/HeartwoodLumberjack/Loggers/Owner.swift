import Heartwood

/// The logger that a backing stands for: kept alive by it while it is added, and only then.
final class Owner: @unchecked Sendable {  // the logger guards itself; the rest is behind a lock
    private weak var given: (any DDLogger)?
    private let kept = Locked<Kept>(Kept())

    private struct Kept: @unchecked Sendable {
        var logger: (any DDLogger)?
    }

    init(_ logger: any DDLogger) { given = logger }

    /// The logger, while it lives.
    var logger: (any DDLogger)? { given }

    /// Keeps it alive.
    func keep() {
        let logger = Kept(logger: given)
        kept.withLock { $0 = logger }
    }

    /// Keeps it no longer.
    func release() {
        // Its end is the user's code, and comes outside of the lock.
        let last = kept.withLock { kept in
            defer { kept.logger = nil }
            return kept
        }
        withExtendedLifetime(last) {}
    }
}
