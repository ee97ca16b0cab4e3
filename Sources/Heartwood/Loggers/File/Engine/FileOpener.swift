import CHeartwood

/// Opens the file that is written next: one that an earlier run left, or a new one.
///
/// 1. Only the newest file is continued. An older one would take lines that are newer than those of the files
///    after it, and would be the first that the limits remove.
/// 2. A file that has no writer and is not the newest is finished, whatever its size and age.
/// 3. A file that another process or logger has locked alone is left to it, and a file is written only while
///    its lock is held.
/// 4. A new label is after those of all files that are there, and of all that are finished.
/// 5. Whatever a file that is there refuses, it is reported by its name, and the logger continues with
///    another one.
///
/// Not thread-safe: owned by the engine.
final class FileOpener {
    /// How many files that are not finished are looked at.
    private static let candidateLimit = 32

    let names: FileNames
    private let store: FileStore
    /// How a new file would begin.
    private let beginning: () -> FileBeginning
    /// The next file must not be one that is there already, unless all write to the newest.
    private var mustBegin = false
    /// The same also where all write to the newest.
    private var mustBeginAlways = false
    /// Another process or logger writes to this directory, so names say whose they are.
    private var sharesDirectory = false
    /// What the file system does not have, and was said.
    private var toldMissing: Set<Directory.Feature> = []
    /// A name far ahead of the clock was reported.
    private var hasToldAhead = false

    init(_ store: FileStore, beginning: @escaping () -> FileBeginning) {
        self.store = store
        self.beginning = beginning
        names = FileNames(store)
    }

    private var directory: Directory { store.directory }
    private var inventory: FileInventory { store.inventory }
    private var settings: FileSettings { store.settings }
    private var calls: SystemCalls { store.calls }

    /// Has the next file be a new one; where all write to the newest, only if `always` says so.
    func requireNew(always: Bool = false) {
        mustBegin = true
        if always { mustBeginAlways = true }
    }

    /// Another process or logger writes to this directory.
    func noteSharing() { sharesDirectory = true }

    /// Opens the file to write to.
    func open(_ now: LogTimestamp, _ uptime: Duration) throws -> FileWriter {
        try store.start()
        let cipher = try settings.cipher()
        try store.followDirectory()
        let isLocked = store.lock.acquire()
        defer { store.lock.release() }
        // Others may have created the file of all within the tick of the directory's time.
        if settings.isShared { store.refresh() } else { store.follow() }
        // A file that several processes write to is opened only while no other one writes. Whoever writes has
        // asked for the lock already, and this one is then the same: so the plan need not ask twice.
        let isShared = settings.isShared && isLocked
        let mayContinue = !mustBeginAlways && (!mustBegin || settings.isShared)
        let found =
            mayContinue && isShared == settings.isShared ? try find(now, uptime, cipher) : nil
        let writer = try found ?? create(now, cipher, isShared: isShared)
        (mustBegin, mustBeginAlways) = (false, false)
        tellMissing()
        return writer
    }

    /// Says once what the file system does not have.
    func tellMissing() {
        for feature in directory.missing.subtracting(toldMissing) { store.report(.missing(feature)) }
        toldMissing = directory.missing
    }

    // MARK: Files of earlier runs

    /// The files that are not finished, newest first, as many as are looked at.
    private var candidates: [FileInventory.Entry] {
        Array(
            inventory.entries.reversed().lazy
                .filter { !$0.isUnfinished && !$0.isProtected && !$0.isForeign && !$0.isFinished }
                .prefix(FileOpener.candidateLimit))
    }

    /// The name of the only file that may be continued; nil where it is finished, or a newer one is gone.
    private func continuable(at now: LogTimestamp) -> String? {
        let newest = inventory.entries.last { !$0.isUnfinished && (!$0.isForeign || $0.isUnreadable) }
        guard let newest, !newest.isFinished else { return nil }
        let isLatest = store.newestOwn(at: now).map { $0 <= newest.label } ?? true
        return isLatest || newest.name == settings.naming.activeName ? newest.name : nil
    }

