import Heartwood
import Synchronization

/// A dispatcher that may end at any time.
final class WeakDispatcher: Sendable {
    private struct Reference: Sendable {
        weak var dispatcher: LogDispatcher?
    }

    // MARK: Guarded by 'reference'
    private let reference = Mutex(Reference())

    var value: LogDispatcher? {
        get { reference.withLock { $0.dispatcher } }
        set { reference.withLock { $0.dispatcher = newValue } }
    }
}
