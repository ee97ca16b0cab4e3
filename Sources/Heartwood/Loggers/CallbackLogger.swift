public import Dispatch

/// A logger from a closure, and a value that it keeps from one message to the next.
///
/// ```swift
/// let counter = CallbackLogger(state: [LogLevel: Int]()) { counts, message in
///     counts[message.level, default: 0] += 1
/// }
/// LogDispatcher.shared.add(counter)
/// ```
///
/// A closure with another parameter gets the line that the logger's formatter writes; what the formatter
/// drops does not come:
///
/// ```swift
/// let slack = CallbackLogger(formatter: LineFormatter()) { _, line in try post(line, to: "#ops") }
/// ```
///
/// The closures are called as the hooks of any ``AbstractLogger``: one at a time, in the order of the
/// messages, on ``AbstractLogger/queue``. So the state needs no lock of yours. What the closure for a message
/// throws is reported, and the message counts as failed. For settings of your own and the other hooks, make a
/// subclass of ``AbstractLogger``.
public final class CallbackLogger<State>: AbstractLogger, @unchecked Sendable {  // hooks own the state
    private enum Handler {
        case message(@Sendable (inout State, LogMessage) throws -> Void)
        case line(@Sendable (inout State, LogMessage, String) throws -> Void)
    }

    // MARK: Owned by the hooks
    private var state: State
    /// How many messages were handled since the last end of a batch.
    private var handled = 0

    // MARK: Constants
    private let handler: Handler
    private let endBatch: (@Sendable (inout State) throws -> Void)?

    private init(
        _ name: String, _ state: sending State, _ formatter: LogFormatter?, _ queue: DispatchQueue?,
        _ handler: Handler, _ endBatch: (@Sendable (inout State) throws -> Void)?
    ) {
        self.state = state
        self.handler = handler
        self.endBatch = endBatch
        super.init(name: name, formatter: formatter, queue: queue)
    }

    /// Makes a logger whose closure gets the state and each message.
    ///
    /// - Parameters:
    ///   - name: Its name in statistics and reports.
    ///   - state: The first state.
    ///   - queue: As in ``AbstractLogger/init(name:formatter:queue:)``.
    ///   - log: Handles a message.
    ///   - batchDidEnd: Called after the last message of a batch, so that several messages can be written at
    ///     once. If it throws, the messages since it was called last count as failed; those
    ///     that are still to be written are the closure's to keep or to drop.
    public convenience init(
        name: String = "CallbackLogger", state: sending State, queue: DispatchQueue? = nil,
        log: @escaping @Sendable (_ state: inout State, _ message: LogMessage) throws -> Void,
        batchDidEnd: (@Sendable (_ state: inout State) throws -> Void)? = nil
    ) {
        self.init(name, state, nil, queue, .message(log), batchDidEnd)
    }

    /// Makes a logger whose closure gets the state, each message, and the line that the formatter writes.
    ///
    /// - Parameters:
    ///   - name: Its name in statistics and reports.
    ///   - state: The first state.
    ///   - formatter: Its first formatter; the plain text unless given.
    ///   - queue: As in ``AbstractLogger/init(name:formatter:queue:)``.
    ///   - log: Handles a message and its line.
    ///   - batchDidEnd: As in ``init(name:state:queue:log:batchDidEnd:)``.
    public convenience init(
        name: String = "CallbackLogger", state: sending State, formatter: LogFormatter? = nil,
        queue: DispatchQueue? = nil,
        log: @escaping @Sendable (_ state: inout State, _ message: LogMessage, _ line: String) throws -> Void,
        batchDidEnd: (@Sendable (_ state: inout State) throws -> Void)? = nil
    ) {
        self.init(name, state, formatter, queue, .line(log), batchDidEnd)
    }

    /// Reads or changes the state in order with the messages, and waits for that: after those that this
    /// thread has logged before, and before those that it logs then.
    ///
    /// In the logger's own closures, use their parameter instead: there this would wait forever, and stops
    /// the program with an explanation. In those of other loggers, use ``update(_:)``: two that wait for each
    /// other never end.
    ///
    /// - Parameter body: Called once, on the logger's queue.
    /// - Returns: what `body` returns.
    public func withState<Result: Sendable>(
        _ body: @escaping @Sendable (_ state: inout State) -> Result
    ) -> Result {
        precondition(!isInHook, "withState was called in a closure of the logger: use its parameter instead")
        let result = Locked<Result?>(nil)
        let isDone = Semaphore()
        update { state in
            let value = body(&state)
            result.withLock { $0 = value }
            isDone.signal()
        }
        workIfAlone()
        while !isDone.wait(upTo: .milliseconds(50)) {
            // Where its queue has no thread, it is entered here: that is what this call waits for.
            if node.inbox.isLeftToCallers { node.inbox.worker.sync {} }
        }
        guard let value = result.withLock({ $0 }) else { preconditionFailure("the change was not made") }
        return value
    }

    /// Changes the state in order with the messages: exactly between those that this thread has logged before
    /// and after it.
    ///
    /// Any thread; never waits.
    public func update(_ change: @escaping @Sendable (_ state: inout State) -> Void) {
        performInOrder { [self] in change(&state) }
    }

    /// Calls the closure.
    public override func log(_ message: LogMessage) {
        do {
            switch handler {
            case .message(let log): try log(&state, message)
            case .line(let log):
                guard let line = formatted(message) else { return }
                try log(&state, message, line)
            }
            handled += 1
        } catch {
            reportFailure("\(error)")
        }
    }

    /// Calls the closure for the end of a batch, where there was a message.
    public override func batchDidEnd() {
        guard let endBatch, handled > 0 else { return }
        do { try endBatch(&state) } catch { reportDeferredFailure(of: handled, "\(error)") }
        handled = 0
    }
}

extension CallbackLogger where State == Void {
    /// Makes a logger whose closure gets each message.
    ///
    /// - Parameters:
    ///   - name: Its name in statistics and reports.
    ///   - queue: As in ``AbstractLogger/init(name:formatter:queue:)``.
    ///   - log: Handles a message.
    public convenience init(
        name: String = "CallbackLogger", queue: DispatchQueue? = nil,
        log: @escaping @Sendable (_ message: LogMessage) throws -> Void
    ) {
        self.init(name: name, state: (), queue: queue) { _, message in try log(message) }
    }

    /// Makes a logger whose closure gets each message, and the line that the formatter writes.
    ///
    /// - Parameters:
    ///   - name: Its name in statistics and reports.
    ///   - formatter: Its first formatter; the plain text unless given.
    ///   - queue: As in ``AbstractLogger/init(name:formatter:queue:)``.
    ///   - log: Handles a message and its line.
    public convenience init(
        name: String = "CallbackLogger", formatter: LogFormatter? = nil, queue: DispatchQueue? = nil,
        log: @escaping @Sendable (_ message: LogMessage, _ line: String) throws -> Void
    ) {
        self.init(name: name, state: (), formatter: formatter, queue: queue) { _, message, line in
            try log(message, line)
        }
    }
}
