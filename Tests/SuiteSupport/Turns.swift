import Foundation

/// Decides which tests run: so many light and so many heavy ones at once, each kind in its order.
///
/// The kinds do not wait for each other: a heavy test at the end of a long queue of light ones would begin when
/// all others have ended, and the run would wait for it alone.
package struct Turns<Waiter> {
    /// How much of the machine a test takes.
    package enum Weight: CaseIterable, Sendable {
        /// It waits for little and computes little.
        case light
        /// It starts processes, or keeps a processor busy for a second and more.
        case heavy
    }

    private struct Line {
        var free: Int
        var waiting: [Waiter] = []
        var first = 0
    }

    private var lines: [Weight: Line]

    /// With a number of processors: that many heavy tests at once, and three times as many light ones, which wait most of the time.
    package init(processors: Int) {
        let processors = max(1, processors)
        lines = [.light: Line(free: processors * 3), .heavy: Line(free: processors)]
    }

    /// Whether a test may begin now; if not, it waits in line.
    package mutating func take(_ weight: Weight, orWait waiter: @autoclosure () -> Waiter) -> Bool {
        guard lines[weight, default: Line(free: 1)].free == 0 else {
            lines[weight]?.free -= 1
            return true
        }
        lines[weight]?.waiting.append(waiter())
        return false
    }

    /// Ends a turn; returns whose turn it is now.
    package mutating func give(_ weight: Weight) -> Waiter? {
        guard var line = lines[weight] else { return nil }
        defer { lines[weight] = line }
        guard line.first < line.waiting.count else {
            line.free += 1
            return nil
        }
        line.first += 1
        return line.waiting[line.first - 1]
    }
}

/// The turns of this process's tests.
final class RunningTurns: Sendable {
    typealias Weight = Turns<CheckedContinuation<Void, Never>>.Weight

    static let shared = RunningTurns()

    // MARK: Guarded by 'turns'
    private let turns = Guarded(Turns<CheckedContinuation<Void, Never>>(processors: processorCount()))

    /// Waits for a turn; no thread waits.
    func take(_ weight: Weight) async {
        await withCheckedContinuation { continuation in
            if turns.withLock({ $0.take(weight, orWait: continuation) }) { continuation.resume() }
        }
    }

    func give(_ weight: Weight) { turns.withLock { $0.give(weight) }?.resume() }
}

/// A value that threads share, behind a lock that the thread sanitizer knows: of `Synchronization.Mutex` it reports false races on
/// Linux.
final class Guarded<Value>: @unchecked Sendable {  // all access goes through the lock
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
