import CHeartwood

/// Gives files the names that they keep, and points the link to the file that is written.
///
/// Not thread-safe: owned by the engine.
final class FileNames {
    private let store: FileStore
    /// A name that a renamed file has still to lose.
    private var surplus: (name: String, identity: FileStatus.Identity)?

    init(_ store: FileStore) { self.store = store }

    private var directory: Directory { store.directory }
    private var inventory: FileInventory { store.inventory }
    private var ledger: FileLedger { store.ledger }
    private var settings: FileSettings { store.settings }

    /// Whether a renamed file has still to lose its old name.
    var hasSurplusName: Bool { surplus != nil }

    // MARK: Names that files keep

    /// Gives the open file the name and label that it keeps, where it has the fixed active name or one that
    /// is far ahead of the clock.
    func giveFinalName(_ file: FileWriter, _ now: LogTimestamp) throws {
        let (old, label) = (file.name, file.label)
        let isActive = old == settings.naming.activeName
        if isActive { store.follow() }
        correctNames(now)
        // Others who write to the same file look for it under its name; and it stays after those before it
        // that others keep from being renamed.
        let mustCorrect =
            !file.isShared && isAhead(label, now)
            && !inventory.entries.contains { $0.label < label && isAhead($0.label, now) }
        guard mustCorrect || isActive else { return }
        // Others may have put another file in its place.
        guard try directory.status(old)?.identity == file.identity else {
            throw SystemFailure(.rename, ENOENT)
        }
        let final = mustCorrect ? correctLabel(label, now) : label
        (file.name, file.label) = try isActive ? renameFinal(old, final) : rename(old, .plain, to: final)
        inventory.rename(old, to: file.name, label: file.label)
        if isActive, file.label != label { ledger.forgetActive(label) }
    }

    /// Gives a file the first name that is free, from its label on.
    ///
    /// Where there are files with later labels, the first is tried with the number of this process as well:
    /// the next numbers are taken by those files, or would be after them.
    private func renameFinal(_ old: String, _ first: LogFileLabel) throws(SystemFailure) -> (
        String, LogFileLabel
    ) {
        var labels = [first]
        if first.process == nil, inventory.newest.map({ first < $0 }) ?? false {
            var own = first
            own.process = directory.calls.process
            if settings.naming.recognize(settings.naming.name(for: own)) != nil { labels.append(own) }
        }
        var counted = first
        for attempt in 0..<10_000 {
            if attempt >= labels.count { counted.count() }
            let label = attempt < labels.count ? labels[attempt] : counted
            let name = settings.naming.name(for: label)
            guard LogFileNaming.isUsable(name) else { throw SystemFailure.refused(.badName) }
            if try isTaken(name) { continue }
            do throws(SystemFailure) {
                let identity = try directory.status(old)?.identity
                if try !directory.rename(old, to: name), let identity { surplus = (old, identity) }
                return (name, label)
            } catch { guard error.isError(EEXIST) else { throw error } }
        }
        throw SystemFailure(.rename, EEXIST)
    }

    /// Whether a log, or the archive of one, has a name.
    private func isTaken(_ log: String) throws(SystemFailure) -> Bool {
        for stage in ArchiveStage.allCases where try directory.status(log + stage.rawValue) != nil {
            return true
        }
        return false
    }

    /// The name and label of a finished file that an earlier run left; one with the fixed active name gets
    /// its own.
    private func finishedName(_ entry: FileInventory.Entry) -> (String, LogFileLabel) {
        guard entry.name == settings.naming.activeName,
            let (name, label) = try? renameFinal(entry.name, entry.label)
        else { return (entry.name, entry.label) }
        inventory.rename(entry.name, to: name, label: label)
        if label != entry.label { ledger.forgetActive(entry.label) }
        return (name, label)
    }

    /// Notes that a file which an earlier run left is finished; one with the fixed active name gets its own
    /// name.
    func finishFound(_ entry: FileInventory.Entry) { tellFinished(finishedName(entry)) }

