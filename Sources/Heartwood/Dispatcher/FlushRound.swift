/// The loggers of one flush, and those of them that could not hand everything on.
final class FlushRound: Sendable {
    // MARK: Constants (any thread)
    let loggers: [AbstractLogger]

    /// Says which journals cannot be opened.
    private let journals: @Sendable () -> [String]

    // MARK: Guarded by themselves
    private let holding = Locked<Set<ObjectIdentifier>>([])

    init(_ loggers: [AbstractLogger], journals: @escaping @Sendable () -> [String]) {
        self.loggers = loggers
        self.journals = journals
    }

    func note(_ logger: AbstractLogger) {
        holding.withLock { _ = $0.insert(ObjectIdentifier(logger)) }
    }

    /// What the flush has achieved, with `late` loggers that have not answered yet.
    func result(late: [AbstractLogger]) -> FlushResult {
        let late = Set(late.map { ObjectIdentifier($0) })
        let holding = self.holding.withLock { $0 }.subtracting(late)
        func names(_ chosen: Set<ObjectIdentifier>) -> [String] {
            loggers.filter { chosen.contains(ObjectIdentifier($0)) }.map(\.name)
        }
        return FlushResult(
            unfinished: names(late.union(holding)), holding: names(holding), journals: journals())
    }
}
