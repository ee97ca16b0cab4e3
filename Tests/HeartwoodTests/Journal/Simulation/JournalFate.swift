import CHeartwood
import Foundation

@testable import Heartwood

/// What the calls of the system do in one run of a program, and when it dies.
///
/// A death is a copy of the journals at that moment; from then on no call of the dead run changes a file.
final class JournalFate: Sendable {
    private struct State {
        var isFull = false
        /// After how many writes that fail the full disk has room again; nil, not by itself.
        var writesUntilRoom: Int?
        var isDead = false
        /// How many calls are made before the death; nil, it is not one of them.
        var calls: Int?
        /// How many bytes the last write has.
        var part: Int?
    }

    private let state = Locked(State())
    private let journal: String
    private let next: String

    /// `journal` is copied to `next` at the death.
    init(journal: String = "", next: String = "") {
        (self.journal, self.next) = (journal, next)
    }

    var isDead: Bool { state.withLock { $0.isDead } }
    var isFull: Bool { state.withLock { $0.isFull } }

    /// Has the process die after some calls, and its last write, if it is one, have so many bytes.
    func die(after calls: Int, part: Int?) { state.withLock { ($0.calls, $0.part) = (calls, part) } }

    /// Fills the disk, or makes room on it.
    func fill(_ isFull: Bool, until writes: Int? = nil) {
        state.withLock { ($0.isFull, $0.writesUntilRoom) = (isFull, writes) }
    }

    /// What happens at a call.
    func decide(_ call: SystemCall) -> SystemCalls.Fault? {
        state.withLock { state in
            if state.isDead { return [.lock, .close, .status].contains(call) ? nil : .fails(EIO) }
            let counts: [SystemCall] = [.write, .open, .rename, .link, .unlink, .truncate]
            if counts.contains(call), let calls = state.calls {
                state.calls = calls - 1
                if calls <= 0 {
                    if call == .write, !state.isFull, let part = state.part {
                        // So much is written; the process dies before the next call.
                        state.part = nil
                        return .short(part)
                    }
                    die(&state)
                    return .fails(EIO)
                }
            }
            guard state.isFull, call == .write else { return nil }
            if let writes = state.writesUntilRoom {
                state.writesUntilRoom = writes - 1
                if writes <= 0 { (state.isFull, state.writesUntilRoom) = (false, nil) }
            }
            return .fails(ENOSPC)
        }
    }

    func die() { state.withLock { if !$0.isDead { die(&$0) } } }

    private func die(_ state: inout State) {
        state.isDead = true
        JournalCopy.make(of: journal, in: next)
    }
}
