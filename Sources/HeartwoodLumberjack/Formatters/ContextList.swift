import Heartwood

/// A list of contexts that may be changed on any thread, and what it lets pass.
final class ContextList: Sendable {
    // MARK: Guarded by 'contexts'
    private let contexts = Locked<Set<Int>>([])

    func insert(_ context: Int) { contexts.withLock { _ = $0.insert(context) } }
    func remove(_ context: Int) { contexts.withLock { _ = $0.remove(context) } }
    func contains(_ context: Int) -> Bool { contexts.withLock { $0.contains(context) } }

    /// The contexts, in ascending order.
    var all: [NSNumber] { contexts.withLock { $0.sorted() }.map { NSNumber(value: $0) } }
}
