import Heartwood

/// What one transaction has done to objects, folded: only the state before it and the state after it count.
///
/// | what happened | what is recorded |
/// |---|---|
/// | inserted, then modified | an insertion, in the final state |
/// | inserted, then deleted | nothing |
/// | modified, once or more | a modification: the object as it was, and the fields that are different |
/// | modified, and back | nothing |
/// | modified, then deleted | a deletion of what was there before |
/// | deleted, then inserted again | a modification, if anything is different |
struct ChangeFold: Sendable {
    /// What happened to an object.
    enum Change: Equatable, Sendable {
        case insertion(LogValue)
        case modification(old: LogValue, new: LogValue)
        case deletion(LogValue)
    }

    private var order: [ObjectSnapshot.Identity] = []
    private var states: [ObjectSnapshot.Identity: (old: ObjectSnapshot?, new: ObjectSnapshot?)] = [:]

    /// Takes a step: an object was there before and is as `new` now; nil for one that is not there.
    mutating func record(old: ObjectSnapshot?, new: ObjectSnapshot?) {
        if let old, let new, old.identity != new.identity {
            record(old: old, new: nil)
            return record(old: nil, new: new)
        }
        guard let identity = (new ?? old)?.identity else { return }
        if states[identity] == nil {
            order.append(identity)
            states[identity] = (old, new)
        } else {
            states[identity]?.new = new
        }
    }

    /// Takes two states of the same collection.
    mutating func record(old: [ObjectSnapshot], new: [ObjectSnapshot]) {
        let after = Dictionary(new.map { ($0.identity, $0) }) { $1 }
        for object in old { record(old: object, new: after[object.identity]) }
        let before = Set(old.map(\.identity))
        for object in new where !before.contains(object.identity) { record(old: nil, new: object) }
    }

    /// The outcome, in the order in which the objects were first touched.
    var changes: [(type: String, change: Change)] {
        order.compactMap { identity in
            guard let (old, new) = states[identity] else { return nil }
            switch (old, new) {
            case (nil, nil): return nil
            case (nil, let new?): return (identity.type, .insertion(new.value))
            case (let old?, nil): return (identity.type, .deletion(old.value))
            case (let old?, let new?):
                return new.changes(since: old).map {
                    (identity.type, .modification(old: old.value, new: $0))
                }
            }
        }
    }
}
