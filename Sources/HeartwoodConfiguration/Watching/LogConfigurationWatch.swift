import CHeartwood
import Dispatch
public import Heartwood

/// Watches configuration files, and applies them when they change.
///
/// ```swift
/// let watch = try LogConfigurationWatch("/etc/shop/logging.json", reloadsOnHangup: true)
/// ```
///
/// The files are those of ``LogConfiguration/load(_:environment:defaults:variables:)``. They are applied
/// before the initializer returns, and then checked every `interval`. It does not matter how they change:
/// they can be overwritten, replaced by renaming, created later, or switched by a symbolic link, on any file
/// system. A change is applied after two checks, 200 ms apart, have found the same content.
///
/// If a file is not valid, or a logger cannot be made, the dispatcher's diagnostics report all problems, and
/// the current settings stay in effect. The same applies if the file is removed. An overlay that is removed
/// has no effect anymore.
///
/// Everything happens on a queue of its own. It ends with ``stop()``, or when the watch is released; what was
/// applied stays.
public final class LogConfigurationWatch: Sendable {
    // MARK: Constants (any thread)

    /// The path of the file.
    package let path: String
    /// The path of the overlay file; nil without an environment.
    package let overlayPath: String?
    /// How often the files are checked.
    package let interval: Duration
    private let sources: LogConfiguration.Sources
    private let dispatcher: LogDispatcher
    private let clock: any LogClock
    private let queue = WorkQueue("heartwood.configuration")

    private static let settlingTime = Duration.milliseconds(200)

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    private struct State {
        var watch: ConfigurationWatchState
        var timer: (any LogTimer)?
        var hangup: HangupSignal.Observation?
        var isStopped = false
        var applied = 1
        var refused = 0
    }

    /// Applies the files, and starts to watch them.
    ///
    /// - Parameters:
    ///   - path: The file, JSON or a property list; `HEARTWOOD_CONFIGURATION` names another one.
    ///   - environment: The environment; what `HEARTWOOD_ENVIRONMENT` says unless given.
    ///   - defaults: What holds where nothing says otherwise.
    ///   - variables: The environment variables; those of the process unless given.
    ///   - dispatcher: What is configured; the shared dispatcher unless given.
    ///   - interval: How often the files are looked at; 2 s unless given.
    ///   - reloadsOnHangup: Whether `SIGHUP` applies the files again and has all loggers open their files
    ///     again; no unless given. The signal does not end the process then. A handler that is there already
    ///     is called as well, and what was there before is put back when the last such watch stops.
    ///   - clock: Where timers come from; the system unless a test says otherwise.
    /// - Throws: ``LogConfigurationError`` where the files cannot be applied; then nothing is watched.
    public init(
        _ path: String, environment: String? = nil, defaults: LogConfiguration = LogConfiguration(),
        variables: [String: String]? = nil, dispatcher: LogDispatcher = .shared,
        interval: Duration = .seconds(2), reloadsOnHangup: Bool = false, clock: any LogClock = SystemClock()
    ) throws(LogConfigurationError) {
        sources = try LogConfiguration.Sources(
            path, environment: environment, defaults: defaults, variables: variables ?? ProcessEnvironment.all
        )
        self.path = sources.path.absolutePath()
        overlayPath = sources.overlay?.absolutePath()
        self.interval = max(.milliseconds(10), interval)
        self.dispatcher = dispatcher
        self.clock = clock
        let contents = try sources.contents()
        try sources.checkPresence(contents.main)
        try sources.configuration((contents.main, contents.overlay)).apply(to: dispatcher)
        state = Locked(State(watch: ConfigurationWatchState(applied: contents)))
        if reloadsOnHangup {
            let observation = HangupSignal.observe(on: queue) { [weak self] in self?.hangUp() }
            if observation == nil {
                dispatcher.diagnostics.report(.setting, "cannot watch SIGHUP: the system refuses its handler")
            }
            state.withLock { $0.hangup = observation }
        }
        schedule(after: self.interval)
    }

    deinit { stop() }

    /// Stops watching.
    ///
    /// The applied settings stay in effect.
    ///
    /// A configuration that is being applied at the moment is applied completely.
    public func stop() {
        let (timer, hangup) = state.withLock { state in
            state.isStopped = true
            defer { (state.timer, state.hangup) = (nil, nil) }
            return (state.timer, state.hangup)
        }
        timer?.cancel()
        hangup?.end()
    }

    /// Loads and applies the files now, whether they have changed or not.
    ///
    /// - Throws: ``LogConfigurationError`` where they cannot be applied; the settings in force stay.
    public func reload() throws(LogConfigurationError) {
        try apply(presentContents())
    }

    /// How often the files were applied and rejected so far.
    public var counts: (applied: Int, refused: Int) { state.withLock { ($0.applied, $0.refused) } }

    // MARK: - Inside