    private func tellFinished(_ found: (name: String, label: LogFileLabel)) {
        store.noteFinished(found.name, found.label)
        store.report(.foundFinished(name: found.name))
    }

    /// Gives a file that cannot be continued the name that it keeps; false where that is not possible now.
    func putAside(_ active: String) -> Bool {
        guard let entry = inventory.entries.last(where: { $0.name == active }) else { return false }
        let found = finishedName(entry)
        guard found.0 != active, !hasSurplusName else { return false }
        tellFinished(found)
        return true
    }

    /// Removes the old name that a file kept when it was renamed; until that is done, no file is created
    /// under it.
    func removeSurplusName() throws {
        guard let (name, identity) = surplus else { return }
        // By now it may be the name of another file.
        if let status = try directory.status(name), status.identity == identity, status.links > 1 {
            try directory.remove(name)
            store.refresh()
        }
        surplus = nil
    }

    // MARK: Names of a clock that was wrong

    /// A clock that shows an earlier time, that of the first version, is not set: it tells nothing of names.
    private static let earliestClock = LogTimestamp(nanoseconds: 1_767_225_600_000_000_000)

    /// Whether a label is more than a year ahead of the clock, as one that a wrong clock has given.
    private func isAhead(_ label: LogFileLabel, _ now: LogTimestamp) -> Bool {
        guard let createdAt = label.createdAt, createdAt > now + .seconds(366 * 86_400) else { return false }
        // Whoever makes labels or names of his own may mean them.
        let isUsual = settings.naming.isStandard && settings.filePolicy.isStandard
        return isUsual && now >= FileNames.earliestClock
    }

    /// The label of now, after all that are not ahead of the clock.
    private func correctLabel(_ label: LogFileLabel, _ now: LogTimestamp) -> LogFileLabel {
        let newest = inventory.entries.last { !isAhead($0.label, now) }?.label
        var correct = settings.naming.next(at: now, after: newest, process: label.process)
        correct.variant = label.variant
        return correct
    }

    /// Gives files whose names are more than a year ahead of the clock names of now, in the same order.
    ///
    /// No name may sort before one that is there, so a clock that was wrong once would date all names that
    /// come after. What others write to or work on keeps its name, and so do those after it.
    func correctNames(_ now: LogTimestamp) {
        guard let newest = inventory.newest, isAhead(newest, now) else { return }
        let isLocked = ledger.lock.acquire()
        defer { ledger.lock.release() }
        guard isLocked else { return }
        for entry in inventory.entries where isAhead(entry.label, now) && !entry.isUnfinished {
            let isActive = entry.name == settings.naming.activeName
            guard !isActive, !entry.isForeign, !entry.isProtected,
                let file = try? directory.hold(entry.name)
            else { return }
            defer { store.calls.unlock(file.number) }
            do {
                let (name, label) = try rename(entry.name, entry.stage, to: correctLabel(entry.label, now))
                inventory.rename(entry.name, to: name, label: label)
                store.report(
                    .advice(
                        "The name of “\(entry.name)” is more than a year ahead of the clock, so the file was"
                            + " renamed to “\(name)”"))
            } catch {
                return store.report(error, name: entry.name)
            }
        }
    }

    /// Gives a file the first name that is free, from a label on; it has one name at each moment.
    private func rename(
        _ old: String, _ stage: ArchiveStage, to first: LogFileLabel
    ) throws -> (String, LogFileLabel) {
        var label = first
        for _ in 0..<10_000 {
            let log = settings.naming.name(for: label)
            let name = log + stage.rawValue
            guard LogFileNaming.isUsable(log) else { throw SystemFailure.refused(.badName) }
            if try isTaken(log) {
                label.count()
                continue
            }
            try directory.replace(name, with: old)
            ledger.note(renamed: old, to: name)
            return (name, label)
        }
        throw SystemFailure(.rename, EEXIST)
    }

    // MARK: The link

    /// Points the symbolic link to the file that is written.
    func updateLink(_ name: String) {
        guard let link = settings.currentLink, link != name else { return }
        do { try directory.pointLink(link, to: name) } catch { store.report(error, name: link) }
    }
}
