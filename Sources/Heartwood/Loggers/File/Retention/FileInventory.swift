/// The log files of a directory: which there are, in the order they were created, and how much they take.
///
/// Kept in memory, and compared with the directory whenever a file is created, so that a write need not look
/// there.
///
/// 1. Only files that the naming surely made are in it, in whatever stage.
/// 2. `entries` are ordered, oldest first. `total` is the sum of all sizes, unfinished archives included.
///
/// Every member may be used from any thread; none runs user code but the naming, and that not under the lock.
final class FileInventory: Sendable {
    struct Entry: Sendable, Hashable {
        /// The name on the disk.
        var name: String
        var label: LogFileLabel
        var stage: ArchiveStage
        var size: Int
        var modified: LogTimestamp
        /// Written or worked on by this logger.
        var isProtected = false
        /// An archive that is not finished yet; belongs to a log that is in the list as well.
        var isUnfinished = false
        /// Of another user; it is neither counted nor touched, and only its name matters.
        var isForeign = false

        /// The bytes that count for the limits.
        fileprivate var weight: Int { isForeign ? 0 : size }
        /// Whether it counts as a file.
        fileprivate var isCounted: Bool { !isForeign && !isUnfinished }
    }

    private struct State {
        var entries: [Entry] = []
        /// The names of all entries, so that a new one is known to be new without a look at the others.
        var names: Set<String> = []
        /// The sum of the sizes that count.
        var sum = 0
        /// How many files count.
        var files = 0
        /// Room that is set aside for archives that are being made, by the names they have meanwhile.
        var reservations: [String: Int] = [:]
        /// Counts the files that came and went, so that a list that was read meanwhile is known to be old.
        var version = 0
        /// Names that are ours, of things that are no regular files.
        var refused: [String] = []

        mutating func forget(_ entry: Entry) {
            names.remove(entry.name)
            sum -= entry.weight
            if entry.isCounted { files -= 1 }
        }

        var total: Int {
            var total = sum
            for (name, bytes) in reservations {
                let size = entries.last { $0.name == name }?.size ?? 0
                total += max(0, bytes - size)
            }
            return total
        }
    }

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init() {}

    /// How many files are known.
    var count: Int { state.withLock { $0.entries.count } }

    /// The oldest file that may be removed.
    var oldest: Entry? { state.withLock { $0.entries.first { !$0.isProtected && $0.isCounted } } }

    var entries: [Entry] { state.withLock { $0.entries } }
    var total: Int { state.withLock { $0.total } }

    /// Names of this naming that symbolic links, pipes and the like have, when the directory was last read.
    var refused: [String] { state.withLock { $0.refused } }

    /// The label of the newest file.
    var newest: LogFileLabel? { state.withLock { $0.entries.last?.label } }

    // MARK: Reading the directory

    /// Reads the directory; what is protected stays so.
    ///
    /// Costs one call per file of ours.
    ///
    /// `activeLabel` says what the file with the naming's active name was created as, if that is known.
    func refresh(
        _ directory: LogDirectory, _ naming: LogFileNaming, _ scheme: LogFileScheme = LogFileScheme(),
        activeLabel: LogFileLabel?
    ) throws {
        for _ in 0..<3 {
            let version = state.withLock { $0.version }
            let (entries, refused) = try FileInventory.read(directory, naming, scheme, activeLabel)
            let isCurrent = state.withLock { state in
                guard state.version == version else { return false }
                let protected = Set(state.entries.lazy.filter(\.isProtected).map(\.name))
                state.entries = entries
                state.names = Set(entries.lazy.map(\.name))
                state.refused = refused
                for index in state.entries.indices where protected.contains(state.entries[index].name) {
                    state.entries[index].isProtected = true
                }
                state.sum = entries.reduce(0) { $0 + $1.weight }
                state.files = entries.lazy.filter(\.isCounted).count
                return true
            }
            if isCurrent { return }
        }
    }

