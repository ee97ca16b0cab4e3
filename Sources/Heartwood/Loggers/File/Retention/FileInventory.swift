/// The log files of a directory: which there are, in the order they were created, and how much they take.
///
/// Kept in memory, and compared with the directory when a file is created, so that no write looks there.
///
/// 1. Only files that the naming surely made are in it, in whatever stage.
/// 2. `entries` are ordered, oldest first. `total` is the sum of all sizes, unfinished archives included.
///
/// Every member may be used from any thread; none runs user code but the naming, and that not under the lock.
final class FileInventory: Sendable {
    struct Entry: Sendable, Hashable {
        var name: String
        var label: LogFileLabel
        var stage = ArchiveStage.plain
        var size: Int
        var modified: LogTimestamp
        /// Never written again: an archive, or a log that has lost its write permission.
        var isFinished = false
        /// Written or worked on by this logger.
        var isProtected = false
        /// An archive that is not finished yet; belongs to a log that is in the list as well.
        var isUnfinished = false
        /// Of another user, or unreadable; it is neither counted nor touched, and only its name matters.
        var isForeign = false
        /// Its status could not be read.
        var isUnreadable = false
        fileprivate var isCounted: Bool { !isForeign && !isUnfinished }
    }

    private struct State {
        var entries: [Entry] = []
        /// Of all entries, so that a new one is known to be new without a look at the others.
        var names: Set<String> = []
        /// The sum of the sizes that count, and how many files do.
        var sum = 0
        var files = 0
        /// Room that is set aside for archives that are being made, by the names they have meanwhile.
        var reservations: [String: Int] = [:]
        /// Counts the files that came and went, so that a list that was read meanwhile is known to be old.
        var version = 0
        /// Names that are ours, of what cannot be used, and why.
        var refused: [(name: String, reason: SystemFailure)] = []

        /// Adjusts the sums to an entry that comes (1) or goes (-1).
        mutating func count(_ entry: Entry, _ sign: Int) {
            if !entry.isForeign { sum += sign * entry.size }
            if entry.isCounted { files += sign }
        }

        mutating func forget(_ entry: Entry) {
            names.remove(entry.name)
            count(entry, -1)
        }

        /// Changes an entry; returns whether there is one of that name.
        mutating func update(_ name: String, _ change: (inout Entry) -> Void) -> Bool {
            guard let index = entries.lastIndex(where: { $0.name == name }) else { return false }
            count(entries[index], -1)
            change(&entries[index])
            count(entries[index], 1)
            return true
        }

        var total: Int {
            reservations.reduce(sum) { total, reserved in
                let size = entries.last { $0.name == reserved.key }?.size ?? 0
                return total + max(0, reserved.value - size)
            }
        }
    }

    /// The attribute of a file with the fixed active name that has the name which it gets.
    static let nameAttribute = "heartwood.name"
    /// The attribute of a file that the archive processor has dealt with.
    static let processedAttribute = "heartwood.processed"

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    var count: Int { state.withLock { $0.entries.count } }
    var entries: [Entry] { state.withLock { $0.entries } }
    var total: Int { state.withLock { $0.total } }
    /// The oldest file that may be removed.
    var oldest: Entry? { state.withLock { $0.entries.first { !$0.isProtected && $0.isCounted } } }
    var newest: LogFileLabel? { state.withLock { $0.entries.last?.label } }
    /// The names of the logs of which there is a complete archive of this user.
    var archivedLogs: Set<String> {
        Set(
            entries.lazy.filter { $0.stage != .plain && $0.isCounted }
                .map { ArchiveStage.split($0.name).log })
    }
    /// What a reader is shown, oldest first: of a log and its complete archive, only that.
    ///
    /// An archiver at work has both for a moment, and a crash may leave them.
    var readable: [Entry] {
        let archived = archivedLogs
        return entries.filter {
            !$0.isUnfinished && !$0.isUnreadable && ($0.stage != .plain || !archived.contains($0.name))
        }
    }
    /// What had names of this naming when the directory was last read, and cannot be used: symbolic links,
    /// pipes, files of others.
    var refused: [(name: String, reason: SystemFailure)] { state.withLock { $0.refused } }

