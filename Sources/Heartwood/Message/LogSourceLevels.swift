import CHeartwood

/// Sets levels by source file or module, whatever the category, to examine one file while the program runs.
///
/// ```swift
/// LogSourceLevels.set(.verbose, matching: "Shop/Cart.swift")
/// LogSourceLevels.set(.error, matching: "ThirdParty")  // a module
/// LogSourceLevels.rules = []
/// ```
///
/// Names are those of `#fileID`: `Module/File.swift`. For a file that matches a rule, the levels of the rule
/// replace those of the category; the levels of dispatchers and loggers still apply. A `*` matches any number
/// of characters. If several rules match, the rule with the most characters other than `*` applies.
///
/// A change takes effect at once in all threads. A call whose level is off still costs one load. While there
/// are rules, other calls cost one more table lookup.
public enum LogSourceLevels {
    private struct State {
        var rules = LevelRules(separator: "/")
        /// What the rules say of the files that were asked for, by the address of their names; nil where
        /// nothing.
        var known: [UInt: LogLevelMask?] = [:]
    }

    // MARK: Guarded by 'state'
    private static let state = Locked(State())
    /// One change at a time, so that the gates show the last one.
    private static let oneAtATime = Locked(())

    /// Sets the levels of the files or modules that match a pattern; nil removes the rule.
    public static func set(_ levels: LogLevelMask?, matching pattern: String) {
        change { $0.set(levels, for: NamePattern(pattern)) }
    }

    /// All rules, in the order in which they were set; setting the property replaces all rules at once.
    public static var rules: [LogLevelRule] {
        get { state.withLock { $0.rules.list } }
        set { change { $0.replace(with: newValue) } }
    }

    /// Takes rules back and sets others, in one step.
    package static func exchange(_ old: [LogLevelRule], for new: [LogLevelRule]) {
        if old == new { return }
        change { $0.exchange(old, for: new) }
    }

    private static func change(_ change: (inout LevelRules) -> Void) {
        oneAtATime.withLock { _ in
            let union = state.withLock { state in
                change(&state.rules)
                state.known = [:]
                return state.rules.union
            }
            // A rule of `off` opens nothing, and is to be asked for all the same.
            let isUsed = state.withLock { !$0.rules.isEmpty }
            // First the question, then the wider gates: no call passes unasked.
            if isUsed { hw_source_levels_store(true) }
            CategoryRegistry.shared.setSourceLevels(union)
            if !isUsed { hw_source_levels_store(false) }
        }
    }

    /// Looks again which levels the rules let pass: a level was declared.
    static func resolve() {
        if hw_source_levels_load() { change { _ in } }
    }

    static func handleFork(_ fork: ForkStep) {
        fork.apply(to: oneAtATime)
        fork.apply(to: state)
    }

    /// Whether a call in a file, which the gate let pass, is wanted.
    @usableFromInline @inline(never)
    static func wants(_ level: LogLevel, _ category: LogCategory?, _ file: StaticString) -> Bool {
        levels(of: file)?.contains(level) ?? (category ?? .default).state.passes(level)
    }

    /// The same for a file whose name is known only while the program runs.
    static func wants(_ level: LogLevel, _ category: LogCategory, named file: String) -> Bool {
        state.withLock { $0.rules.levels(of: file) }?.contains(level) ?? category.state.passes(level)
    }

    private static func levels(of file: StaticString) -> LogLevelMask? {
        guard file.hasPointerRepresentation else {
            return state.withLock { $0.rules.levels(of: file.description) }
        }
        let key = UInt(bitPattern: file.utf8Start)
        return state.withLock { state in
            if let known = state.known[key] { return known }
            let levels = state.rules.levels(of: file.description)
            state.known[key] = .some(levels)
            return levels
        }
    }
}