    private static func read(
        _ directory: LogDirectory, _ naming: LogFileNaming, _ scheme: LogFileScheme,
        _ activeLabel: LogFileLabel?
    ) throws -> (entries: [Entry], refused: [String]) {
        var entries: [Entry] = []
        var refused: [String] = []
        let user = directory.calls.user
        typealias Known = (label: LogFileLabel, stage: ArchiveStage, isUnfinished: Bool)
        let files = try directory.files { name -> Known? in
            let (log, stage, isUnfinished) = ArchiveStage.split(name)
            if let label = naming.recognize(log) {
                return scheme.owns(log, label: label) ? (label, stage, isUnfinished) : nil
            }
            guard name == naming.activeName else { return nil }
            return (activeLabel ?? LogFileLabel(createdAt: nil), stage, isUnfinished)
        }
        for (name, known, status) in files {
            var label = known.label
            guard status.kind == .regular else {
                refused.append(name)
                continue
            }
            if name == naming.activeName, activeLabel == nil {
                // As exact as names are: labels of files that come later must be after it.
                label.createdAt = status.modified
                label = naming.recognize(naming.name(for: label)) ?? label
            }
            entries.append(
                Entry(
                    name: name, label: label, stage: known.stage, size: status.size,
                    modified: status.modified,
                    isUnfinished: known.isUnfinished, isForeign: status.owner != user))
        }
        // The active file is after all others, also where names have numbers only, or the day.
        if activeLabel == nil, let index = entries.firstIndex(where: { $0.name == naming.activeName }) {
            let others = entries.lazy.filter { $0.name != naming.activeName }.map(\.label)
            let hasDate = entries[index].label.createdAt != nil
            let newest =
                others.filter { ($0.createdAt != nil) == hasDate }.max()
                ?? LogFileLabel(createdAt: nil, number: 0)
            if !hasDate || entries[index].label <= newest {
                entries[index].label = LogFileLabel(createdAt: newest.createdAt, number: newest.number)
                entries[index].label.count()
            }
        }
        entries.sort { ($0.label, $0.stage.rawValue, $0.name) < ($1.label, $1.stage.rawValue, $1.name) }
        return (entries, refused)
    }

    // MARK: Changes

    /// Adds a file, or replaces what is known of it.
    func insert(_ entry: Entry) {
        state.withLock { state in
            if state.names.contains(entry.name),
                let index = state.entries.lastIndex(where: { $0.name == entry.name })
            {
                state.sum += entry.weight - state.entries[index].weight
                state.files += (entry.isCounted ? 1 : 0) - (state.entries[index].isCounted ? 1 : 0)
                state.entries[index] = entry
                return
            }
            let index = state.entries.lastIndex { $0.label <= entry.label }.map { $0 + 1 } ?? 0
            state.entries.insert(entry, at: index)
            state.names.insert(entry.name)
            state.sum += entry.weight
            if entry.isCounted { state.files += 1 }
            state.version += 1
        }
    }

    /// Notes the size of a file.
    func resize(_ name: String, to size: Int) {
        state.withLock { state in
            guard let index = state.entries.lastIndex(where: { $0.name == name }) else { return }
            let before = state.entries[index].weight
            state.entries[index].size = size
            state.sum += state.entries[index].weight - before
        }
    }

    func protect(_ name: String, _ isProtected: Bool) {
        state.withLock { state in
            guard let index = state.entries.lastIndex(where: { $0.name == name }) else { return }
            state.entries[index].isProtected = isProtected
        }
    }

    func modify(_ name: String, at moment: LogTimestamp) {
        state.withLock { state in
            guard let index = state.entries.lastIndex(where: { $0.name == name }) else { return }
            state.entries[index].modified = moment
        }
    }

    /// Takes files out of the list.
    func remove(_ names: Set<String>) {
        guard !names.isEmpty else { return }
        state.withLock { state in
            // Few are the oldest ones, mostly: found without a look at all the others.
            if names.count <= 4 {
                for name in names {
                    guard let index = state.entries.firstIndex(where: { $0.name == name }) else { continue }
                    state.forget(state.entries.remove(at: index))
                }
            } else {
                let gone = state.entries.filter { names.contains($0.name) }
                state.entries.removeAll { names.contains($0.name) }
                gone.forEach { state.forget($0) }
            }
            state.version += 1
        }
    }

    func remove(_ name: String) { remove([name]) }

    func rename(
        _ name: String, to new: String, stage: ArchiveStage? = nil, label: LogFileLabel? = nil
    ) {
        guard var entry = entries.last(where: { $0.name == name }) else { return }
        remove(name)
        entry.name = new
        if let stage { entry.stage = stage }
        if let label { entry.label = label }
        insert(entry)
    }

    /// Sets room aside for an archive that is being made; zero gives it back.
    ///
    /// Returns how much was set aside before.
    @discardableResult
    func reserve(_ name: String, _ bytes: Int) -> Int {
        state.withLock { state in
            let before = state.reservations[name] ?? 0
            state.reservations[name] = bytes == 0 ? nil : bytes
            return before
        }
    }

    // MARK: Retention

