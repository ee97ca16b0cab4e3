import CHeartwood
import Dispatch
public import Synchronization

/// The part of a program that a message is about, with levels of its own.
///
/// ```swift
/// extension LogCategory {
///     static let billing = LogCategory("billing")
/// }
/// logInfo("charged \(amount)", category: .billing)
/// LogCategory.billing.levels = .debug
/// ```
///
/// Two categories with the same name are equal. Categories are never freed: make them once, as constants, and
/// not from data that comes from outside.
public struct LogCategory: Hashable, Sendable {
    @usableFromInline let state: State

    /// Makes a category with this name, or returns the existing one.
    public init(_ name: String) {
        state = CategoryRegistry.shared.state(named: name)
    }

    init(state: State) {
        self.state = state
    }

    /// The category of calls without a category.
    public static let `default` = LogCategory("default")

    /// The category of the framework's own messages, such as "37 messages dropped here".
    public static let heartwood = LogCategory("heartwood")

    /// The name.
    public var name: String { state.name }

    /// The levels of this category that are logged; ``LogLevelMask/all`` unless changed.
    ///
    /// A message passes if its category, its dispatcher and at least one logger want it. A change takes
    /// effect at once, in all threads and dispatchers; reading and writing never wait for messages.
    ///
    /// Names are hierarchical: the levels of `net` also apply to `net.http`, unless that has its own. See
    /// ``setLevels(_:matching:)`` for the precedence.
    public var levels: LogLevelMask {
        get { CategoryRegistry.shared.levels(of: name) }
        nonmutating set {
            TemporaryLevels.ofCategories.end(name) {
                CategoryRegistry.shared.change { $0.set(newValue, for: NamePattern(exactly: name)) }
            }
        }
    }

    /// Removes the levels that were set for this category, so that it inherits those of its parent again.
    public func inheritLevels() {
        TemporaryLevels.ofCategories.end(name) {
            CategoryRegistry.shared.change { $0.set(nil, for: NamePattern(exactly: name)) }
        }
    }

    /// Sets the levels of all categories that match a pattern, including categories that are made later.
    ///
    /// ```swift
    /// LogCategory.setLevels(.debug, matching: "net.*")
    /// LogCategory.setLevels(.warning, matching: "net.http.cookies")
    /// LogCategory.setLevels(nil, matching: "net.*")  // as if it had never been set
    /// ```
    ///
    /// A `*` matches any number of characters. A rule for a category also applies to its subcategories: a
    /// rule for `net` applies to `net.http`, while `net.*` does not match `net` itself. If several rules
    /// match, the one with the most characters other than `*` applies, whatever the order in which they were
    /// set. Setting a rule for the same pattern again replaces it. A change takes effect at once in all
    /// threads, and does not slow down calls whose level is off.
    public static func setLevels(_ levels: LogLevelMask?, matching pattern: String) {
        TemporaryLevels.ofCategories.end(pattern) {
            CategoryRegistry.shared.change { $0.set(levels, for: NamePattern(pattern)) }
        }
    }

    /// Sets the levels of all categories that match a pattern for a while.
    ///
    /// ```swift
    /// LogCategory.setLevels(.debug, matching: "net.*", for: .seconds(600))
    /// ```
    ///
    /// When the time is over, what was set for the pattern before holds again, or nothing; unless the levels
    /// of the pattern, or all rules, were set meanwhile. Called again before that, it starts the time again.
    ///
    /// - Parameters:
    ///   - levels: The levels.
    ///   - pattern: The pattern, as in ``setLevels(_:matching:)``.
    ///   - duration: How long they hold, in steady time; 0 or less for no time at all.
    ///   - clock: The time, for tests.
    public static func setLevels(
        _ levels: LogLevelMask, matching pattern: String, for duration: Duration,
        clock: any LogClock = SystemClock()
    ) {
        TemporaryLevels.ofCategories.set(levels, of: pattern, for: duration, clock) { levels in
            var before: LogLevelMask?
            CategoryRegistry.shared.change { rules in
                before = rules.list.first { $0.pattern == pattern }?.levels
                rules.set(levels, for: NamePattern(pattern))
            }
            return (before, nil)
        }
    }

    /// All rules, in the order in which they were set; setting the property replaces all rules at once.
    public static var levelRules: [LogLevelRule] {
        get { CategoryRegistry.shared.rules }
        set {
            TemporaryLevels.ofCategories.endAll {
                CategoryRegistry.shared.change { $0.replace(with: newValue) }
            }
        }
    }

