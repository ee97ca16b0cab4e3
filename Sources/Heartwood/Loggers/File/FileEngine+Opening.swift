import CHeartwood

/// Which file is written: the one that is open, one that an earlier run left, or a new one.
extension FileEngine {
    // MARK: The open file

    /// The file that the next record goes to, examined, and with a header.
    func readyWriter() throws -> FileWriter {
        let now = clock.now()
        let uptime = clock.uptime()
        compareClocks(now, uptime)
        if let writer { examine(writer, now, uptime) }
        let ready = try writer ?? open(now, uptime)
        if ready.needsHeader {
            let bytes = header()
            headerSize = bytes.count
            if bytes.isEmpty {
                ready.needsHeader = false
            } else {
                try makeRoom(for: bytes.count)
                if let failure = bytes.withUnsafeBytes({ ready.writeHeader($0) }) { throw failure }
                inventory.resize(ready.name, to: ready.size)
            }
        }
        return ready
    }

    /// Lets go of a file that somebody took away, and rolls one whose time is over.
    private func examine(_ writer: FileWriter, _ now: LogTimestamp, _ uptime: Duration) {
        do {
            let wasTorn = writer.isTorn
            let status = try writer.refresh()
            inventory.resize(writer.name, to: writer.size)
            if wasTorn { report(.repaired(name: writer.name, bytes: status.size - writer.size)) }
            let place = writer.place(status, in: directory)
            if place != .inPlace {
                report(.disturbed(name: writer.name, place))
                catalogue.active = nil
                // A file with the fixed active name that is there by now was made for us; any other is another's.
                mustBegin = writer.name != settings.naming.activeName
                release(writer)
                return
            }
            writer.checkLimit()
        } catch {
            // The file cannot be examined, or a torn line not be cut off: leave it alone, and go on in another one.
            note(error)
            if writer.isTorn || error.number == EBADF {
                mustBegin = true
                release(writer)
            }
            return
        }
        if now < writer.deadline.earliest {
            writer.deadline = rolling.deadline(begun: writer.begun, wall: now, steady: uptime)
        }
        if settings.isShared {
            followOthers(writer)
            guard self.writer === writer else { return }
        }
        if writer.deadline.isReached(wall: now, steady: uptime) {
            if writer.hasRecords { _ = roll(now, uptime) } else { renewDeadline(writer, now, uptime) }
        }
    }

    private func renewDeadline(_ writer: FileWriter, _ now: LogTimestamp, _ uptime: Duration) {
        writer.deadline = rolling.deadline(begun: now, wall: now, steady: uptime)
    }

    /// In shared mode: leaves a file that another process has finished.
    func followOthers(_ writer: FileWriter) {
        let generation = lock.generation
        guard generation != sharedGeneration else { return }
        sharedGeneration = generation
        catalogue = FileCatalogue.load(directory, settings.naming)
        guard let finished = catalogue.finished, writer.label <= finished else { return }
        release(writer)
    }

    /// Lets go of the open file without finishing it.
    func release(_ writer: FileWriter) {
        inventory.protect(writer.name, false)
        if process == getpid() { calls.unlock(writer.file.number) }
        self.writer = nil
        refreshInventory()
    }

    // MARK: Opening

    /// Opens the file to write to, and makes it the engine's.
    func open(_ now: LogTimestamp, _ uptime: Duration) throws -> FileWriter {
        try start()
        if !directory.isInPlace { try enterDirectory() }
        let isLocked = lock.acquire()
        defer { lock.release() }
        if settings.isShared, isLocked {
            sharedGeneration = lock.generation
            catalogue = FileCatalogue.load(directory, settings.naming)
            refreshInventory()
        }
        let cipher = try currentCipher()
        let opened = try reuse(now, uptime, cipher) ?? begin(now, uptime, cipher)
        writer = opened
        return opened
    }

    /// What the next file is encrypted with; nil for plain text.
    func currentCipher() throws -> FrameCipher? {
        settings.isEncrypted ? try FrameCipher(ofLogs: settings.key) : nil
    }

    /// Reads what earlier runs left in the directory; once.
    package func start() throws {
        guard !isStarted else { return }
        catalogue = FileCatalogue.load(directory, settings.naming)
        try inventory.refresh(directory, settings.naming, activeLabel: catalogue.active)
        isStarted = true
        for name in inventory.refused { report(.refused(.notRegular, name: name)) }
        finishRenaming()
        finishArchiving()
    }