    /// Continues the newest file, where it is not finished, has no writer, and that is allowed and sensible.
    ///
    /// Others that are not finished and have no writer are finished on the way.
    private func find(_ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?) throws -> FileWriter? {
        let continuable = continuable(at: now)
        var chosen: FileWriter?
        for entry in candidates {
            do {
                let mayContinue = entry.name == continuable
                if let found = try examine(entry, now, uptime, cipher, mayContinue: mayContinue) {
                    chosen = found
                }
            } catch let failure as SystemFailure where failure.isShortage {
                if chosen == nil { throw failure }
                break
            } catch let failure as SystemFailure where failure.number == ENOENT {
                continue
            } catch {
                store.report(error, name: entry.name)
            }
        }
        guard let chosen else { return nil }
        inventory.protect(chosen.name, true)
        store.noteOpened(chosen)
        names.updateLink(chosen.name)
        return chosen
    }

    /// Looks at a file that is not finished; finishes it where it is not to be continued and has no writer.
    private func examine(
        _ entry: FileInventory.Entry, _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?,
        mayContinue: Bool
    ) throws -> FileWriter? {
        guard let taken = try take(entry.name) else { return nil }
        let (file, isAlone) = (taken.file, taken.isAlone)
        var status = taken.status
        let createdAt = self.createdAt(file, entry, status)
        let isFramed = try FrameTail.isFramed(file, calls)
        var tail: FrameTail?
        if isFramed || cipher != nil {
            tail = try cipher.flatMap { try FrameTail.find(in: file, size: status.size, $0, calls) }
        }
        let size = status.size
        if isAlone { try repair(file, entry, &status, tail, isFramed: isFramed) }
        // Encrypted and plain text do not mix, and neither do two keys.
        let isOurs = cipher == nil ? !isFramed : tail != nil
        let isOtherVariant = entry.label.variant != settings.naming.variant
        // Lines that are added to it would never be processed.
        let isProcessed = calls.attribute(FileInventory.processedAttribute, of: file.number) != nil
        // In shared mode all follow the newest file, also those that write to an older one still, and those
        // that would begin another way.
        guard mayContinue, settings.reusesFiles || settings.isShared, isOurs, !isOtherVariant,
            !isProcessed,
            !settings.effectiveRolling.isOver(size: size, createdAt: createdAt, wall: now, steady: uptime),
            try !isAlone || beginning().fits(file, size: status.size, cipher, calls)
        else {
            names.finishFound(entry, file)
            return nil
        }
        if settings.isShared, isAlone { _ = try directory.tryLock(file, shared: true) }
        return FileWriter(
            file: file, status: status, name: entry.name, label: entry.label, createdAt: createdAt,
            isNew: false, endsLines: settings.repairsTornLines, isWhole: isAlone,
            frames: try cipher.map { try FrameEncoder($0, behind: tail?.last) }, isShared: settings.isShared,
            calls: calls)
    }

    /// Cuts off what a crash left after the last whole line or frame.
    private func repair(
        _ file: Descriptor, _ entry: FileInventory.Entry, _ status: inout FileStatus, _ tail: FrameTail?,
        isFramed: Bool
    ) throws(SystemFailure) {
        var cut = 0
        if let tail {
            cut = status.size - tail.end
            if cut > 0 { try calls.truncate(file.number, to: tail.end) }
        } else if !isFramed, settings.repairsTornLines {
            cut = try FileWriter.repairTornLine(file, size: status.size, calls)
        }
        guard cut > 0 else { return }
        store.report(.repaired(name: entry.name, bytes: cut))
        status = try calls.status(file.number)
        inventory.resize(entry.name, to: status.size)
    }

