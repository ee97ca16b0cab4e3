import CHeartwood

/// What a directory's file names cannot say, in a small text file beside the logs.
///
/// It is rewritten as a whole, under another name that then replaces it. When it is lost, the logger judges
/// by names, sizes, times and locks alone: it may continue a file that was finished by call, and repeat the
/// work on an archive.
struct FileCatalogue: Sendable, Hashable {
    /// The newest file that is finished.
    var finished: LogFileLabel?
    /// Files up to ``finished`` that are not: others write to them, or may continue them.
    var open: Set<String> = []
    /// When the file with the fixed active name was created.
    var active: LogFileLabel?
    /// Files that the archive processor has dealt with, in order.
    var processed: [String] = []

    /// Whether a file is never written to again, as far as the catalogue knows.
    func isFinished(_ name: String, _ label: LogFileLabel) -> Bool {
        guard let finished else { return false }
        return label <= finished && !open.contains(name)
    }

    /// Forgets when the active file was created, unless another one is active by now.
    mutating func forgetActive(_ label: LogFileLabel) {
        if let active, !(active < label), !(label < active) { self.active = nil }
    }
}

extension FileCatalogue {
    private static let firstLine = "heartwood catalogue 1"

    init(text: String) {
        let lines = text.split(separator: "\n")
        guard let first = lines.first, first == FileCatalogue.firstLine else { return }
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "finished": finished = FileCatalogue.label(parts[1])
            case "active": active = FileCatalogue.label(parts[1])
            case "open": open.insert(parts[1])
            case "processed": processed.append(parts[1])
            default: break
            }
        }
    }

    var text: String {
        var text = FileCatalogue.firstLine + "\n"
        if let finished { text += "finished \(FileCatalogue.text(finished))\n" }
        if let active { text += "active \(FileCatalogue.text(active))\n" }
        for name in open.sorted() where !name.contains("\n") { text += "open \(name)\n" }
        for name in processed where !name.contains("\n") { text += "processed \(name)\n" }
        return text
    }

    private static func text(_ label: LogFileLabel) -> String {
        "\(label.createdAt.map { String($0.nanoseconds) } ?? "-") \(label.number) \(label.process ?? 0)"
    }

    private static func label(_ text: String) -> LogFileLabel? {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let number = Int(parts[1]), let process = Int32(parts[2]) else { return nil }
        let createdAt = Int64(parts[0]).map { LogTimestamp(nanoseconds: $0) }
        guard createdAt != nil || parts[0] == "-" else { return nil }
        return LogFileLabel(createdAt: createdAt, number: number, process: process == 0 ? nil : process)
    }
}

/// The difference between two states of a catalogue, to be made to a third that others have changed.
///
/// 1. Applied to the state it was taken from, it gives the other one. 2. What others have added stays.
struct CatalogueChange: Equatable {
    private var finished: LogFileLabel?
    private var resetsFinished = false
    private var active: LogFileLabel??
    private var opened: Set<String> = []
    fileprivate var closed: Set<String> = []
    private var processed: [String] = []
    private var forgotten: Set<String> = []

    var isEmpty: Bool { self == CatalogueChange() }

    mutating func add(_ later: CatalogueChange) {
        finished = later.finished(after: finished)
        if later.resetsFinished { resetsFinished = true }
        if let mark = later.active { active = .some(mark) }
        opened = opened.subtracting(later.closed).union(later.opened)
        closed = closed.subtracting(later.opened).union(later.closed)
        processed = processed.filter { !later.forgotten.contains($0) } + later.processed
        forgotten = forgotten.subtracting(later.processed).union(later.forgotten)
    }

    mutating func open(_ name: String) {
        closed.remove(name)
        opened.insert(name)
    }

    func apply(to catalogue: inout FileCatalogue) {
        catalogue.finished = finished(after: catalogue.finished)
        if let active { catalogue.active = active }
        catalogue.open = catalogue.open.union(opened).subtracting(closed)
        if !processed.isEmpty || !forgotten.isEmpty {
            let replaced = forgotten.union(processed)
            catalogue.processed = catalogue.processed.filter { !replaced.contains($0) } + processed
        }
    }

    private func finished(after mark: LogFileLabel?) -> LogFileLabel? {
        resetsFinished ? finished : finished.map { max(mark ?? $0, $0) } ?? mark
    }
}

extension CatalogueChange {
    init(from before: FileCatalogue, to after: FileCatalogue) {
        if before.finished != after.finished {
            finished = after.finished
            resetsFinished = before.finished.map { old in after.finished.map { $0 < old } ?? true } ?? false
        }
        if before.active != after.active { active = .some(after.active) }
        opened = after.open.subtracting(before.open)
        closed = before.open.subtracting(after.open)
        let old = Set(before.processed)
        processed = after.processed.filter { !old.contains($0) }
        forgotten = old.subtracting(after.processed)
    }
}

/// The catalogue of a directory on the disk, which several processes and loggers read and replace.
///
/// Where the name is taken by what is not a file of this user, the catalogue has a name with the user's
/// number. Not thread-safe: each engine and each archiver has one.
final class CatalogueFile {
    /// The most bytes that are read: more is no catalogue of ours.
    private static let sizeLimit = 16 << 20

    private let directory: Directory
    private let base: String
    private let lock: DirectoryLock
    private let report: (String, any Error) -> Void
    private var unsaved = CatalogueChange() { didSet { hasUnsaved = !unsaved.isEmpty } }
    /// Whether changes are still to be stored; every batch asks.
    private(set) var hasUnsaved = false
    /// What was last read or stored.
    private var known: FileCatalogue?
    /// Whether the catalogue could be read at the last attempt, or there was none.
    private(set) var isKnown = true
    private var hasReported = false

