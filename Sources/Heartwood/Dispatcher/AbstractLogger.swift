public import Dispatch
import Synchronization

/// The base of all loggers: a queue of its own, settings, and hooks to override.
///
/// A custom logger overrides ``log(_:)``, and no more unless it wants to:
///
/// ```swift
/// final class SlackLogger: AbstractLogger, @unchecked Sendable {
///     @Ordered var channel = "#ops"
///
///     override func log(_ message: LogMessage) {
///         guard let text = formatted(message) else { return }
///         post(text, to: channel)
///     }
/// }
/// ```
///
/// Hooks are called one at a time, in the order of the messages, on ``queue``. They may log, read and set
/// properties, and call `flush` or `remove`: inside of a hook nothing of this waits. A hook that is slow
/// delays its own logger only.
// Unchecked: settings are `Ordered`, the rest is the subclass's and used in hooks.
open class AbstractLogger: @unchecked Sendable {
    // MARK: Constants (any thread)

    /// The name in statistics and reports.
    public final let name: String

    /// The serial queue on which the hooks are called.
    public final var queue: DispatchQueue { node.inbox.worker.queue }

    private var existingNode: LoggerNode?
    final var node: LoggerNode { existingNode.unsafelyUnwrapped }

    /// Whether a caller that waits for the logger may run the hooks itself when no other thread does, on its
    /// own thread instead of `queue`.
    ///
    /// For loggers that care about neither, which saves two changes of thread.
    package final var runsOnCaller: Bool { node.inbox.runsOnCaller }

    /// Whether it takes no messages: a dispatcher flushes it, but neither lists nor removes it with the
    /// others.
    package final let isUnlisted: Bool

    // MARK: Settings (any thread, ordered)

    /// Turns messages into text; nil, the default, writes the plain text.
    ///
    /// What the initializer set, unless changed.
    @Ordered public final var formatter: LogFormatter?

    /// Selects the messages that the logger handles, among those that its levels let pass; nil, the default,
    /// selects all.
    ///
    /// The others count as filtered.
    @Ordered public final var filter: LogFilter?

    /// Suppresses repeated messages; nil, the default, does not.
    @Ordered public final var duplicateSuppression: DuplicateSuppression?

    /// Holds detailed messages in memory until a problem occurs; nil, the default, holds none.
    ///
    /// It is asked for messages that ``filter`` lets pass; ``duplicateSuppression`` comes after it.
    @Ordered public final var flightRecorder: FlightRecorder?

    /// Removes secrets from all texts that the logger's formatter writes; nil, the default, removes nothing.
    ///
    /// It holds for what ``formatted(_:)`` and ``formatted(_:into:)`` give; loggers that write or send values
    /// of their own accord, as the HTTP logger does, apply it to those.
    @Ordered public final var redaction: RedactionRules?

    /// The memory limit of messages that wait for this logger; 16 MiB unless changed.
    ///
    /// Messages count with their size in the ring, which is about the size of their text plus 100 bytes. A
    /// logger that handles few of many messages, with the policy `block`, can hold up to twice this limit
    /// plus the size of the ring. nil, like zero, means no limit.
    public final var backlogLimit: ByteCount? {
        get { limits.withLock { $0.limit } }
        set { setLimits { $0.limit = newValue } }
    }

    /// The policy when that limit is reached; ``OverflowPolicy/standard`` unless changed.
    ///
    /// Like the limit, a change applies to the next message, even while the logger is stuck.
    public final var overflowPolicy: OverflowPolicy {
        get { limits.withLock { $0.policy } }
        set { setLimits { $0.policy = newValue } }
    }

    /// The formatter in effect for the message at hand: what `formatter` is in a hook, without the detour.
    private var formatterInEffect: LogFormatter? {
        didSet { uncountedFormatter = formatterInEffect.map { .passUnretained($0) } }
    }
    /// The same without counting references: it changes between two messages only, not while it formats one.
    private var uncountedFormatter: Unmanaged<LogFormatter>?
    /// The formatter that knows that it belongs to this logger.
    private var toldFormatter: LogFormatter?
    /// The same of `redaction`, and of all that leaves messages out, together: nil where nothing does.
    private var redactionInEffect: RedactionRules?
    final var selection: MessageSelection?
    final var repeatTimer: (any LogTimer)?

