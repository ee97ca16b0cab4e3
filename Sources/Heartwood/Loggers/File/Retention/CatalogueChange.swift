/// The difference between two states of a catalogue, to be made to a third one that others have changed
/// meanwhile.
///
/// Pure. 1. Applied to the state it was taken from, it gives the other one. 2. What others have added stays.
struct CatalogueChange: Equatable {
    private var finished: LogFileLabel?
    private var resetsFinished = false
    private var active: LogFileLabel??
    private var opened: Set<String> = []
    private var closed: Set<String> = []
    private var processed: [String] = []
    private var forgotten: Set<String> = []

    /// Makes a change of nothing.
    init() {}

    /// Makes the change that leads from one state to another.
    init(from before: FileCatalogue, to after: FileCatalogue) {
        if before.finished != after.finished {
            finished = after.finished
            resetsFinished = before.finished.map { old in after.finished.map { $0 < old } ?? true } ?? false
        }
        if before.active != after.active { active = .some(after.active) }
        opened = after.open.subtracting(before.open)
        closed = before.open.subtracting(after.open)
        let (old, new) = (Set(before.processed), Set(after.processed))
        processed = after.processed.filter { !old.contains($0) }
        forgotten = old.subtracting(new)
    }

    /// Whether there is nothing to do.
    var isEmpty: Bool {
        finished == nil && !resetsFinished && active == nil && opened.isEmpty && closed.isEmpty
            && processed.isEmpty && forgotten.isEmpty
    }

    /// Adds a later change.
    mutating func add(_ later: CatalogueChange) {
        if later.resetsFinished {
            finished = later.finished
            resetsFinished = true
        } else if let mark = later.finished {
            finished = finished.map { max($0, mark) } ?? mark
        }
        if let mark = later.active { active = .some(mark) }
        opened = opened.subtracting(later.closed).union(later.opened)
        closed = closed.subtracting(later.opened).union(later.closed)
        processed = processed.filter { !later.forgotten.contains($0) } + later.processed
        forgotten = forgotten.subtracting(later.processed).union(later.forgotten)
    }

    /// Adds that a file is written.
    mutating func open(_ name: String) {
        closed.remove(name)
        opened.insert(name)
    }

    /// Takes back that a file is finished: it is gone, and its name may be a new file's by now.
    mutating func forget(_ name: String) { closed.remove(name) }

    /// Makes the change.
    func apply(to catalogue: inout FileCatalogue) {
        if resetsFinished {
            catalogue.finished = finished
        } else if let mark = finished {
            catalogue.finished = catalogue.finished.map { max($0, mark) } ?? mark
        }
        if let active { catalogue.active = active }
        catalogue.open = catalogue.open.union(opened).subtracting(closed)
        if !processed.isEmpty || !forgotten.isEmpty {
            let replaced = forgotten.union(processed)
            catalogue.processed = catalogue.processed.filter { !replaced.contains($0) } + processed
        }
    }
}
