import CoreFixtures
import Foundation
import Heartwood
import HeartwoodHTTP

/// The faults of a simulated disk: it is full for a while, fails calls, or the process dies in the middle of one; any of
/// them at the same time.
final class SimulatedDisk: DiskFaults {
    private struct State {
        var isFull = false
        var isDead = false
        /// After how many further calls the process dies; nil: it does not.
        var callsLeft: Int?
        /// How much of the last write still arrives, in percent.
        var torn = 0
        /// How many of the next calls fail that read, or that change names.
        var failingReads = 0
        var failingChanges = 0
        var figures = Figures()
    }

    /// What the faults of the whole world have hit.
    struct Figures {
        /// Writes of the cursor that failed while the process went on: what it would have said is not on the disk.
        var cursorWrites = 0
        /// Writes that failed because they would have made a file longer: a new cursor among them, perhaps.
        var longerWrites = 0
        /// Reads that failed.
        var reads = 0
        /// Calls that failed and make, rename, remove or cut a file.
        var changes = 0
        /// Deaths in a call.
        var deaths = 0
        /// Whether calls of both kinds have failed.
        var hasFailedBothWays: Bool { reads > 0 && changes > 0 }
    }

    private let state = Locked(State())
    private let copiesOnWrite: Bool

    init(copiesOnWrite: Bool) { self.copiesOnWrite = copiesOnWrite }

    /// Whether the process has died in a call.
    var isDead: Bool { state.withLock { $0.isDead } }
    /// Whether a call may fail now.
    var isFailing: Bool {
        state.withLock { $0.isFull || $0.callsLeft != nil || $0.failingReads > 0 || $0.failingChanges > 0 }
    }
    var figures: Figures { state.withLock { $0.figures } }

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func die(after calls: Int, torn: Int) {
        state.withLock { ($0.callsLeft, $0.torn) = (calls, torn) }
    }

    func failReads(_ count: Int) { state.withLock { $0.failingReads = count } }

    func failChanges(_ count: Int) { state.withLock { $0.failingChanges = count } }

    /// A new process begins, on a disk that works.
    func restart() { state.withLock { $0 = State(figures: $0.figures) } }

    private static func count(_ state: inout State) {
        guard let left = state.callsLeft else { return }
        state.callsLeft = left - 1
        guard left <= 0, !state.isDead else { return }
        state.isDead = true
        state.figures.deaths += 1
    }

    /// A full disk takes a part of what would make a file longer; what has its room already is replaced, except where
    /// a file system copies on write: that takes nothing.
    func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? {
        state.withLock { state in
            if state.isDead { return (0, EIO) }
            Self.count(&state)
            if state.isDead { return (count * state.torn / 100, EIO) }
            guard state.isFull else { return nil }
            if !inPlace {
                state.figures.longerWrites += 1
                return (count / 3, ENOSPC)
            }
            guard copiesOnWrite else { return nil }
            state.figures.cursorWrites += 1
            return (0, ENOSPC)
        }
    }

    func change() -> Int32 {
        state.withLock { state in
            if state.isDead { return EIO }
            Self.count(&state)
            if state.isDead { return EIO }
            guard state.failingChanges > 0 else { return 0 }
            state.failingChanges -= 1
            state.figures.changes += 1
            return EIO
        }
    }

    func read() -> Int32 {
        state.withLock { state in
            if state.isDead { return EIO }
            guard state.failingReads > 0 else { return 0 }
            state.failingReads -= 1
            state.figures.reads += 1
            return EIO
        }
    }
}