    /// Protects a file unless it is protected already; for whoever is about to work on it.
    func claim(_ name: String) -> Bool {
        state.withLock { state in
            guard let index = state.entries.lastIndex(where: { $0.name == name }) else { return false }
            guard !state.entries[index].isProtected else { return false }
            state.entries[index].isProtected = true
            return true
        }
    }

    /// The files that a plan removes, in the order in which they go: the oldest first, unless `order` says
    /// otherwise.
    ///
    /// `held` are the names of files that must stay. What `order` leaves out goes after the others.
    func removals(
        _ plan: RetentionPlan, now: LogTimestamp?, incoming: Int = 0, incomingFiles: Int = 0,
        held: Set<String> = [], order: (([Entry]) -> [String])? = nil
    ) -> [RetentionPlan.File] {
        let (entries, total, count) = state.withLock { ($0.entries, $0.total, $0.files) }
        // What is set aside for an unfinished archive is no file of its own, but it takes room: it is in the
        // total.
        let files = entries.lazy.filter(\.isCounted).map {
            RetentionPlan.File(
                name: $0.name, label: $0.label, size: $0.size, modified: $0.modified,
                isProtected: $0.isProtected || held.contains($0.name))
        }
        guard let order, plan.isExceeded(count: count + incomingFiles, total: total + incoming, now: now)
        else {
            return plan.removals(
                from: files, count: count + incomingFiles, total: total + incoming, now: now)
        }
        let removable = entries.filter { $0.isCounted && !$0.isProtected && !held.contains($0.name) }
        var rest = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var ordered: [RetentionPlan.File] = []
        for name in order(removable) + removable.map(\.name) {
            if let file = rest.removeValue(forKey: name), !file.isProtected { ordered.append(file) }
        }
        return plan.removals(
            from: ordered, count: count + incomingFiles, total: total + incoming, now: now)
    }
}

extension LogFileInfo {
    /// Lists the log files of a directory, the oldest first, without asking a logger; which of them is written
    /// at the moment is not known.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - naming: Lists the files of this naming; nil for all whose names `isLog` takes, in the order of the
    ///     dates in their names, or of their last lines.
    ///   - opens: Whether a file is opened whose name does not say if it is encrypted.
    ///   - isLog: Whether a name, without the end of an archive, is that of a log.
    /// - Returns: The files.
    /// - Throws: ``LogError`` where the directory cannot be read.
    package static func list(
        _ directory: LogDirectory, of naming: LogFileNaming?, opens: Bool, isLog: (String) -> Bool
    ) throws -> [LogFileInfo] {
        let inventory = FileInventory()
        do {
            if let naming {
                let catalogue = CatalogueFile.load(directory, application: naming.application)
                try inventory.refresh(directory, naming, activeLabel: catalogue.active)
            } else {
                for entry in try anyEntries(directory, isLog) { inventory.insert(entry) }
            }
        } catch {
            let cause = (error as? SystemFailure)?.number
            throw LogError(.file, "Cannot read the log directory", place: directory.path, cause: cause)
        }
        // A crash may have left a log and its complete archive.
        let entries = inventory.entries
        let names = Set(entries.map(\.name))
        return entries.filter { entry in
            let hasArchive = ArchiveStage.allCases.contains {
                $0 != .plain && names.contains(entry.name + $0.rawValue)
            }
            return !entry.isUnfinished && !(entry.stage == .plain && hasArchive)
        }.map { entry in
            opens
                ? LogFileInfo(entry, directory, active: nil, isFinished: false)
                : LogFileInfo(entry, directory)
        }
    }

    private static func anyEntries(
        _ directory: LogDirectory, _ isLog: (String) -> Bool
    ) throws -> [FileInventory.Entry] {
        let files = try directory.files { name -> (log: String, stage: ArchiveStage)? in
            let (log, stage, isUnfinished) = ArchiveStage.split(name)
            return isLog(log) && !log.hasPrefix(".") && !isUnfinished ? (log, stage) : nil
        }
        // Files of the same time go by their names, whatever the order in which the directory lists them.
        return files.sorted { $0.name < $1.name }.compactMap { name, known, status in
            guard status.kind == .regular else { return nil }
            let label = label(of: known.log) ?? LogFileLabel(createdAt: status.modified)
            return FileInventory.Entry(
                name: name, label: label, stage: known.stage, size: status.size, modified: status.modified)
        }
    }

    /// What a name of the default form says, whatever the application.
    private static func label(of name: String) -> LogFileLabel? {
        var index = name.startIndex
        while let blank = name[index...].firstIndex(of: " ") {
            let naming = LogFileNaming(application: String(name[..<blank]))
            if let label = naming.recognize(name) { return label }
            index = name.index(after: blank)
        }
        return nil
    }
}
