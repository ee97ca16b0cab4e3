/// Changes that were made together: they become one event, in which only the state before and after them counts.
///
/// What was inserted and modified is an insertion in its final state, what was modified and deleted is a deletion of what
/// was there before, and what was inserted and deleted again is nothing. Without any change there is no event.
public struct EventTransaction {
    var fold = ChangeFold()
    var failure: (any Error)?

    /// Records that an object was `old` and is `new`; nil before an insertion and after a deletion.
    public mutating func record<Object: EventObject>(old: Object?, new: Object?) {
        step { fold in
            fold.record(
                old: try old.map { try ObjectSnapshot($0) }, new: try new.map { try ObjectSnapshot($0) })
        }
    }

    /// Records that a collection was `old` and is `new`; objects are told apart by their `id`.
    public mutating func record<Object: EventObject>(old: [Object], new: [Object]) {
        step { fold in
            fold.record(
                old: try old.map { try ObjectSnapshot($0) }, new: try new.map { try ObjectSnapshot($0) })
        }
    }

    private mutating func step(_ body: (inout ChangeFold) throws -> Void) {
        guard failure == nil else { return }
        do { try body(&fold) } catch { failure = error }
    }
}