    /// Reads the directory, with one call per file of ours; what is protected stays so.
    func refresh(
        _ directory: Directory, _ naming: LogFileNaming, _ filePolicy: LogFilePolicy = LogFilePolicy()
    ) throws {
        for _ in 0..<3 {
            let version = state.withLock { $0.version }
            let (entries, refused) = try FileInventory.read(directory, naming, filePolicy)
            let isCurrent = state.withLock { state in
                guard state.version == version else { return false }
                let protected = Set(state.entries.lazy.filter(\.isProtected).map(\.name))
                // Where files have no permissions, only this run knows what it has finished.
                let finished = Set(
                    directory.missing.contains(.modes)
                        ? state.entries.lazy.filter(\.isFinished).map(\.name) : [])
                (state.entries, state.refused) = (entries, refused)
                state.names = Set(entries.lazy.map(\.name))
                for index in entries.indices where protected.contains(entries[index].name) {
                    state.entries[index].isProtected = true
                }
                for index in entries.indices where finished.contains(entries[index].name) {
                    state.entries[index].isFinished = true
                }
                (state.sum, state.files) = (0, 0)
                entries.forEach { state.count($0, 1) }
                return true
            }
            if isCurrent { return }
        }
    }

    private static func read(
        _ directory: Directory, _ naming: LogFileNaming, _ filePolicy: LogFilePolicy
    ) throws -> (entries: [Entry], refused: [(name: String, reason: SystemFailure)]) {
        var entries: [Entry] = []
        var refused: [(name: String, reason: SystemFailure)] = []
        var active: Entry?
        typealias Known = (label: LogFileLabel, stage: ArchiveStage, isUnfinished: Bool)
        let files = try directory.files { name -> Known? in
            let (log, stage, isUnfinished) = ArchiveStage.split(name)
            if let label = naming.recognize(log) {
                return filePolicy.owns(log, label: label) ? (label, stage, isUnfinished) : nil
            }
            return name == naming.activeName ? (LogFileLabel(createdAt: nil), stage, isUnfinished) : nil
        }
        for (name, known, status) in files {
            var entry = Entry(
                name: name, label: known.label, stage: known.stage, size: 0,
                modified: LogTimestamp(nanoseconds: 0), isFinished: known.stage != .plain,
                isUnfinished: known.isUnfinished)
            switch status {
            case .success(let status) where status.kind != .regular:
                refused.append((name, .refused(.notRegular)))
                continue
            case .success(let status):
                (entry.size, entry.modified) = (status.size, status.modified)
                entry.isForeign = status.owner != directory.calls.user
                if directory.isFinished(status) { entry.isFinished = true }
                if entry.isForeign { refused.append((name, .refused(.foreignOwner))) }
            case .failure(let error):
                refused.append((name, error))
                (entry.isForeign, entry.isUnreadable) = (true, true)
            }
            if name == naming.activeName { active = entry } else { entries.append(entry) }
        }
        if let active { entries.append(labeled(active, directory, naming, others: entries)) }
        entries.sort { ($0.label, $0.stage.rawValue, $0.name) < ($1.label, $1.stage.rawValue, $1.name) }
        finishAllButNewest(&entries, directory)
        return (entries, refused)
    }