    // MARK: Guarded by themselves
    private let levelsSetting = Locked(LogLevelChoice())
    private let temporary = TemporaryLevels()
    private let limits = Locked(BacklogLimits())

    /// Makes a logger, which gets messages after you add it to a dispatcher.
    ///
    /// - Parameters:
    ///   - name: Its name; the name of its class unless given.
    ///   - formatter: Its first formatter.
    ///   - queue: A serial queue for the hooks; one of its own unless given. What else runs on a given queue
    ///     delays the logger. A concurrent queue works too: hooks do not overlap even there.
    public init(name: String? = nil, formatter: LogFormatter? = nil, queue: DispatchQueue? = nil) {
        let name = name ?? String(describing: Self.self)
        self.name = name
        isUnlisted = false
        setUp(formatter, on: queue)
    }

    /// Makes a logger whose waiting callers may run its hooks.
    package init(name: String?, formatter: LogFormatter?, runsOnCaller: Bool) {
        let name = name ?? String(describing: Self.self)
        self.name = name
        isUnlisted = false
        setUp(formatter)
        setRunsOnCaller(runsOnCaller)
    }

    /// Makes a logger that may be unlisted: one that sends what a module stores by itself.
    package init(name: String?, formatter: LogFormatter?, isUnlisted: Bool) {
        let name = name ?? String(describing: Self.self)
        self.name = name
        self.isUnlisted = isUnlisted
        setUp(formatter)
    }

    /// Changes whether waiting callers may run the hooks; false where a hook may wait for other processes.
    final func setRunsOnCaller(_ mayRun: Bool) { node.inbox.runsOnCaller = mayRun }

    private func setUp(_ formatter: LogFormatter?, on queue: DispatchQueue? = nil) {
        let worker = queue.map { WorkQueue($0) } ?? WorkQueue("heartwood.\(name)", reports: false)
        existingNode = LoggerNode(logger: self, worker: worker, isOnGivenQueue: queue != nil)
        _formatter.start(with: formatter)
        formatterInEffect = formatter
    }

    /// The levels that the logger handles; ``LogLevelMask/all`` unless `add` or a later change sets others.
    ///
    /// A change takes effect exactly between the messages that the same thread logged before and after it.
    public final var levels: LogLevelMask {
        get { levelsSetting.withLock { $0.levels } }
        set {
            let choice = choose(newValue)
            if let dispatcher = node.dispatcher { dispatcher.levelsDidChange(of: node, to: choice) }
        }
    }

    /// Sets the levels for a while: `file.setLevels(.debug, for: .seconds(600))`.
    ///
    /// When the time is over, the levels of before hold again, in order with the messages; unless ``levels``
    /// was set meanwhile, which holds then. Called again before that, it starts the time again, and goes back
    /// to the same levels.
    ///
    /// - Parameters:
    ///   - levels: The levels.
    ///   - duration: How long they hold, by the steady time of the dispatcher's clock; 0 or less for no time
    ///     at all.
    public final func setLevels(_ levels: LogLevelMask, for duration: Duration) {
        let clock = node.dispatcher?.clock ?? SystemClock()
        temporary.set(levels, for: duration, clock) { [weak self] levels in
            guard let self, let levels else { return (nil, nil) }
            let (before, node) = (self.levels, node)
            let choice = change(levels)
            return (before, { node.dispatcher?.levelsDidChange(of: node, to: choice) })
        }
    }

    /// The levels with the number of their setting.
    final var levelChoice: LogLevelChoice { levelsSetting.withLock { $0 } }

    /// Sets the levels without telling the dispatcher.
    @discardableResult
    final func choose(_ levels: LogLevelMask) -> LogLevelChoice {
        temporary.end { change(levels) }
    }

    private func change(_ levels: LogLevelMask) -> LogLevelChoice {
        levelsSetting.withLock { choice in
            choice = LogLevelChoice(levels: levels, number: choice.number + 1)
            return choice
        }
    }

