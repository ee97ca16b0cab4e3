import CHeartwood

/// The catalogue of a directory on the disk, which several processes and loggers read and replace.
///
/// Where the name is taken by what is not a file of this user, the catalogue has a name with the user's
/// number.
///
/// Not thread-safe: each engine and each archiver has one.
final class CatalogueFile {
    /// The most bytes that are read: more is no catalogue of ours.
    private static let sizeLimit = 16 << 20

    private let directory: LogDirectory
    private let base: String
    private let lock: DirectoryLock
    private let report: (_ name: String, any Error) -> Void
    /// What could not be stored yet.
    private var unsaved = CatalogueChange() {
        didSet { hasUnsaved = !unsaved.isEmpty }
    }
    /// Whether changes are still to be stored; every batch asks.
    private(set) var hasUnsaved = false
    /// What was last read or stored, for when it cannot be read.
    private var known: FileCatalogue?
    /// Whether the catalogue could be read at the last attempt, or there was none.
    private(set) var isKnown = true
    private var hasReported = false

    init(
        _ directory: LogDirectory, application: String, lock: DirectoryLock,
        report: @escaping (_ name: String, any Error) -> Void
    ) {
        self.directory = directory
        self.lock = lock
        self.report = report
        base = ".\(application).catalogue"
    }

    /// Takes back, before it is stored, that a file is finished.
    func keepOpen(_ name: String) { unsaved.open(name) }

    /// Whether a file is finished as far as the other processes can see.
    func isStoredFinished(_ name: String, _ label: LogFileLabel) -> Bool {
        known?.isFinished(name, label) ?? false
    }

    /// Takes back, before it is stored, that a file was finished that is gone.
    func forget(_ name: String) { unsaved.forget(name) }

    /// Reads the catalogue; as it was last known where it cannot be read, or others have removed it.
    func load() -> FileCatalogue {
        do {
            if let read = try CatalogueFile.read(directory, base) { known = read }
            isKnown = true
        } catch {
            isKnown = isLost(error)
            report(base, error)
        }
        var catalogue = known ?? FileCatalogue()
        unsaved.apply(to: &catalogue)
        return catalogue
    }

    /// Whether no process of this user can read the catalogue any more, so that the next change replaces it.
    private func isLost(_ error: any Error) -> Bool {
        guard let failure = error as? SystemFailure, failure.number == EACCES,
            let status = try? directory.status(CatalogueFile.name(base, directory))
        else { return false }
        return status.owner == directory.calls.user && status.mode & 0o400 == 0
    }

    /// Changes the catalogue: what is there is read, changed and replaced while no other process does so.
    ///
    /// Where another process keeps the lock, or the catalogue cannot be read or written, that is done later.
    ///
    /// - Parameters:
    ///   - name: the file that was opened or created by the change.
    ///   - mayStore: whether it may be stored now.
    ///   - change: what is to be changed.
    /// - Returns: the catalogue with the change, stored or not.
    @discardableResult
    func update(
        opening name: String? = nil, mayStore: Bool = true, _ change: (inout FileCatalogue) -> Void
    ) -> FileCatalogue {
        let outcome = lock.take()
        defer { lock.release() }
        let before = load()
        var after = before
        change(&after)
        return finish(opening: name, mayStore: mayStore && outcome != .busy, before, after)
    }

    /// The rest of a change, without a closure, which the compiler would copy for each of them.
    @inline(never)
    private func finish(
        opening name: String?, mayStore: Bool, _ before: FileCatalogue, _ changed: FileCatalogue
    ) -> FileCatalogue {
        var after = changed
        unsaved.add(CatalogueChange(from: before, to: after))
        // Where it cannot be read, it may say by now that a file of that name is finished.
        if let name, !isKnown { unsaved.open(name) }
        guard hasUnsaved else { return after }
        guard mayStore, isKnown else { return after }
        do {
            // Not part of the change: what is gone now may be there again when a change is stored later.
            for name in after.open.sorted() where !directory.mayHave(name) { after.open.remove(name) }
            try store(after)
            unsaved = CatalogueChange()
            known = after
        } catch {
            report(base, error)
        }
        return after
    }

    // MARK: The file

    /// Reads the catalogue of a directory, for whoever only looks.
    static func load(_ directory: LogDirectory, application: String) -> FileCatalogue {
        (try? read(directory, ".\(application).catalogue")) ?? FileCatalogue()
    }

    /// Reads the catalogue; nil if it does not exist.
    private static func read(_ directory: LogDirectory, _ base: String) throws -> FileCatalogue? {
        let file: Descriptor
        let status: FileStatus
        do {
            (file, status) = try directory.open(name(base, directory), writing: false)
        } catch let failure as SystemFailure where failure.number == ENOENT {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: min(max(0, status.size), sizeLimit))
        let count = try directory.calls.fill(&bytes, bytes.count, from: file.number, at: 0)
        return FileCatalogue(text: String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// The name that counts: the one with the user's number where there is one, or where the usual one is not
    /// a file of this user.
    private static func name(_ base: String, _ directory: LogDirectory) throws -> String {
        let own = "\(base).\(directory.calls.user)"
        if try directory.status(own)?.kind == .regular { return own }
        guard let status = try directory.status(base) else { return base }
        return status.kind == .regular && status.owner == directory.calls.user ? base : own
    }

    private func store(_ catalogue: FileCatalogue) throws {
        let own = "\(base).\(directory.calls.user)"
        let name = try CatalogueFile.name(base, directory)
        do {
            try storeTrying(catalogue, as: name)
        } catch {
            // Full or failing, the disk takes no other file either.
            let isRefused = [EPERM, EACCES, EISDIR].contains((error as? SystemFailure)?.number)
            guard isRefused, name != own else { throw error }
            report(base, error)
            return try storeTrying(catalogue, as: own)
        }
        guard name != base, !hasReported else { return }
        hasReported = true
        report(base, LogDirectory.Refusal.foreignOwner)
    }

    private func storeTrying(_ catalogue: FileCatalogue, as name: String) throws {
        var failure: any Error = SystemFailure(.open, EEXIST)
        // A name that something else has, which cannot be removed, does not prevent the next.
        for attempt in 0..<3 {
            let temporary = "\(name).\(directory.calls.process)\(attempt == 0 ? "" : "-\(attempt)").new"
            do {
                return try store(catalogue, as: name, by: temporary)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func store(_ catalogue: FileCatalogue, as name: String, by temporary: String) throws {
        if let there = try directory.status(temporary) {
            let isOurs = there.kind == .regular && there.owner == directory.calls.user
            guard isOurs else { throw SystemFailure(.open, EEXIST) }
            try directory.remove(temporary)
        }
        let file = try directory.create(temporary, mode: 0o600)
        do {
            try Array(catalogue.text.utf8).withUnsafeBytes { try directory.calls.writeAll(file.number, $0) }
            try directory.replace(name, with: temporary)
        } catch {
            _ = try? directory.remove(temporary)
            throw error
        }
    }
}