    /// The file with the fixed active name, with the label that it says itself; else with its birth, as exact
    /// as names are, and after all others, also where names have numbers only, or the day.
    private static func labeled(
        _ entry: Entry, _ directory: Directory, _ naming: LogFileNaming, others: [Entry]
    ) -> Entry {
        var entry = entry
        let file = try? directory.open(entry.name, for: .reading, acceptsLinked: true).file
        let told = file.flatMap { directory.calls.attribute(FileInventory.nameAttribute, of: $0.number) }
        if let label = told.flatMap({ naming.recognize(String(decoding: $0, as: UTF8.self)) }) {
            entry.label = label
            return entry
        }
        let birth = file.flatMap { directory.calls.birth($0.number) } ?? entry.modified
        entry.label.createdAt = min(birth, entry.modified)
        entry.label = naming.recognize(naming.name(for: entry.label)) ?? entry.label
        let hasDate = entry.label.createdAt != nil
        let alike = others.lazy.map(\.label).filter { ($0.createdAt != nil) == hasDate }
        let newest = alike.max() ?? LogFileLabel(createdAt: nil, number: 0)
        if !hasDate || entry.label <= newest {
            entry.label = LogFileLabel(createdAt: newest.createdAt, number: newest.number)
            entry.label.count()
        }
        return entry
    }

    /// Where files have no permissions, the newest alone may be continued.
    private static func finishAllButNewest(_ entries: inout [Entry], _ directory: Directory) {
        guard directory.missing.contains(.modes),
            let newest = entries.lastIndex(where: { !$0.isUnfinished && !$0.isForeign })
        else { return }
        for index in entries.indices where index < newest { entries[index].isFinished = true }
    }

    // MARK: Changes

    /// Adds a file, or replaces what is known of it.
    func insert(_ entry: Entry) {
        state.withLock { state in
            if state.names.contains(entry.name), state.update(entry.name, { $0 = entry }) { return }
            let index = state.entries.lastIndex { $0.label <= entry.label }.map { $0 + 1 } ?? 0
            state.entries.insert(entry, at: index)
            state.names.insert(entry.name)
            state.count(entry, 1)
            state.version += 1
        }
    }

    func resize(_ name: String, to size: Int) { update(name) { $0.size = size } }
    func modify(_ name: String, at moment: LogTimestamp) { update(name) { $0.modified = moment } }
    func protect(_ name: String, _ isProtected: Bool) { update(name) { $0.isProtected = isProtected } }
    func finish(_ name: String) { update(name) { $0.isFinished = true } }

    /// Protects a file unless it is protected already; for whoever is about to work on it.
    func claim(_ name: String) -> Bool {
        var isClaimed = false
        update(name) {
            isClaimed = !$0.isProtected
            $0.isProtected = true
        }
        return isClaimed
    }

    private func update(_ name: String, _ change: (inout Entry) -> Void) {
        state.withLock { _ = $0.update(name, change) }
    }

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
                state.entries.filter { names.contains($0.name) }.forEach { state.forget($0) }
                state.entries.removeAll { names.contains($0.name) }
            }
            state.version += 1
        }
    }

    func remove(_ name: String) { remove([name]) }

    func rename(_ name: String, to new: String, stage: ArchiveStage? = nil, label: LogFileLabel? = nil) {
        guard var entry = entries.last(where: { $0.name == name }) else { return }
        remove(name)
        (entry.name, entry.stage, entry.label) = (new, stage ?? entry.stage, label ?? entry.label)
        if entry.stage != .plain { entry.isFinished = true }
        insert(entry)
    }

    /// The room that is set aside for an archive that is being made.
    func reserved(_ name: String) -> Int { state.withLock { $0.reservations[name] ?? 0 } }

    /// Sets so much room aside instead; 0 gives it back.
    func reserve(_ name: String, _ bytes: Int) {
        state.withLock { $0.reservations[name] = bytes == 0 ? nil : bytes }
    }

    /// The files that a plan removes, in the order in which they go; the oldest first without `order`.
    ///
    /// `held` are the names of files that must stay. What `order` leaves out goes after the others.
    func removals(
        _ plan: RetentionPlan, now: LogTimestamp?, incoming: Int = 0, incomingFiles: Int = 0,
        held: Set<String> = [], order: (([Entry]) -> [String])? = nil
    ) -> [Entry] {
        let (entries, total, count) = state.withLock {
            ($0.entries, $0.total + incoming, $0.files + incomingFiles)
        }
        // What is set aside for an unfinished archive is no file of its own, but the total has it.
        let files = entries.lazy.filter { $0.isCounted && !$0.isProtected && !held.contains($0.name) }
        guard let order, plan.isExceeded(count: count, total: total, now: now) else {
            return plan.removals(from: files, count: count, total: total, now: now)
        }
        var rest = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let names = order(Array(files)) + files.map(\.name)
        let ordered = names.compactMap { rest.removeValue(forKey: $0) }
        return plan.removals(from: ordered, count: count, total: total, now: now)
    }
}

