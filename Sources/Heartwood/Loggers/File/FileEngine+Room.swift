import CHeartwood

/// Keeping within the limits of room: retention, quota, free space; and sharing a directory with others.
extension FileEngine {
    // MARK: Retention

    /// Removes what the limits say, in one process at a time.
    package func applyRetention(incoming: Int = 0, incomingFiles: Int = 0) {
        guard lock.acquire(waits: false) || incoming > 0 else {
            lock.release()
            return
        }
        defer { lock.release() }
        let uptime = clock.uptime()
        let now = uptime < distrustedUntil ? nil : clock.now()
        nextAgeCheck = uptime + untilTooOld
        var held: Set<String> = []
        var isSettled = false
        while !isSettled {
            isSettled = true
            let removals = inventory.removals(
                settings.retention, now: now, incoming: incoming, incomingFiles: incomingFiles, held: held)
            var removed: Set<String> = []
            for file in removals {
                if remove(file.name) {
                    removed.insert(file.name)
                } else {
                    // Held by somebody: the plan must do without it.
                    held.insert(file.name)
                    isSettled = false
                }
            }
            inventory.remove(removed)
        }
    }

    /// How long until the oldest file is too old: from a minute to an hour, so that a clock that is set does no harm.
    private var untilTooOld: Duration {
        let age = settings.retention.maximumAge
        guard age > .zero, let oldest = inventory.entries.first(where: { !$0.isProtected }) else {
            return .seconds(3600)
        }
        return min(max(oldest.modified + age - clock.now(), .seconds(60)), .seconds(3600))
    }

    /// Removes a file unless somebody holds it.
    ///
    /// - Returns: false where it must stay.
    private func remove(_ name: String) -> Bool {
        do {
            // Only a file that could be locked is nobody's. What cannot be opened at all nobody writes to.
            if let (file, _) = try? directory.open(name, acceptsLinked: true) {
                guard try calls.tryLock(file.number) else { return false }
            }
            try directory.remove(name)
            report(.removed(name: name))
            return true
        } catch {
            counters.failures += 1
            report(.failed(error as? SystemFailure ?? SystemFailure(.unlink, EIO), name: name, waiting: 0))
            return false
        }
    }

    /// Makes room for the archive of a file, by removing older files only.
    package func makeRoom(forArchive bytes: Int, of label: LogFileLabel) -> Bool {
        let quota = settings.retention.quota
        guard quota > 0, inventory.total + bytes > quota else { return true }
        let removals = inventory.removals(settings.retention, now: nil, incoming: bytes)
        guard removals.allSatisfy({ $0.label < label }) else { return false }
        applyRetention(incoming: bytes)
        return inventory.total + bytes <= quota
    }

    /// Makes room in the count before a file is begun.
    func makeRoomForFile() throws {
        // Others may have changed the directory. Looking costs a call per file, so not where there are very many.
        if sharesDirectory || inventory.entries.count <= 200 { refreshInventory() }
        // The open file is about to be finished, so it may go, too, where only one is kept.
        applyRetention(incomingFiles: 1)
    }

    /// Makes room in the quota.
    ///
    /// - Throws: `EDQUOT` where that is not possible.
    func makeRoom(for bytes: Int) throws(SystemFailure) {
        let quota = settings.retention.quota
        guard quota > 0, inventory.total + bytes > quota else { return }
        applyRetention(incoming: bytes)
        guard inventory.total + bytes > quota else { return }
        throw SystemFailure(.write, EDQUOT)
    }

    /// How many records the quota has room for, after older files were removed for them.
    ///
    /// - Returns: zero for a record that can never be written; nil where the file was rolled to make room.
    func fitQuota(_ ends: ArraySlice<Int>, from start: Int, _ writer: FileWriter) throws(SystemFailure)
        -> Int?
    {
        let quota = settings.retention.quota
        guard quota > 0, let last = ends.last, let first = ends.first else { return ends.count }
        if inventory.total + (last - start) <= quota { return ends.count }
        // Nothing is removed for a record that can never be written.
        if first - start + headerSize > quota { return 0 }
        applyRetention(incoming: last - start)
        let room = quota - inventory.total
        if last - start <= room { return ends.count }
        let count = ends.prefix { $0 - start <= room }.count
        if count > 0 { return count }
        // Only this file is left to take the room: finish it, so that it can go.
        if writer.hasRecords, roll() { return nil }
        throw SystemFailure(.write, EDQUOT)
    }

