/// Changes that were made together: they become one event, in which only the state before and after them
/// counts.
///
/// What was inserted and modified is an insertion in its final state, what was modified and deleted is a
/// deletion of what was there before, and what was inserted and deleted again is nothing. Without any change
/// there is no event.
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

    /// Changes a collection, and records what was inserted, changed and deleted in it.
    ///
    /// - Parameters:
    ///   - objects: The collection; it has its new content when the call returns.
    ///   - body: Changes it.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; the collection is what it was then, and nothing of this is recorded.
    public mutating func record<Object: EventObject, Result>(
        on objects: inout [Object], _ body: (inout [Object]) throws -> Result
    ) rethrows -> Result {
        // As values at once: objects may be instances of a class.
        let old = Swift.Result { try objects.map { try ObjectSnapshot($0) } }
        var changed = objects
        let result = try body(&changed)
        objects = changed
        step { fold in
            fold.record(old: try old.get(), new: try changed.map { try ObjectSnapshot($0) })
        }
        return result
    }

    private mutating func step(_ body: (inout ChangeFold) throws -> Void) {
        guard failure == nil else { return }
        do { try body(&fold) } catch { failure = error }
    }
}
