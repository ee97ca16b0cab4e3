import Foundation

/// What was logged in a world, and how far that is: what must hold of the messages is seen from this.
struct SimulatedMessages {
    /// Messages that belong together and are stored whole or not at all.
    private struct Group {
        var numbers: Range<Int>
        /// Whether it is known that they were not stored: not where the process has died meanwhile, or where a failed
        /// call has left a whole group that another failed call keeps from being taken away.
        var isKnown: Bool
    }

    private(set) var logged = 0
    /// Messages that are in memory only, as far as is known.
    private var unsaved: Set<Int> = []
    /// Messages that were in the files at some time: these must not be lost.
    private(set) var saved: Set<Int> = []
    private var failedGroups: [Group] = []

    /// The number of the next message.
    mutating func next() -> Int {
        defer { logged += 1 }
        return logged
    }

    mutating func store(_ number: Int) { unsaved.insert(number) }

    /// A group was stored, or was not.
    mutating func group(_ numbers: Range<Int>, isStored: Bool, isKnown: Bool) {
        if isStored {
            saved.formUnion(numbers)
        } else {
            failedGroups.append(Group(numbers: numbers, isKnown: isKnown))
        }
    }

    /// Nothing is in memory only.
    mutating func allSaved() {
        guard !unsaved.isEmpty else { return }
        saved.formUnion(unsaved)
        unsaved = []
    }

    /// The process has ended: what was in memory only may be lost.
    mutating func forgetUnsaved() { unsaved = [] }

    /// What is wrong when these have arrived somewhere at last.
    func wrong(_ arrived: Set<Int>) -> String? {
        for group in failedGroups {
            let count = group.numbers.reduce(0) { $0 + (arrived.contains($1) ? 1 : 0) }
            if count > 0, group.isKnown {
                return "a group that could not be stored was sent: \(group.numbers)"
            }
            if count > 0, count < group.numbers.count {
                return "a part of a group was sent: \(group.numbers)"
            }
        }
        return nil
    }
}
