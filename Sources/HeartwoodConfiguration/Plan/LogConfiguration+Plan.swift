public import Heartwood

extension LogConfiguration {
    /// Checks the whole configuration without applying it.
    ///
    /// - Throws: ``LogConfigurationError`` with all problems that can be seen without making a logger.
    public func check() throws(LogConfigurationError) { _ = try ConfigurationPlan(self) }

    /// Applies the configuration: makes the loggers, and changes the settings of those that an earlier
    /// configuration made.
    ///
    /// - Loggers that keep their name and kind continue to run. Only changed settings are set, in order with
    ///   the messages. A logger is replaced if a setting changes that its initializer needs, such as a
    ///   directory.
    /// - New loggers are added, and loggers that are not in the configuration are removed, all at one point
    ///   in the order of messages, so no message is lost or handled twice. The call waits up to ten seconds
    ///   until removed loggers have written everything.
    /// - Levels of categories and source files change in one step. They belong to the process, not to a
    ///   dispatcher.
    /// - Settings that code has made are kept. Only rules, settings and loggers of earlier configurations are
    ///   replaced or removed.
    ///
    /// You can call this method on any thread; calls run one after the other. Inside a logger or formatter,
    /// the call does not wait.
    ///
    /// - Parameter dispatcher: The dispatcher; the shared one unless given.
    /// - Throws: ``LogConfigurationError`` with everything that is wrong, or could not be made. Then nothing
    ///   was changed (but for a directory that was made).
    public func apply(to dispatcher: LogDispatcher = .shared) throws(LogConfigurationError) {
        let plan = try ConfigurationPlan(self)
        let state = ConfiguredState.of(dispatcher)
        while !state.begin() {
            if AbstractLogger.isInAnyHook || state.isOwn {
                throw LogConfigurationError(
                    settings.place, "another configuration is being applied; a logger cannot wait for it")
            }
            state.waitForTurn()
        }
        let leaving: [AbstractLogger]
        do throws(LogConfigurationError) {
            leaving = try plan.apply(to: dispatcher, state)
            state.end()
        } catch {
            state.end()
            throw error
        }
        dispatcher.waitForRemoved(leaving)
    }
}

extension LogDispatcher {
    /// Finds a logger that a ``LogConfiguration`` made.
    ///
    /// - Parameter name: Its name in the configuration that was last applied to this dispatcher.
    /// - Returns: The logger; nil if that configuration has no logger of this name.
    public func configuredLogger(named name: String) -> AbstractLogger? {
        ConfiguredState.of(self).current.entries.first { $0.name == name }?.logger
    }
}

extension ConfigurationPlan {
    /// What happens to a configured logger.
    private enum Step {
        case keep(ConfiguredState.Entry)
        case make(AbstractLogger)
    }

    /// Makes all loggers first: nothing is changed before the last of them is there, and nothing can fail
    /// after that.
    ///
    /// - Returns: the loggers that go.
    fileprivate func apply(
        to dispatcher: LogDispatcher, _ state: ConfiguredState
    ) throws(LogConfigurationError) -> [AbstractLogger] {
        var content = state.current
        let present = dispatcher.loggers
        // Who was removed by the program is not ours any more.
        content.entries.removeAll { entry in !present.contains { $0 === entry.logger } }
        let steps = try makeLoggers(content.entries)

        content.dispatcher.apply(self.dispatcher, to: dispatcher)
        var entries: [ConfiguredState.Entry] = []
        var arriving: [AbstractLogger] = []
        for (wanted, step) in zip(loggers, steps) {
            switch step {
            case .keep(var entry):
                entry.tuned.apply(wanted.tunings, to: entry.logger)
                entries.append(entry)
            case .make(let logger):
                var tuned = TunedSettings()
                tuned.apply(wanted.tunings, to: logger)
                arriving.append(logger)
                entries.append(
                    ConfiguredState.Entry(
                        name: wanted.name, kind: wanted.kind, logger: logger, fixed: wanted.fixed,
                        tuned: tuned))
            }
        }
        let leaving = content.entries.map(\.logger).filter { logger in
            !entries.contains { $0.logger === logger }
        }
        dispatcher.exchange(leaving, for: arriving)

        LogCategory.exchange(content.categoryRules, for: categoryRules)
        LogSourceLevels.exchange(content.sourceRules, for: sourceRules)
        content.entries = entries
        content.categoryRules = categoryRules
        content.sourceRules = sourceRules
        state.current = content
        return leaving
    }