    /// When a file was created, as exactly as can be known without believing the file system where the name
    /// knows better.
    private func createdAt(
        _ file: Descriptor, _ entry: FileInventory.Entry, _ status: FileStatus
    ) -> LogTimestamp {
        let birth = calls.birth(file.number) ?? status.modified
        guard let createdAt = entry.label.createdAt else { return min(birth, status.modified) }
        // A name that tells only the day may be completed by the birth, if that rounds to the same name.
        let naming = settings.naming
        let told = naming.name(for: LogFileLabel(createdAt: createdAt))
        let seen = naming.name(for: LogFileLabel(createdAt: birth))
        return told == seen ? max(createdAt, birth) : createdAt
    }

    /// Finishes the files that earlier runs left, and the one that all write to, but not those that others
    /// use alone.
    func finishLeftovers() throws {
        try store.start()
        let isLocked = store.lock.acquire()
        defer { store.lock.release() }
        guard isLocked || !settings.isShared else { throw SystemFailure(.lock, EAGAIN) }
        store.follow()
        for entry in candidates {
            do {
                guard let taken = try take(entry.name) else { continue }
                defer { calls.unlock(taken.file.number) }
                // One that was just created is as good as a new one.
                if !taken.isAlone && taken.status.size == 0 { continue }
                names.finishFound(entry, taken.file)
            } catch let failure as SystemFailure where failure.isShortage {
                throw failure
            } catch let failure as SystemFailure where failure.number == ENOENT {
                continue
            } catch {
                store.report(error, name: entry.name)
            }
        }
    }

    // MARK: New files

    /// Creates a file.
    func create(_ now: LogTimestamp, _ cipher: FrameCipher?, isShared: Bool) throws -> FileWriter {
        try names.removeSurplusName()
        let mayBeOutdated = store.mayBeOutdated
        if mayBeOutdated { store.refresh() }
        // The open file is about to be finished, so it may be removed, too, where only one is kept.
        store.applyLimits(incomingFiles: 1, isFresh: mayBeOutdated)
        let writer = try store.changeNames {
            try createNamed(newLabel(now, isShared: isShared), now, cipher, isShared: isShared)
        }
        store.noteOpened(writer)
        return writer
    }

    private func createNamed(
        _ first: LogFileLabel, _ now: LogTimestamp, _ cipher: FrameCipher?, isShared: Bool
    ) throws -> FileWriter {
        var label = first
        let naming = settings.naming
        // The fixed name is that of the file of all.
        var isActiveRefused = isShared != settings.isShared
        for _ in 0..<10_000 {
            let name =
                isActiveRefused ? naming.name(for: label) : naming.activeName ?? naming.name(for: label)
            guard LogFileNaming.isUsable(name) else { throw SystemFailure.refused(.badName) }
            do {
                guard let file = try createLocked(name, isShared: isShared) else {
                    label.count()
                    continue
                }
                do {
                    return try adopt(file, name, label, now, cipher, isShared: isShared)
                } catch {
                    _ = try? directory.remove(name)
                    throw error
                }
            } catch let failure as SystemFailure where failure.number == EEXIST {
                guard name == naming.activeName else {
                    label.count()
                    continue
                }
                switch try takeActive(name, label, now, cipher) {
                case .taken(let writer): return writer
                case .renamed:
                    store.follow()
                    label = try newLabel(now, isShared: isShared)
                case .refused:
                    isActiveRefused = true
                }
            }
        }
        throw SystemFailure(.open, EEXIST)
    }

    /// The label of a new file, which the naming can write and read.
    private func newLabel(_ now: LogTimestamp, isShared: Bool) throws -> LogFileLabel {
        let naming = settings.naming
        let newest = store.newest(at: now)
        tellAhead(now)
        let process = (sharesDirectory || settings.isShared) && !isShared ? calls.process : nil
        let usual = naming.next(at: now, after: newest, process: process)
        var label = usual
        if !settings.filePolicy.isStandard {
            label = settings.filePolicy.label(at: now, after: newest, naming: naming)
            label.process = process ?? label.process
            let name = naming.name(for: label)
            let isLater = newest.map { $0 < label } ?? true
            let isOurs = naming.recognize(name) != nil && settings.filePolicy.owns(name, label: label)
            if !isLater || !isOurs {
                let why = isOurs ? "is not after the newest file" : "does not belong to the logger"
                store.report(
                    .advice("The label of a new file (“\(name)”) \(why), so the usual label is used"))
                label = usual
            }
        }
        let name = naming.name(for: label)
        guard naming.recognize(name) != nil else {
            store.report(
                .advice(
                    "The naming cannot read its own name “\(name)”, so no file is created;"
                        + " override label(of:) together with name(for:)"))
            throw SystemFailure(.open, EINVAL)
        }
        return label
    }