    /// Changes limits in order with the messages: they decide when a message comes in, not when it is
    /// handled.
    private func setLimits(_ change: (inout BacklogLimits) -> Void) {
        let (limits, node) = (
            limits.withLock { limits in
                change(&limits)
                limits.number += 1
                return limits
            }, node
        )
        if let dispatcher = node.dispatcher {
            dispatcher.submit { _ in node.inbox.setLimits(limits) }
        } else {
            node.inbox.setLimits(limits)
        }
    }

    // MARK: - Hooks

    /// Handles a message; does nothing unless overridden.
    open func log(_ message: LogMessage) {}

    /// Called after the last message of a batch, so that the logger can write all of them at once.
    open func batchDidEnd() {}

    /// Writes everything that the logger still holds to the kernel, or to its destination; called by `flush`.
    ///
    /// If the logger holds messages that it cannot write, call ``reportPending()``.
    open func flush() {}

    /// Called when the logger has been added to a dispatcher, before its first message.
    open func didAdd() {}

    /// Called after the last message, before the logger is removed from its dispatcher.
    open func willRemove() {}

    /// Called when an ordered property has taken effect.
    open func settingsDidChange() {}

    // MARK: - For hooks

    /// Formats a message with the logger's formatter; without one, returns the text.
    ///
    /// nil means that the formatter drops the message.
    public final func formatted(_ message: LogMessage) -> String? {
        if redactionInEffect != nil {
            var buffer = LogBuffer()
            return formatted(message, into: &buffer) ? buffer.text : nil
        }
        guard let formatter = formatterInEffect else { return message.text }
        let text = formatter.format(message)
        if text == nil { node.delivery.leaveOut() }
        return text
    }

    /// Appends a message to `output` as the formatter writes it; false means that the formatter drops the
    /// message.
    public final func formatted(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        if redactionInEffect != nil || output.redaction != nil { output.redaction = redactionInEffect }
        guard let uncountedFormatter else {
            output.appendText(of: message, privacy: .redact)
            return true
        }
        let start = output.count
        let isWanted = uncountedFormatter._withUnsafeGuaranteedRef { formatter in
            if !formatter.format(message, into: &output) { return false }
            if output.redaction != nil, !formatter.redactsByItself { output.redactSecrets(from: start) }
            return true
        }
        if isWanted { return true }
        output.truncate(to: start)
        node.delivery.leaveOut()
        return false
    }

    /// Has what is added to `output` from now on redacted as the logger's ``redaction`` says at the moment.
    package final func beginRedaction(in output: inout LogBuffer) { output.redaction = redactionInEffect }

    /// Counts the current message as filtered, because the logger left it out on purpose; call it in
    /// ``log(_:)``.
    ///
    /// A debug build stops if a logger of a dispatcher calls it outside of its hooks.
    public final func countFiltered() { node.delivery.leaveOut() }

    /// Counts the current message as failed, and reports the reason; call it in ``log(_:)``.
    ///
    /// A debug build stops if a logger of a dispatcher calls it outside of its hooks. For a failure that is
    /// known later, use ``reportDeferredFailure(of:_:)``.
    public final func reportFailure(_ reason: @autoclosure () -> String) {
        node.delivery.note(.failed)
        node.diagnostics.report(.writeFailed, "\(name): \(reason())", key: name)
    }

    /// Counts messages as failed that were counted as delivered before, for example because their batch could
    /// not be written.
    public final func reportDeferredFailure(of count: Int, _ reason: @autoclosure () -> String) {
        node.counters.fail(later: count)
        node.diagnostics.report(.writeFailed, "\(name): \(reason())", key: name, count: count)
    }

    /// Says how many messages the logger holds in memory until it can write them; call it in a hook, whenever
    /// that number changes.
    ///
    /// They count as ``LoggerStatistics/waiting``, and not yet as delivered.
    public final func noteWaiting(_ messages: Int) { node.counters.wait(for: messages) }

    /// Marks the flush as incomplete, because the logger holds messages that it cannot write at the moment;
    /// call it in ``flush()``.
    ///
    /// A debug build stops if a logger of a dispatcher calls it outside of its hooks.
    public final func reportPending() { node.reportPending() }

