/// A property of a logger that you can set at any time, from any thread, and that takes effect in order with
/// the messages.
///
/// For settings of a subclass; see ``AbstractLogger`` for a sample.
///
/// A value takes effect exactly between the messages that the same thread logged before and after the change
/// (promise 2). Reading never waits: outside the logger's hooks it returns the last value that was set, and
/// inside them the value for the current message. Setting a value does not wait for messages either.
@propertyWrapper
public struct Ordered<Value: Sendable>: Sendable {
    private struct State {
        var latest: Value
        var applied: Value
        /// The number of the latest value, and of the one applied: threads that set the property at the same
        /// time may hand their values over in another order, and the one that reads as the latest must hold
        /// in the end.
        var latestNumber = 0
        var appliedNumber = 0
    }

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    /// Makes a property with its first value.
    public init(wrappedValue: Value) {
        state = Locked(State(latest: wrappedValue, applied: wrappedValue))
    }

    /// The value in effect for the message at hand.
    ///
    /// For the logger's own hooks and initializers, where it is quicker than reading the property.
    var inEffect: Value { state.withLock { $0.applied } }

    /// Replaces the first value, before any other thread can see the logger.
    package func start(with value: Value) { state.withLock { $0 = State(latest: value, applied: value) } }

    /// Only properties of classes that derive from ``AbstractLogger`` can be ordered.
    @available(
        *, unavailable, message: "@Ordered is for properties of classes that derive from AbstractLogger"
    )
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        // swift-format-ignore
        nonmutating set { fatalError("unavailable") }
    }

    /// Reads and sets the property of a logger.
    public static subscript<Logger: AbstractLogger>(
        _enclosingInstance logger: Logger,
        wrapped wrapped: ReferenceWritableKeyPath<Logger, Value>,
        storage storage: ReferenceWritableKeyPath<Logger, Ordered<Value>>
    ) -> Value {
        get { logger[keyPath: storage].value(in: logger) }
        set { logger[keyPath: storage].change(of: logger) { $0 = newValue } }
    }

    /// The value as the thread at hand sees it.
    package func value(in logger: AbstractLogger) -> Value {
        logger.isInHook ? state.withLock { $0.applied } : state.withLock { $0.latest }
    }

    /// Changes the value in order with the messages, unless `number` is given and no longer that of the
    /// latest value, and says whether it did; `body` runs no user code.
    @discardableResult
    fileprivate func change(of logger: AbstractLogger, if number: Int? = nil, _ body: (inout Value) -> Void)
        -> Bool
    {
        let state = state
        // The values that are replaced end outside of the lock: their end may be the user's code.
        let change = state.withLock { state -> (number: Int, new: Value, replaced: Value)? in
            if let number, number != state.latestNumber { return nil }
            let replaced = state.latest
            body(&state.latest)
            state.latestNumber += 1
            return (state.latestNumber, state.latest, replaced)
        }
        guard let (number, new, replaced) = change else { return false }
        withExtendedLifetime(replaced) {}
        logger.performInOrder { [unowned logger] in
            let replaced = state.withLock { state -> Value? in
                if number < state.appliedNumber { return nil }
                defer { state.applied = new }
                state.appliedNumber = number
                return state.applied
            }
            withExtendedLifetime(replaced) {}
            logger.orderedPropertyDidChange()
        }
        return true
    }

    /// Changes the latest value by `body`, which is user code, and is called again where others were quicker.
    package func update(of logger: AbstractLogger, _ body: (inout Value) -> Void) {
        var isDone = false
        while !isDone {
            var (number, new) = state.withLock { ($0.latestNumber, $0.latest) }
            body(&new)
            isDone = change(of: logger, if: number) { $0 = new }
        }
    }
}