    /// Says once that the newest name, before which no new one may sort, is of a clock that was years ahead.
    ///
    /// The dates of custom labels and names may be intended.
    private func tellAhead(_ now: LogTimestamp) {
        guard !hasToldAhead, settings.naming.isStandard, settings.filePolicy.isStandard,
            let newest = inventory.entries.last, let date = newest.label.createdAt,
            ClockJumps.isFarAhead(date, of: now)
        else { return }
        hasToldAhead = true
        store.report(
            .advice(
                "The date of “\(newest.name)” is more than a year ahead of the clock, so new files repeat it"
                    + " with a number; once the clock is right, remove or rename the files of that date"))
    }

    /// Creates a file and takes its lock; nil where another process locked, removed or wrote to it first.
    private func createLocked(_ name: String, isShared: Bool) throws -> Descriptor? {
        let mode = settings.filePolicy.permissions(of: name, usual: settings.fileMode).ofFile | 0o200
        let file = try directory.create(name, mode: mode, isSecret: settings.encrypts)
        try directory.protect(
            file, name, as: settings.fileProtection, isExcludedFromBackup: settings.isExcludedFromBackup)
        guard try lock(new: file, name, isShared: isShared) else { return nil }
        // Before it was locked, another process may have taken it for a file without a writer, and removed,
        // finished or written to it. Unless the file is shared, that process may use another header or
        // encryption.
        guard let status = try directory.status(name), status.identity == file.identity,
            isShared || status.size == 0, try !directory.wasFinished(file)
        else { return nil }
        settings.filePolicy.didCreate(directory.path + "/" + name)
        return file
    }

    private func adopt(
        _ file: Descriptor, _ name: String, _ label: LogFileLabel, _ now: LogTimestamp,
        _ cipher: FrameCipher?, tail: FramePlace? = nil, isWhole: Bool = true, isShared: Bool
    ) throws -> FileWriter {
        let status = try calls.status(file.number)
        // The policy may have taken the permission, without which the file would be left at once.
        if directory.isFinished(status) { try? calls.changeMode(file.number, to: status.mode | 0o200) }
        let writer = FileWriter(
            file: file, status: status, name: name, label: label, createdAt: now, isNew: true,
            endsLines: settings.repairsTornLines, isWhole: isWhole,
            frames: try cipher.map { try FrameEncoder($0, behind: tail) }, isShared: isShared, calls: calls)
        inventory.insert(
            FileInventory.Entry(
                name: name, label: label, stage: .plain, size: status.size, modified: now, isProtected: true))
        names.updateLink(name)
        return writer
    }

    // MARK: The fixed active name

    /// What became possible with a file that has the fixed active name.
    private enum ActiveFile {
        case taken(FileWriter)
        /// It could not be continued, and has its dated name by now.
        case renamed
        /// It must not be touched; the new file gets its dated name at once.
        case refused
    }