    private func makeLoggers(
        _ entries: [ConfiguredState.Entry]
    ) throws(LogConfigurationError) -> [Step] {
        var steps: [Step] = []
        let collector = ProblemCollector()
        for wanted in loggers {
            if let entry = entries.first(where: { $0.name == wanted.name }), entry.kind == wanted.kind,
                entry.fixed == wanted.fixed
            {
                steps.append(.keep(entry))
                continue
            }
            do {
                steps.append(.make(try wanted.make()))
            } catch {
                collector.add(wanted.place, ["loggers", wanted.name], "cannot create the logger: \(error)")
            }
        }
        if !collector.problems.isEmpty { throw LogConfigurationError(collector.problems) }
        return steps
    }
}

/// What configurations have made of a dispatcher so far: the loggers, and what to go back to.
final class ConfiguredState: Sendable {
    /// That of a dispatcher.
    static func of(_ dispatcher: LogDispatcher) -> ConfiguredState {
        dispatcher.configured.withLock { state in
            if let state = state as? ConfiguredState { return state }
            let new = ConfiguredState()
            state = new
            return new
        }
    }

    /// A logger that a configuration has made.
    struct Entry {
        let name: String
        let kind: String
        let logger: AbstractLogger
        let fixed: [String: LogSetting]
        var tuned: TunedSettings
    }

    struct Content {
        var entries: [Entry] = []
        var dispatcher = TunedSettings()
        var categoryRules: [LogLevelRule] = []
        var sourceRules: [LogLevelRule] = []
    }

    // MARK: Guarded by themselves
    private let content = Locked(Content())
    /// Whether a thread applies a configuration: one at a time, and not under a lock, as loggers are made
    /// meanwhile.
    private let turn = Locked(Turns())
    /// Signaled once for each thread that waits, when a turn ends.
    private let turnEnded = Semaphore()

    private struct Turn: Equatable {
        let owner = ProcessOwner()
        let thread = LogThread.current.id
    }

    private struct Turns {
        var current: Turn?
        var waiting = 0
    }

    /// What is there; only who is `busy` may put something else in its place.
    var current: Content {
        get { content.withLock { $0 } }
        set {
            let old = content.withLock { content in
                defer { content = newValue }
                return content
            }
            // Ends outside of the lock: it may hold the last reference to a logger.
            withExtendedLifetime(old) {}
        }
    }

    /// Takes the turn; false where another thread has it.
    func begin() -> Bool {
        let own = Turn()
        return turn.withLock { turn in
            // In the child of a fork a thread of the parent's has it, which does not exist.
            if let current = turn.current, current.owner == own.owner { return false }
            turn.current = own
            return true
        }
    }

    /// Waits until the turn of another thread ends; a third one may be faster to take it then.
    func waitForTurn() {
        let isTaken = turn.withLock { turn in
            guard turn.current != nil else { return false }
            turn.waiting += 1
            return true
        }
        if isTaken { _ = turnEnded.wait(upTo: .seconds(3600)) }
    }

    /// Whether the calling thread itself has the turn, as where the making of a logger applies a
    /// configuration.
    var isOwn: Bool { turn.withLock { $0.current == Turn() } }

    func end() {
        let waiting = turn.withLock { turn in
            defer { turn = Turns() }
            return turn.waiting
        }
        for _ in 0..<waiting { turnEnded.signal() }
    }
}

/// The properties of an object that settings were applied to: what they are set to, and what they were
/// before.
struct TunedSettings {
    private var settings: [String: LogSetting] = [:]
    private var restore: [String: (AnyObject) -> Void] = [:]

    /// Sets what has changed since the last time, and nothing else; what is not given any more becomes what
    /// it was.
    mutating func apply(_ tunings: [SettingTuning], to target: AnyObject) {
        for tuning in tunings where tuning.setting != settings[tuning.key] {
            if let set = tuning.set {
                if restore[tuning.key] == nil { restore[tuning.key] = tuning.keep(target) }
                set(target)
            } else if let back = restore.removeValue(forKey: tuning.key) {
                back(target)
            }
            settings[tuning.key] = tuning.setting
        }
    }
}
