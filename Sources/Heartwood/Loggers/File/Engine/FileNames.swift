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
    private var settings: FileSettings { store.settings }

    /// Whether a renamed file has still to lose its old name.
    var hasSurplusName: Bool { surplus != nil }

    // MARK: Names that files keep

    /// Gives the open file the name and label that it keeps, where it has the fixed active name.
    func giveFinalName(_ file: FileWriter) throws {
        let (old, label) = (file.name, file.label)
        guard old == settings.naming.activeName else { return }
        store.follow()
        // Others may have put another file in its place.
        guard try directory.status(old)?.identity == file.identity else {
            throw SystemFailure(.rename, ENOENT)
        }
        (file.name, file.label) = try renameFinal(old, label)
        inventory.rename(old, to: file.name, label: file.label)
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
            let identity = try directory.status(old)?.identity
            if let identity, try directory.status(name)?.identity == identity {
                // A process linked it, and died before it removed the old name.
                try directory.remove(old)
                return (name, label)
            }
            if try isTaken(name) { continue }
            do throws(SystemFailure) {
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

    /// Finishes a file that an earlier run left, whose lock is held; one with the fixed active name gets its
    /// own name, and is not finished where that fails.
    ///
    /// Returns whether its name is free, where it had the fixed one.
    @discardableResult
    func finishFound(_ entry: FileInventory.Entry, _ file: Descriptor) -> Bool {
        var name = entry.name
        if name == settings.naming.activeName {
            guard let final = try? renameFinal(name, entry.label) else { return false }
            inventory.rename(name, to: final.0, label: final.1)
            name = final.0
        }
        let isNewest = inventory.entries.last?.name == name
        // Where files cannot be marked, an earlier run has reported all but the newest.
        if store.finish(file, name) || isNewest { store.report(.foundFinished(name: name)) }
        return !hasSurplusName
    }

    /// Gives a file that cannot be continued, whose lock is held, the name that it keeps; false where that is
    /// not possible now.
    func putAside(_ active: String, _ file: Descriptor) -> Bool {
        inventory.entries.last { $0.name == active }.map { finishFound($0, file) } ?? false
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

    // MARK: The link

    /// Points the symbolic link to the file that is written.
    func updateLink(_ name: String) {
        guard let link = settings.currentLink, link != name else { return }
        do { try directory.pointLink(link, to: name) } catch { store.report(error, name: link) }
    }
}