    /// `report` is told the name of a file that cannot be used, and why.
    init(
        _ directory: Directory, application: String, lock: DirectoryLock,
        report: @escaping (String, any Error) -> Void
    ) {
        (self.directory, self.lock, self.report) = (directory, lock, report)
        base = ".\(application).catalogue"
    }

    /// Takes back, before it is stored, that a file is finished.
    func keepOpen(_ name: String) { unsaved.open(name) }

    /// The same for a file that is gone: its name may be a new file's by now.
    func forget(_ name: String) { unsaved.closed.remove(name) }

    /// As far as the other processes can see.
    func isSeenFinished(_ name: String, _ label: LogFileLabel) -> Bool {
        known?.isFinished(name, label) ?? false
    }

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
        guard (error as? SystemFailure)?.number == EACCES,
            let status = try? directory.status(CatalogueFile.name(base, directory))
        else { return false }
        return status.owner == directory.calls.user && status.mode & 0o400 == 0
    }

    /// Changes the catalogue: what is there is read, changed and replaced while no other process does so.
    ///
    /// Where another process keeps the lock, the catalogue cannot be read or written, or `mayStore` is false,
    /// that is done later. `name` is the file that was opened or created by the change. Returns the catalogue
    /// with the change, stored or not.
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
        guard hasUnsaved, mayStore, isKnown else { return after }
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

    /// Reads the catalogue of a directory, for whoever only looks.
    static func load(_ directory: Directory, application: String) -> FileCatalogue {
        (try? read(directory, ".\(application).catalogue")) ?? FileCatalogue()
    }

    /// The other applications that have logged to a directory, where a naming takes a file of theirs for its
    /// own; with such a file.
    ///
    /// A file is theirs if their catalogue has it open, or if it has another variant, and its name begins
    /// with theirs and theirs with ours.
    static func others(
        in directory: Directory, _ naming: LogFileNaming, _ filePolicy: LogFilePolicy
    ) -> [(application: String, file: String)] {
        let names = ((try? directory.names()) ?? []).sorted()
        let applications = names.compactMap { name -> String? in
            var base = name[...]
            // One for a user, as `.shop.catalogue.1000`.
            while let last = base.last, last.isASCII, last.isNumber { base.removeLast() }
            if base.count < name.count, base.last == "." { base.removeLast() }
            guard base.hasPrefix("."), base.hasSuffix(".catalogue") else { return nil }
            let application = String(base.dropFirst().dropLast(10))
            return application == naming.application ? nil : application
        }
        return Set(applications).sorted().compactMap { application in
            let open = load(directory, application: application).open
            let file = names.first { name in
                if name == naming.activeName { return open.contains(name) }
                let log = ArchiveStage.split(name).log
                guard let label = naming.recognize(log), filePolicy.owns(log, label: label) else {
                    return false
                }
                if open.contains(name) { return true }
                // Only a variant can be the rest of another name: "shop" with "2" is "shop-2".
                guard naming.variant != label.variant, application.hasPrefix(naming.application),
                    name.hasPrefix(application)
                else { return false }
                return name.dropFirst(application.count).first.map { !$0.isLetter && !$0.isNumber } ?? false
            }
            return file.map { (application, $0) }
        }
    }

    private static func read(_ directory: Directory, _ base: String) throws -> FileCatalogue? {
        do {
            let (file, status) = try directory.open(name(base, directory), for: .reading)
            let size = min(max(0, status.size), sizeLimit)
            let bytes = try directory.calls.bytes(size, of: file.number, at: 0)
            return FileCatalogue(text: String(decoding: bytes, as: UTF8.self))
        } catch  where error.isError(ENOENT) {
            return nil
        }
    }

    /// The name that counts: the one with the user's number where there is one, or where the usual one is not
    /// a file of this user.
    private static func name(_ base: String, _ directory: Directory) throws(SystemFailure) -> String {
        let own = "\(base).\(directory.calls.user)"
        if try directory.status(own)?.kind == .regular { return own }
        guard let status = try directory.status(base) else { return base }
        return status.kind == .regular && status.owner == directory.calls.user ? base : own
    }

    private func store(_ catalogue: FileCatalogue) throws(SystemFailure) {
        let own = "\(base).\(directory.calls.user)"
        let name = try CatalogueFile.name(base, directory)
        do throws(SystemFailure) { try storeTrying(catalogue, as: name) } catch {
            // Only then: full or failing, the disk takes no other file either.
            guard name != own, error.isError(EPERM, EACCES, EISDIR) else { throw error }
            report(base, error)
            return try storeTrying(catalogue, as: own)
        }
        guard name != base, !hasReported else { return }
        hasReported = true
        report(base, SystemFailure.refused(.foreignOwner))
    }

    private func storeTrying(_ catalogue: FileCatalogue, as name: String) throws(SystemFailure) {
        let new = "\(name).\(directory.calls.process)"
        let content = Array(catalogue.text.utf8)
        var failure = SystemFailure(.open, EEXIST)
        // A name that something else has, which cannot be removed, does not prevent the next.
        for suffix in ["", "-1", "-2"] {
            do throws(SystemFailure) {
                return try directory.store(content, as: name, through: new + suffix + ".new")
            } catch { failure = error }
        }
        throw failure
    }
}
