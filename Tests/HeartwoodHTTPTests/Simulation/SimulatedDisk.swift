import Foundation
import Heartwood
import HeartwoodHTTP

/// The faults of a simulated disk: it is full for a while, or the process dies in the middle of a call.
final class SimulatedDisk: SpoolFaults {
    private struct State {
        var isFull = false
        var isDead = false
        /// After how many further calls the process dies; nil: it does not.
        var callsLeft: Int?
        /// How much of the last write still arrives, in percent.
        var torn = 0
    }

    private let state = Locked(State())
    private let copiesOnWrite: Bool

    init(copiesOnWrite: Bool) { self.copiesOnWrite = copiesOnWrite }

    /// Whether the process has died in a call.
    var isDead: Bool { state.withLock { $0.isDead } }

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func die(after calls: Int, torn: Int) {
        state.withLock { ($0.callsLeft, $0.torn) = (calls, torn) }
    }

    /// A new process begins.
    func restart() { state.withLock { $0 = State() } }

    private static func count(_ state: inout State) {
        guard let left = state.callsLeft else { return }
        state.callsLeft = left - 1
        if left <= 0 { state.isDead = true }
    }

    /// A full disk takes a part of what would make a file longer; what has its room already is replaced, except where
    /// a file system copies on write: that takes nothing.
    func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? {
        state.withLock { state in
            if state.isDead { return (0, EIO) }
            Self.count(&state)
            if state.isDead { return (count * state.torn / 100, EIO) }
            guard state.isFull else { return nil }
            if !inPlace { return (count / 3, ENOSPC) }
            return copiesOnWrite ? (0, ENOSPC) : nil
        }
    }

    func change() -> Int32 {
        state.withLock { state in
            if state.isDead { return EIO }
            Self.count(&state)
            return state.isDead ? EIO : 0
        }
    }
}
