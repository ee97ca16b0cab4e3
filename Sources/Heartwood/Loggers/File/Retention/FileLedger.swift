import CHeartwood

/// What the loggers of a directory know together: which files are finished, and what others have changed.
///
/// 1. A file is finished only when one of its writers, or whoever found it without one or shared with others,
///    said so of this very file.
///    Finishing a newer file finishes no older one.
/// 2. All changes are made under the directory's lock, to what is on the disk at that moment.
///
/// Not thread-safe: owned by the engine.
final class FileLedger {
    let lock: DirectoryLock
    /// Called with the name of a file that cannot be used, and why.
    var report: (_ name: String, any Error) -> Void = { _, _ in }
    var naming: LogFileNaming
    private let directory: Directory
    private let inventory: FileInventory
    private var file: CatalogueFile
    private(set) var catalogue = FileCatalogue()
    /// Files that were finished, which the other processes cannot see yet.
    private var claims: [String: LogFileLabel] = [:]
    private var seen: [Int]?

    init(_ directory: Directory, _ inventory: FileInventory, _ naming: LogFileNaming) {
        (self.directory, self.inventory, self.naming) = (directory, inventory, naming)
        lock = DirectoryLock(directory, name: ".\(naming.application).lock")
        file = CatalogueFile(directory, application: naming.application, lock: lock) { _, _ in }
        lock.report = { [unowned self] in report($0, $1) }
    }

    /// Whether it is known what is finished: the catalogue was read, or does not exist.
    var isKnown: Bool { file.isKnown }

    /// Reads the catalogue; the first time, that of the naming in effect.
    func load(isFirst: Bool = false) {
        if isFirst {
            file = CatalogueFile(directory, application: naming.application, lock: lock) {
                [unowned self] in report($0, $1)
            }
        }
        catalogue = file.load()
    }

    /// Whether all that was noted is on the disk, where the other processes see it.
    var isSaved: Bool { !file.hasUnsaved }

    func saveChanges() {
        guard file.hasUnsaved else { return }
        _ = lock.acquire()
        defer { lock.release() }
        let hadChanges = hasChanges
        let mayStore = checkClaims() && lock.countUp()
        catalogue = file.update(mayStore: mayStore) { _ in }
        if !file.hasUnsaved { claims = [:] }
        if !hadChanges { noteSeen() }
    }

    /// Leaves to others the files that they have continued before they could see that these are finished.
    ///
    /// Returns whether all could be looked at; nothing is stored until then.
    private func checkClaims() -> Bool {
        guard !claims.isEmpty else { return true }
        _ = file.load()
        // In the same order each time.
        for (name, label) in claims.sorted(by: { $0.key < $1.key }) {
            do throws(SystemFailure) {
                if let held = try directory.hold(name) {
                    directory.calls.unlock(held.number)
                    continue
                }
                // Whoever has found it finished may be archiving it.
                if !file.isSeenFinished(name, label) { file.keepOpen(name) }
            } catch {
                if error.isShortage { return false }
                if error.isError(ENOENT) { file.forget(name) } else { file.keepOpen(name) }
            }
            claims[name] = nil
        }
        return true
    }

    /// Whether another process or logger may have created or finished a file since ``noteSeen()``.
    var hasChanges: Bool {
        guard let seen, let now = lock.generation else { return true }
        return seen != now
    }

    func noteSeen() { seen = lock.generation }

    func isFinished(_ entry: FileInventory.Entry) -> Bool {
        if entry.stage != .plain { return true }
        guard entry.name != naming.activeName else { return false }
        return catalogue.isFinished(entry.name, entry.label)
    }

    /// The label after which the next one comes: that of the newest file, there, active or finished.
    ///
    /// A date in the future that no file has any more was a wrong clock's, and is forgotten.
    func newest(at now: LogTimestamp) -> LogFileLabel? {
        var newest = inventory.newest
        // Its writer need not have noticed yet that others have removed it.
        if let active = catalogue.active, active.createdAt.map({ $0 <= now }) ?? true {
            newest = max(newest ?? active, active)
        }
        guard let finished = catalogue.finished else { return newest }
        if let newest, newest >= finished { return newest }
        guard let createdAt = finished.createdAt, createdAt > now else { return finished }
        let entries = inventory.entries
        catalogue = file.update { catalogue in
            let known = catalogue
            catalogue.finished =
                entries.last { $0.stage == .plain && known.isFinished($0.name, $0.label) }?.label
        }
        return newest
    }

    /// Notes that a file was created, and that another one, if given, is never written to again.
    ///
    /// The others are told first, so that a death in between hides nothing; they look once the lock is free.
    /// What they have changed before must be known already.
    func note(opened: (name: String, label: LogFileLabel)?, finished: [(name: String, label: LogFileLabel)]) {
        let entries = inventory.entries
        let isNew = catalogue.finished == nil && file.isKnown
        _ = lock.acquire()
        defer { lock.release() }
        let mayStore = checkClaims() && lock.countUp()
        catalogue = file.update(opening: opened?.name, mayStore: mayStore) { catalogue in
            if let opened {
                if opened.name == naming.activeName { catalogue.active = opened.label }
                catalogue.open.insert(opened.name)
            }
            for file in finished { finish(file, among: entries, isNew: isNew, &catalogue) }
            prune(&catalogue)
        }
        if file.hasUnsaved { for (name, label) in finished { claims[name] = label } } else { claims = [:] }
        noteSeen()
    }

    private func finish(
        _ file: (name: String, label: LogFileLabel), among entries: [FileInventory.Entry], isNew: Bool,
        _ catalogue: inout FileCatalogue
    ) {
        let (name, label) = file
        // The mark passes over files that are not finished by this.
        for entry in entries.reversed() where entry.name != name && entry.label <= label {
            if let mark = catalogue.finished, entry.label <= mark { break }
            guard entry.stage == .plain, !entry.isUnfinished, entry.name != naming.activeName
            else { continue }
            // Without a catalogue, only the lock tells.
            if isNew, directory.isFree(entry.name) { continue }
            catalogue.open.insert(entry.name)
        }
        catalogue.open.remove(name)
        catalogue.finished = max(catalogue.finished ?? label, label)
        catalogue.forgetActive(label)
    }

    /// Forgets files that are gone; seldom, because it costs a look at all names.
    private func prune(_ catalogue: inout FileCatalogue) {
        guard catalogue.processed.count > 32, catalogue.processed.count > 2 * inventory.count else { return }
        let there = Set(inventory.entries.map(\.name))
        catalogue.processed = catalogue.processed.filter(there.contains)
    }

    /// Notes where an active file that cannot be used belongs among the files, if that is not known.
    func keepActive(_ label: LogFileLabel) {
        guard catalogue.active == nil else { return }
        catalogue = file.update { if $0.active == nil { $0.active = label } }
    }

    /// A file got another name: what is known of the one holds for the other.
    func note(renamed old: String, to new: String) {
        catalogue = file.update { catalogue in
            if catalogue.open.contains(old) { catalogue.open.insert(new) }
            if catalogue.processed.contains(old) { catalogue.processed.append(new) }
        }
    }

    func forgetActive(_ label: LogFileLabel) { catalogue = file.update { $0.forgetActive(label) } }
}