    /// Reports progress, for example after each part of a long write; call it in a hook.
    ///
    /// Callers that wait for room (``OverflowPolicy/block(upTo:)``) wait as long as a logger makes progress.
    /// Each message that ``log(_:)`` has handled counts as progress. A hook that takes longer than the time
    /// limit of the policy must call this method. A debug build stops if a logger of a dispatcher calls it
    /// outside of its hooks.
    public final func noteProgress() { node.noteProgress() }

    /// The mark of the message at hand, by which a logger that makes messages durable tells the journal of
    /// its writes.
    ///
    /// 0: no journal keeps it.
    package final var journalMark: UInt64 { node.follower.mark }

    /// Says that something which could not be made durable before may be so now.
    package final func noteSettled() { node.follower.acknowledge() }

    /// Whether the formatter in effect colors its lines itself.
    final var formatterColorsItself: Bool { formatterInEffect?.writesOwnColors ?? false }

    /// What is taken out of texts at the moment, for loggers that write without a formatter.
    package final var redactionForMessage: RedactionRules? { redactionInEffect }

    /// Whether the logger has a formatter for the current message.
    package final var hasFormatter: Bool { formatterInEffect != nil }

    /// Adds to the bytes that the logger has written.
    public final func noteWritten(_ bytes: Int) { node.counters.bytes.add(bytes, ordering: .relaxed) }

    /// The number of messages so far.
    public final var statistics: LoggerStatistics { node.counters.snapshot }

    /// The counters themselves, for loggers whose messages fail or are dropped later.
    package final var counters: LoggerCounters { node.counters }

    /// Where troubles are reported to.
    package final var diagnostics: LogDiagnostics { node.diagnostics }

    /// Has `work` done alone, between two hooks.
    ///
    /// Any thread; never waits.
    package final func perform(_ work: @escaping @Sendable () -> Void) {
        node.inbox.push { [self] in
            withExtendedLifetime(self) { work() }
        }
    }

    /// As `perform`, but in order with the messages that this thread has logged.
    package final func performInOrder(_ work: @escaping @Sendable () -> Void) {
        let ordered: @Sendable () -> Void = { [self] in
            withExtendedLifetime(self) { work() }
        }
        if let dispatcher = node.dispatcher {
            dispatcher.submit(ordered, to: node)
        } else {
            node.inbox.push(ordered)
        }
    }

    /// Does what was asked for before on this thread, where no other one does it; for who waits for that.
    package final func workIfAlone() {
        guard node.inbox.lacksThread, !isInHook else { return }
        node.dispatcher?.drainNow(byCaller: true)
        node.runHere()
    }

    /// Waits until everything asked for before has been done; false after `timeout`, and at once inside of a
    /// hook.
    package final func waitUntilIdle(timeout: Duration) -> Bool {
        if let dispatcher = node.dispatcher { dispatcher.drainNow() }
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: timeout.nanoseconds))
        return LoggerNode.wait(for: [self], until: deadline).isEmpty
    }

    /// Whether the flush at hand is the last one: the process is ending, or what the logger belongs to was
    /// released.
    package final var isLastFlush: Bool { ProcessExit.isUnderWay || node.isReleased }

    /// Whether the caller runs inside one of this logger's hooks.
    public final var isInHook: Bool { node.isRunningHere }

    final var currentTime: LogTimestamp {
        node.dispatcher?.clock.now() ?? SystemClock().now()
    }

    /// Takes the base's settings over, then tells the subclass.
    final func orderedPropertyDidChange() {
        formatterInEffect = formatter
        tellFormatter()
        redactionInEffect = redaction
        let (filter, collapse, recorder) = (filter, duplicateSuppression, flightRecorder)
        if collapse == nil { reportRepeats() }
        if filter == nil, collapse == nil, recorder == nil {
            selection = nil
        } else {
            if selection == nil { selection = MessageSelection() }
            selection?.configure(filter, collapse, recorder)
        }
        settingsDidChange()
    }

    /// Tells the formatter in effect that it is used from now on, and the one before it that it is no longer;
    /// like a hook.
    final func tellFormatter() {
        if toldFormatter === formatterInEffect { return }
        toldFormatter?.willRemove(fromLogger: name)
        toldFormatter = formatterInEffect
        toldFormatter?.didAdd(toLogger: name)
    }
}