    func refreshInventory() {
        do {
            try inventory.refresh(directory, settings.naming, activeLabel: catalogue.active)
        } catch {
            report(.failed(error as? SystemFailure ?? SystemFailure(.list, EIO), name: nil, waiting: 0))
        }
    }

    /// Opens the directory anew, which was removed or replaced.
    private func enterDirectory() throws {
        try directory.reopen()
        lock.reset()
        refreshInventory()
    }

    // MARK: A file that is there

    /// Goes on with the newest file that an earlier run left, where that is allowed and sensible.
    private func reuse(
        _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?
    ) throws -> FileWriter? {
        defer { mustBegin = false }
        let candidates = inventory.entries.reversed().lazy.filter { !$0.isUnfinished && !$0.isProtected }
            .prefix(4)
        for entry in candidates {
            guard entry.stage == .plain, !isFinished(entry) else { return nil }
            let file: Descriptor
            var status: FileStatus
            do {
                (file, status) = try directory.open(entry.name)
            } catch let refusal as LogDirectory.Refusal {
                report(.refused(refusal, name: entry.name))
                continue
            } catch let failure as SystemFailure where failure.number == ENOENT {
                continue
            }
            let isAlone = try calls.tryLock(file.number)
            guard isAlone || settings.isShared else {
                sharesDirectory = true
                continue
            }
            var tail: FrameTail?
            var isFramed = cipher != nil
            do {
                isFramed = try FrameTail.isFramed(file, calls)
                if isFramed || cipher != nil {
                    tail = try cipher.flatMap { try FrameTail.find(in: file, size: status.size, $0, calls) }
                }
                try repair(file, entry, &status, tail, isFramed: isFramed, isAlone: isAlone)
            } catch {
                let failure = error as? SystemFailure ?? SystemFailure(.read, EIO)
                report(.failed(failure, name: entry.name, waiting: 0))
                if !mustBegin { throw failure }
            }
            // Encrypted and plain text do not mix, and neither do two keys.
            let isOurs = cipher == nil ? !isFramed : tail != nil
            let begun = self.begun(file, entry, status)
            let deadline = rolling.deadline(begun: begun, wall: now, steady: uptime)
            let isFull = rolling.maximumSize > 0 && status.size >= rolling.maximumSize
            let mayGoOn = (settings.reusesFiles || settings.isShared) && !mustBegin && isOurs
            guard mayGoOn, !isFull, !deadline.isReached(wall: now, steady: uptime) else {
                finish(entry.name, entry.label)
                report(.foundFinished(name: finishedName(entry)))
                return nil
            }
            let writer = FileWriter(
                file: file, status: status, name: entry.name, label: entry.label, begun: begun, isNew: false,
                hasHeader: true, frames: try cipher.map { try FrameEncoder($0, behind: tail?.last) },
                calls: calls)
            writer.deadline = deadline
            if settings.isShared { _ = try calls.tryLock(file.number, shared: true) }
            inventory.protect(entry.name, true)
            updateLink(entry.name)
            return writer
        }
        return nil
    }

    /// Cuts off what a crash left behind the last whole line or frame.
    private func repair(
        _ file: Descriptor, _ entry: FileInventory.Entry, _ status: inout FileStatus, _ tail: FrameTail?,
        isFramed: Bool, isAlone: Bool
    ) throws(SystemFailure) {
        guard isAlone else { return }
        var cut = 0
        if let tail {
            cut = status.size - tail.end
            if cut > 0 { try calls.truncate(file.number, to: tail.end) }
        } else if !isFramed, settings.repairsTornLines {
            cut = try TornLineRepair.repair(file, size: status.size, calls: calls)
        }
        guard cut > 0 else { return }
        report(.repaired(name: entry.name, bytes: cut))
        status = try calls.status(file.number)
        inventory.resize(entry.name, to: status.size)
    }

    private func isFinished(_ entry: FileInventory.Entry) -> Bool {
        guard let finished = catalogue.finished, entry.name != settings.naming.activeName else {
            return false
        }
        return entry.label <= finished
    }

