import CHeartwood

/// The catalogue of a directory on the disk, which several processes and loggers read and replace.
///
/// Where the name is taken by what is not a file of this user, the catalogue has a name with the user's number.
///
/// Not thread-safe: each engine and each archiver has one.
final class CatalogueFile {
    /// The most bytes that are read: more is no catalogue of ours.
    private static let sizeLimit = 16 << 20

    private let directory: LogDirectory
    private let base: String
    private let lock: DirectoryLock
    private let report: (_ name: String, any Error) -> Void
    /// What could not be stored, which later changes are made to.
    private var unsaved: FileCatalogue?
    /// What was last read, for when it cannot be read.
    private var known: FileCatalogue?
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

    /// Reads the catalogue; an empty one where none can be read.
    func load() -> FileCatalogue {
        if let unsaved { return unsaved }
        do {
            known = try CatalogueFile.read(directory, base)
        } catch {
            report(base, error)
        }
        return known ?? FileCatalogue()
    }

    /// Whether there is a catalogue.
    var exists: Bool { unsaved != nil || (try? CatalogueFile.read(directory, base)) != nil }

    /// Changes the catalogue: what is there is read, changed and replaced while no other process does so.
    ///
    /// - Returns: the catalogue with the change, stored or not.
    @discardableResult
    func update(_ change: (inout FileCatalogue) -> Void) -> FileCatalogue {
        _ = lock.acquire()
        defer { lock.release() }
        let before = load()
        var after = before
        change(&after)
        guard after != before || unsaved != nil else { return after }
        do {
            try store(after)
            unsaved = nil
        } catch {
            unsaved = after
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

    /// The name that counts: the one with the user's number where there is one, or where the usual one is not a file of
    /// this user.
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
            var rest = Array(catalogue.text.utf8)[...]
            while !rest.isEmpty {
                let count = try rest.withUnsafeBytes {
                    try directory.calls.write(file.number, $0, quietly: true)
                }
                guard count > 0 else { throw SystemFailure(.write, EIO) }
                rest = rest.dropFirst(count)
            }
            try directory.replace(name, with: temporary)
        } catch {
            _ = try? directory.remove(temporary)
            throw error
        }
    }
}