    /// The fixed active name is taken: by a file that logrotate or another program made for the logger, or by
    /// a trap.
    private func takeActive(
        _ name: String, _ label: LogFileLabel, _ now: LogTimestamp, _ cipher: FrameCipher?
    ) throws -> ActiveFile {
        do {
            guard let taken = try take(name) else { return try putAsideFinished(name) }
            let (file, status) = (taken.file, taken.status)
            let active = inventory.entries.last { $0.name == name }
            if let active, active.label != inventory.newest {
                // It was refused once, and files with dated names are after it: its lines are older than
                // theirs.
                return names.putAside(name, file) ? .renamed : .refused
            }
            if settings.isShared, taken.isAlone { _ = try directory.tryLock(file, shared: true) }
            let tail: FrameTail?
            do {
                tail = try cipher.flatMap { try FrameTail.find(in: file, size: status.size, $0, calls) }
                guard try cipher == nil ? !FrameTail.isFramed(file, calls) : tail?.end == status.size,
                    try !taken.isAlone || beginning().fits(file, size: status.size, cipher, calls)
                else {
                    return names.putAside(name, file) ? .renamed : .refused
                }
            } catch {
                store.report(error, name: name)
                return names.putAside(name, file) ? .renamed : .refused
            }
            let writer = try adopt(
                file, name, label, now, cipher, tail: tail?.last, isWhole: false, isShared: settings.isShared)
            writer.hasRecords = status.size > 0
            return .taken(writer)
        } catch let failure as SystemFailure where failure.isShortage {
            throw failure
        } catch let failure as SystemFailure where failure.number == ENOENT {
            // Its writer has just given it its dated name.
            return .renamed
        } catch {
            store.report(error, name: name)
            return .refused
        }
    }

    /// Gives a file with the fixed active name its dated name, if another program has finished it by taking
    /// its write permission.
    private func putAsideFinished(_ name: String) throws -> ActiveFile {
        guard let status = try directory.status(name), directory.isFinished(status),
            let file = try directory.hold(name)
        else { return .refused }
        return names.putAside(name, file) ? .renamed : .refused
    }

    // MARK: Locks

    /// Opens a file and takes its lock: alone, or with others where all write to one file.
    ///
    /// Nil where another process or logger has it, or has finished it; throws `ENOENT` where the name was
    /// another file's before.
    private func take(_ name: String) throws -> (file: Descriptor, status: FileStatus, isAlone: Bool)? {
        let file: Descriptor
        do throws(SystemFailure) { file = try directory.open(name).file } catch {
            // A file that was finished meanwhile can be opened for reading only.
            guard error.isError(EACCES), let status = try directory.status(name), directory.isFinished(status)
            else { throw error }
            return nil
        }
        let isAlone = try directory.tryLock(file)
        guard try isAlone || settings.isShared && directory.tryLock(file, shared: true) else {
            sharesDirectory = true
            return nil
        }
        let status = try calls.status(file.number)
        guard try directory.status(name)?.identity == status.identity else {
            throw SystemFailure(.open, ENOENT)
        }
        return directory.isFinished(status) ? nil : (file, status, isAlone)
    }

    /// Takes the lock of a file that was just created; false where another process took it first.
    private func lock(new file: Descriptor, _ name: String, isShared: Bool) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) { return try directory.tryLock(file, shared: isShared) } catch {
            return try directory.tryLock(file, shared: isShared)
        }
    }
}

/// How each new file begins, as far as that is known before the file is.
struct FileBeginning: Sendable {
    /// The bytes of the header line; empty if there is no header, or if each file may have a different one.
    var header: [UInt8] = []
    /// Whether the first record is a JSON object; nil if the formatter is not known to write only JSON, or
    /// never to.
    var isJSON: Bool?

    /// Whether a file of so many bytes begins like that, so that it can be continued; true for an empty one,
    /// and for one of which no whole frame is there.
    func fits(
        _ file: Descriptor, size: Int, _ cipher: FrameCipher?, _ calls: SystemCalls
    ) throws -> Bool {
        guard size > 0, !header.isEmpty || isJSON != nil else { return true }
        var bytes: [UInt8]
        if let cipher {
            let start = try calls.bytes(EncryptedFrame.headerSize, of: file.number, at: 0)
            guard let text = try EncryptedFrame.Header(start[...])?.text(in: file, at: 0, cipher, calls)
            else { return true }
            bytes = text
        } else {
            bytes = try calls.bytes(header.count + 1, of: file.number, at: 0)
        }
        guard bytes.starts(with: header) else { return false }
        bytes.removeFirst(header.count)
        guard let isJSON, let first = bytes.first else { return true }
        return isJSON == (first == UInt8(ascii: "{"))
    }
}