    /// What is in the files; a file that was there must still be.
    private func presentContents() throws(LogConfigurationError) -> ConfigurationWatchState.Contents {
        let contents = try sources.contents()
        if contents.main == nil, state.withLock({ $0.watch.applied.main != nil }) {
            throw LogConfigurationError(
                LogSettingLocation(path), "the file was removed; the current settings stay in effect")
        }
        return contents
    }

    private func apply(_ contents: ConfigurationWatchState.Contents) throws(LogConfigurationError) {
        do throws(LogConfigurationError) {
            try sources.configuration((contents.main, contents.overlay)).apply(to: dispatcher)
            state.withLock { state in
                state.watch.didApply(contents)
                state.applied += 1
            }
        } catch {
            state.withLock { state in
                state.watch.didApply(contents)
                state.refused += 1
            }
            throw error
        }
    }

    private func schedule(after delay: Duration) {
        let timer = clock.schedule(after: delay, on: queue) { [weak self] in self?.look() }
        let isStopped = state.withLock { state in
            if !state.isStopped { state.timer = timer }
            return state.isStopped
        }
        if isStopped { timer.cancel() }
    }

    /// Runs on the queue.
    private func look() {
        dispatchPrecondition(condition: .onQueue(queue.queue))
        if state.withLock({ $0.isStopped }) { return }
        var delay = interval
        do throws(LogConfigurationError) {
            let contents = try sources.contents()
            switch state.withLock({ $0.watch.see(contents) }) {
            case .wait: break
            case .lookAgain: delay = min(interval, LogConfigurationWatch.settlingTime)
            case .missing:
                dispatcher.diagnostics.report(
                    .setting,
                    "\(path) was removed; the current settings stay in effect until it exists again",
                    key: "\(path) removed")
            case .apply(let contents): try apply(contents)
            }
        } catch {
            report(error)
        }
        schedule(after: delay)
    }

    private func hangUp() {
        if state.withLock({ $0.isStopped }) { return }
        do throws(LogConfigurationError) {
            try apply(presentContents())
        } catch {
            report(error)
        }
        for logger in dispatcher.loggers { (logger as? any ReopeningLogger)?.reopen() }
    }

    private func report(_ error: LogConfigurationError) {
        dispatcher.diagnostics.report(
            .setting, "cannot apply the configuration; the current settings stay in effect: \(error)",
            // Another mistake, within the interval of equal reports, is told as well.
            key: "\(path) \(error)")
    }
}

extension LogConfiguration.Sources {
    func contents() throws(LogConfigurationError) -> ConfigurationWatchState.Contents {
        let (main, overlay) = try read()
        return ConfigurationWatchState.Contents(main: main, overlay: overlay)
    }
}

/// `SIGHUP`, for as many observers as like; the handler is there while there is one.
///
/// The handler notes the signal, which is looked for five times a second, and calls the handler that was
/// there before. What was there before is put back when the last observer ends, unless another handler was
/// installed meanwhile.
private enum HangupSignal {
    /// An observer; it is called until it ends.
    final class Observation: Sendable {
        private let isEnded = Locked(false)

        fileprivate init() {}

        deinit { end() }

        /// Ends the calls, but for one that is under way.
        func end() {
            let isFirst = isEnded.withLock { isEnded in
                defer { isEnded = true }
                return !isEnded
            }
            if isFirst { HangupSignal.remove(ObjectIdentifier(self)) }
        }
    }

    private struct State {
        var observers: [(id: ObjectIdentifier, queue: WorkQueue, call: @Sendable () -> Void)] = []
        /// Whether a look is ahead.
        var isLooking = false
    }

    private static let interval = Duration.milliseconds(200)

    // MARK: Guarded by 'state'
    private static let state = Locked(State())

    /// Has `call` called on `queue` after each signal; several that come together count as one.
    ///
    /// - Returns: nil where the system refuses the handler.
    static func observe(on queue: WorkQueue, _ call: @escaping @Sendable () -> Void) -> Observation? {
        let observation = Observation()
        let (isInstalled, mustLook) = state.withLock { state in
            if state.observers.isEmpty, !hw_hangup_install() { return (false, false) }
            state.observers.append((ObjectIdentifier(observation), queue, call))
            defer { state.isLooking = true }
            return (true, !state.isLooking)
        }
        if mustLook { SystemClock.call(after: interval) { look() } }
        return isInstalled ? observation : nil
    }

    private static func look() {
        let observers = state.withLock { state in
            state.isLooking = !state.observers.isEmpty
            return state.observers
        }
        if observers.isEmpty { return }
        if hw_hangup_take() { for observer in observers { observer.queue.enqueue(observer.call) } }
        SystemClock.call(after: interval) { look() }
    }

    private static func remove(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.observers.removeAll { $0.id == id }
            if state.observers.isEmpty { hw_hangup_uninstall() }
        }
    }
}
