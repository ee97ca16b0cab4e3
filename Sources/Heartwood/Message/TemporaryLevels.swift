import Dispatch

/// Rules for categories that hold for a while, and what held for their patterns before.
final class TemporaryLevels: Sendable {
    static let shared = TemporaryLevels()

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

    /// Sets the levels of a pattern; what was set before holds again after a time, unless other levels were set meanwhile.
    func set(_ levels: LogLevelMask, for pattern: String, _ duration: Duration, _ clock: any LogClock) {
        state.withLock { state in
            state.number += 1
            let number = state.number
            let old = state.entries[pattern]
            old?.timer.cancel()
            var before = old?.before
            CategoryRegistry.shared.change { rules in
                if old == nil { before = rules.list.first { $0.pattern == pattern }?.levels }
                rules.set(levels, for: NamePattern(pattern))
            }
            let timer = clock.schedule(after: duration, on: .global(qos: .utility)) { [weak self] in
                self?.end(pattern, number)
            }
            state.entries[pattern] = Entry(before: before, number: number, timer: timer)
        }
    }

    /// The levels of a pattern were set for good.
    func forget(_ pattern: String) {
        state.withLock { $0.entries.removeValue(forKey: pattern) }?.timer.cancel()
    }

    /// All rules were replaced.
    func forgetAll() {
        let entries = state.withLock { state in
            defer { state.entries = [:] }
            return state.entries
        }
        for entry in entries.values { entry.timer.cancel() }
    }

    private func end(_ pattern: String, _ number: Int) {
        state.withLock { state in
            guard let entry = state.entries[pattern], entry.number == number else { return }
            state.entries[pattern] = nil
            CategoryRegistry.shared.change { $0.set(entry.before, for: NamePattern(pattern)) }
        }
    }
}