    // MARK: Free space

    /// Makes sure that the file system keeps the free space that it must keep.
    func spendSpace(_ bytes: Int) throws(SystemFailure) {
        guard settings.minimumFreeSpace > 0 else { return }
        if bytes > spaceCredit {
            let (free, total) = try calls.freeSpace(directory.descriptor.number)
            let minimum = min(settings.minimumFreeSpace, total / 100)
            guard free - bytes > minimum else { throw SystemFailure(.freeSpace, ENOSPC) }
            spaceCredit = max(bytes, min((free - minimum) / 4, 16 << 20))
        }
        spaceCredit -= bytes
    }

    // MARK: Several processes

    /// Takes the lock that shared writing needs.
    ///
    /// - Returns: whether the file is this process' alone for the moment, so that it may be cut.
    func beginWrite() -> Bool {
        guard settings.isShared else { return true }
        return lock.acquire()
    }

    func endWrite() {
        if settings.isShared { lock.release() }
    }

    /// After a fork, the child forgets what its parent will write, and begins a file of its own.
    func checkProcess() {
        let current = getpid()
        guard current != process else { return }
        process = current
        sharesDirectory = true
        mustBegin = !settings.isShared
        if let writer { inventory.protect(writer.name, true) }
        writer = nil
        slot = nil
        forgetWaiting()
    }

    // MARK: Settings

    /// Takes new settings; limits hold at once.
    ///
    /// Before the engine has started nothing is done: settings come one by one, and the first must not remove what the
    /// second would keep.
    package func apply(_ new: FileSettings) {
        let old = settings
        guard isStarted else {
            settings = new
            return
        }
        if old.naming !== new.naming || old.isShared != new.isShared {
            // With the old names, which the file has.
            if let writer { finishForChange(writer) }
            isStarted = false
            mustBegin = true
        }
        settings = new
        if let writer, writer.isFramed != new.isEncrypted || (writer.isFramed && !hasKey(writer)) {
            finishForChange(writer)
            mustBegin = true
        }
        if let writer, old.rolling != new.rolling || old.retention != new.retention {
            let now = clock.now()
            let uptime = clock.uptime()
            writer.deadline = rolling.deadline(begun: writer.begun, wall: now, steady: uptime)
            let limit = rolling.maximumSize
            let isOver = limit > 0 && writer.size >= limit
            if writer.hasRecords, isOver || writer.deadline.isReached(wall: now, steady: uptime) { rollNow() }
        }
        if old.retention != new.retention || old.rolling.maximumSize != new.rolling.maximumSize {
            advise()
            do {
                try start()
                applyRetention()
            } catch {
                note(error)
            }
        }
        if old.currentLink != new.currentLink, let writer { updateLink(writer.name) }
        if old.minimumFreeSpace != new.minimumFreeSpace { spaceCredit = 0 }
    }

    /// Whether the file is encrypted with the key that is to be used from now on.
    private func hasKey(_ writer: FileWriter) -> Bool {
        (try? currentCipher()) == writer.cipher
    }

    /// Tells of settings that contradict each other.
    package func advise() {
        for advice in settings.retention.contradictions(maximumFileSize: settings.rolling.maximumSize) {
            report(.advice(advice))
        }
    }

    private func finishForChange(_ writer: FileWriter) {
        if writer.hasRecords { rollNow() } else { release(writer) }
        self.writer = nil
    }

    /// Lets go of the file; it may be gone on with later.
    package func close() {
        retry()
        giveUpWaiting()
        letGo()
    }

    /// Closes the file, and keeps what waits; the next record opens it again.
    package func reopen() {
        retry()
        letGo()
    }

    private func letGo() {
        guard let writer else { return }
        if settings.sync != .never { _ = try? writer.sync() }
        release(writer)
    }
}