    /// When a file was begun, as exactly as can be known without believing the file system where the name knows better.
    private func begun(
        _ file: Descriptor, _ entry: FileInventory.Entry, _ status: FileStatus
    ) -> LogTimestamp {
        let nanoseconds = hw_file_birth(file.number)
        let birth = nanoseconds > 0 ? LogTimestamp(nanoseconds: nanoseconds) : status.modified
        guard let begun = entry.label.begun else { return min(birth, status.modified) }
        // A name that tells only the day may be completed by the birth, if that rounds to the same name.
        let naming = settings.naming
        let told = naming.name(for: LogFileLabel(begun: begun))
        let seen = naming.name(for: LogFileLabel(begun: birth))
        return told == seen ? max(begun, birth) : begun
    }

    // MARK: A new file

    /// Makes a new file.
    func begin(_ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?) throws -> FileWriter {
        let naming = settings.naming
        var label = naming.next(
            at: now, after: inventory.newest, process: sharesDirectory && !settings.isShared ? process : nil)
        try removeSurplusName()
        try makeRoomForFile()
        var isActiveRefused = false
        for _ in 0..<10_000 {
            let name =
                isActiveRefused ? naming.name(for: label) : naming.activeName ?? naming.name(for: label)
            guard LogFileNaming.isUsable(name) else { throw LogDirectory.Refusal.badName }
            do {
                let file = try directory.create(name, mode: settings.fileMode)
                calls.protect(file.number, as: settings.protection)
                _ = try calls.tryLock(file.number, shared: settings.isShared)
                return adopt(file, name, label, now, uptime, try cipher.map { try FrameEncoder($0) })
            } catch let failure as SystemFailure where failure.number == EEXIST {
                if name == naming.activeName {
                    if let taken = try takeActive(name, label, now, uptime, cipher) { return taken }
                    isActiveRefused = true
                } else {
                    label.number += 1
                }
            }
        }
        throw SystemFailure(.open, EEXIST)
    }

    private func adopt(
        _ file: Descriptor, _ name: String, _ label: LogFileLabel, _ now: LogTimestamp, _ uptime: Duration,
        _ frames: FrameEncoder?
    ) -> FileWriter {
        let status = (try? calls.status(file.number)) ?? FileStatus(stat())
        let writer = FileWriter(
            file: file, status: status, name: name, label: label, begun: now, isNew: true, hasHeader: true,
            frames: frames, calls: calls)
        renewDeadline(writer, now, uptime)
        inventory.insert(
            FileInventory.Entry(
                name: name, label: label, stage: .plain, size: status.size, modified: now, isProtected: true))
        if name == settings.naming.activeName {
            catalogue.active = label
            storeCatalogue()
        }
        hasUnsyncedNames = true
        updateLink(name)
        if settings.isShared {
            lock.countUp()
            sharedGeneration = lock.generation
        }
        return writer
    }

    /// The fixed active name is taken: by a file that logrotate or another program made for us, or by a trap.
    ///
    /// - Returns: nil where it must not be written to; then the file gets its dated name at once.
    private func takeActive(
        _ name: String, _ label: LogFileLabel, _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?
    ) throws -> FileWriter? {
        let file: Descriptor
        let status: FileStatus
        do {
            (file, status) = try directory.open(name)
        } catch let refusal as LogDirectory.Refusal {
            report(.refused(refusal, name: name))
            return nil
        }
        guard try calls.tryLock(file.number, shared: settings.isShared) else {
            sharesDirectory = true
            return nil
        }
        let tail = try cipher.flatMap { try FrameTail.find(in: file, size: status.size, $0, calls) }
        guard try cipher == nil ? !FrameTail.isFramed(file, calls) : tail?.end == status.size else {
            return nil
        }
        let frames = try cipher.map { try FrameEncoder($0, behind: tail?.last) }
        let writer = adopt(file, name, label, now, uptime, frames)
        writer.hasRecords = status.size > 0
        return writer
    }

    /// Points the symbolic link to the file that is written.
    func updateLink(_ name: String) {
        guard let link = settings.currentLink, link != name else { return }
        do {
            try directory.pointLink(link, to: name)
        } catch let refusal as LogDirectory.Refusal {
            report(.refused(refusal, name: link))
        } catch {
            report(.failed(error as? SystemFailure ?? SystemFailure(.symlink, EIO), name: link, waiting: 0))
        }
    }
}
