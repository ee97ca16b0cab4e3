import CHeartwood
import Synchronization

/// All categories, by name and number, and the gates that combine them with the shared dispatcher's wishes.
final class CategoryRegistry: Sendable {
    static let shared = CategoryRegistry()

    private struct Content {
        var byName: [String: LogCategory.State] = [:]
        var all: [LogCategory.State] = []
        var sharedMask: UInt32 = 0
        var rules = LevelRules(separator: ".")
        /// Levels that some source file has, whatever the category.
        var sourceLevels: UInt32 = 0

        /// Puts a category's levels in effect.
        func update(_ state: LogCategory.State) {
            let levels = rules.levels(of: state.name)?.rawValue ?? .max
            state.levels.store(levels, ordering: .relaxed)
            state.openLevels.store(levels | sourceLevels, ordering: .relaxed)
            updateGate(of: state)
        }

        func updateGate(of state: LogCategory.State) {
            let gate = sharedMask & state.openLevels.load(ordering: .relaxed)
            state.sharedGate.store(gate, ordering: .relaxed)
            if state.id == CategoryRegistry.defaultID { hw_shared_gate_store(gate) }
        }
    }

    // MARK: Guarded by 'content'
    private let content = Locked(Content())

    /// The number of the default category, known without a look.
    static let defaultID: UInt32 = 0

    private init() {
        _ = state(named: "default")
    }

    func state(named name: String) -> LogCategory.State {
        content.withLock { content in
            if let known = content.byName[name] { return known }
            let state = LogCategory.State(name: name, id: UInt32(content.all.count))
            content.byName[name] = state
            content.all.append(state)
            // Before any other thread knows the number, and so before a record can contain it.
            NameObservers.shared.append(category: state.id, name)
            content.update(state)
            return state
        }
    }

    func handleFork(_ fork: ForkStep) { fork.apply(to: content) }

    /// Calls `body` with the names of all categories so far, in the order of their numbers, while none can be
    /// added.
    func withNames(_ body: ([String]) -> Void) { content.withLock { body($0.all.map(\.name)) } }

    func existing(named name: String) -> LogCategory.State? { content.withLock { $0.byName[name] } }

    /// All categories there are, in the order of their making.
    var all: [LogCategory] { content.withLock { $0.all }.map(LogCategory.init(state:)) }

    var rules: [LogLevelRule] { content.withLock { $0.rules.list } }

    /// Changes the rules, and puts them in effect.
    func change(_ change: (inout LevelRules) -> Void) {
        content.withLock { content in
            change(&content.rules)
            for state in content.all { content.update(state) }
        }
    }

    /// The levels of a category of this name.
    func levels(of name: String) -> LogLevelMask { content.withLock { $0.rules.levels(of: name) ?? .all } }

    /// Looks again which levels the rules let pass: a level was declared.
    func resolveLevels() { change { _ in } }

    /// Takes which levels some source file has.
    func setSourceLevels(_ levels: UInt32) {
        content.withLock { content in
            content.sourceLevels = levels
            for state in content.all { content.update(state) }
        }
    }

    /// Takes what the shared dispatcher lets pass and what its loggers want.
    func setSharedMask(_ mask: UInt32) {
        content.withLock { content in
            content.sharedMask = mask
            for state in content.all { content.updateGate(of: state) }
        }
    }
}