    /// Takes rules back that are still as they were set, and sets others, in one step.
    package static func exchange(_ old: [LogLevelRule], for new: [LogLevelRule]) {
        if old == new { return }
        CategoryRegistry.shared.change { $0.exchange(old, for: new) }
    }

    /// All categories that the program has made so far, in that order.
    public static var all: [LogCategory] { CategoryRegistry.shared.all }

    /// Finds an existing category by its name; unlike the initializer, it makes no new one.
    package static func existing(_ name: String) -> LogCategory? {
        CategoryRegistry.shared.existing(named: name).map(LogCategory.init(state:))
    }

    /// Fields that are added to every message of this category.
    ///
    /// Fields of the call and of the task with the same name take precedence.
    public var metadata: LogMetadata {
        get { state.metadata.withLock { $0.value } }
        nonmutating set {
            let encoded = EncodedMetadata(newValue)
            state.metadata.withLock { $0 = encoded }
            if !newValue.isEmpty { hw_outer_fields_set() }
        }
    }

    /// Whether both are the same category.
    public static func == (left: LogCategory, right: LogCategory) -> Bool { left.state === right.state }

    /// Hashes the category's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(state)) }

    /// What a category knows; one object per name, forever.
    @usableFromInline
    final class State: Sendable {
        // MARK: Constants (any thread)
        let name: String
        let id: UInt32

        // MARK: Atomics (any thread)
        let levels = Atomic<UInt32>(.max)
        /// `levels`, and those that some source file has more than that: what the check of a call lets pass.
        let openLevels = Atomic<UInt32>(.max)
        /// `openLevels`, what the shared dispatcher lets pass and what its loggers want, in one word.
        @usableFromInline let sharedGate = Atomic<UInt32>(0)

        // MARK: Guarded by themselves
        let metadata = Locked(EncodedMetadata([:]))

        init(name: String, id: UInt32) {
            self.name = name
            self.id = id
        }

        func passes(_ level: LogLevel) -> Bool { levels.load(ordering: .relaxed) & level.rawValue != 0 }
    }
}

/// Temporary levels of a logger, or of patterns of categories: when their time is over, the levels of before
/// come back, unless others were set.
final class TemporaryLevels: Sendable {
    /// Those of patterns.
    static let ofCategories = TemporaryLevels()

    /// Sets levels; returns what was set before, and what to do once no lock is held.
    typealias Change =
        @Sendable (LogLevelMask?) -> (
            before: LogLevelMask?, afterwards: (@Sendable () -> Void)?
        )

    private struct Entry {
        let before: LogLevelMask?
        let number: Int
        let timer: any LogTimer
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var number = 0
    }

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    /// Sets the levels of a pattern, or of the one logger; what was set before holds again after a time.
    func set(
        _ levels: LogLevelMask, of pattern: String = "", for duration: Duration, _ clock: any LogClock,
        _ change: @escaping Change
    ) {
        let afterwards = state.withLock { state in
            state.number += 1
            let number = state.number
            let old = state.entries[pattern]
            old?.timer.cancel()
            var (before, afterwards) = change(levels)
            if let old { before = old.before }
            let timer = clock.schedule(after: max(.zero, duration)) { [weak self] in
                self?.end(pattern, number, change)
            }
            state.entries[pattern] = Entry(before: before, number: number, timer: timer)
            return afterwards
        }
        afterwards?()
    }

    /// Sets the levels of a pattern, or of the one logger, for good.
    func end<Result>(_ pattern: String = "", _ change: () -> Result) -> Result {
        state.withLock { state in
            state.entries.removeValue(forKey: pattern)?.timer.cancel()
            return change()
        }
    }

    /// Sets all for good.
    func endAll(_ change: () -> Void) {
        state.withLock { state in
            for entry in state.entries.values { entry.timer.cancel() }
            state.entries = [:]
            change()
        }
    }

    private func end(_ pattern: String, _ number: Int, _ change: Change) {
        let afterwards = state.withLock { state -> (@Sendable () -> Void)? in
            guard let entry = state.entries[pattern], entry.number == number else { return nil }
            state.entries[pattern] = nil
            return change(entry.before).afterwards
        }
        afterwards?()
    }
}