extension LogFileInfo {
    /// Describes an entry of a directory; `opens` a file whose name does not say whether it is encrypted.
    init(
        _ entry: FileInventory.Entry, _ directory: Directory, active: String? = nil,
        isFinished: Bool = false, opens: Bool = false
    ) {
        let isPlain = entry.stage == .plain
        self.init(
            name: entry.name, path: directory.path + "/" + entry.name, createdAt: entry.label.createdAt,
            number: entry.label.number, modified: entry.modified, size: ByteCount(entry.size),
            isActive: entry.name == active, isCompressed: !isPlain,
            isEncrypted: entry.stage == .encrypted || isPlain && opens && directory.isFramed(entry.name),
            isArchived: !isPlain || isFinished && entry.name != active)
    }

    /// Lists the files of a naming, the oldest first, without asking a logger, so which is being written is
    /// not known.
    ///
    /// - Throws: ``LogError`` where the directory cannot be read.
    package static func list(
        _ directory: Directory, of naming: LogFileNaming, opens: Bool
    ) throws -> [LogFileInfo] {
        let inventory = FileInventory()
        try reading(directory) { try inventory.refresh(directory, naming) }
        return inventory.readable.map { LogFileInfo($0, directory, opens: opens) }
    }

    /// Lists the log files of a directory that `label` knows, of any program, in the order of the labels.
    ///
    /// `label` is asked with a name without the end of an archive, and when the file was last written.
    ///
    /// - Throws: ``LogError`` where the directory cannot be read.
    package static func list(
        _ directory: Directory, opens: Bool, isLog: (String) -> Bool,
        label: (String, LogTimestamp) -> LogFileLabel
    ) throws -> [LogFileInfo] {
        let inventory = FileInventory()
        try reading(directory) {
            for entry in try anyEntries(directory, isLog, label) { inventory.insert(entry) }
        }
        return inventory.readable.map { LogFileInfo($0, directory, opens: opens) }
    }

    static func reading(_ directory: Directory, _ body: () throws -> Void) throws {
        do { try body() } catch {
            let cause = (error as? SystemFailure)?.number
            throw LogError(.file, "Cannot read the log directory", place: directory.path, cause: cause)
        }
    }

    private static func anyEntries(
        _ directory: Directory, _ isLog: (String) -> Bool, _ label: (String, LogTimestamp) -> LogFileLabel
    ) throws -> [FileInventory.Entry] {
        let files = try directory.files { name -> (log: String, stage: ArchiveStage)? in
            let (log, stage, isUnfinished) = ArchiveStage.split(name)
            return isLog(log) && !log.hasPrefix(".") && !isUnfinished ? (log, stage) : nil
        }
        // A link to a file of another directory counts as a file, as in /var/log/containers.
        var targets = Set(files.compactMap { try? $0.status.get().identity })
        // Files of the same time go by their names, whatever the order in which the directory lists them.
        return files.sorted { $0.name < $1.name }.compactMap { name, known, status in
            guard var status = try? status.get() else { return nil }
            if status.kind == .symbolicLink,
                let target = try? directory.calls.target(directory.path + "/" + name),
                targets.insert(target.identity).inserted
            {
                status = target
            }
            guard status.kind == .regular else { return nil }
            return FileInventory.Entry(
                name: name, label: label(known.log, status.modified), stage: known.stage, size: status.size,
                modified: status.modified)
        }
    }
}
