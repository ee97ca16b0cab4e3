import CHeartwood

/// Finishing a file: because it is full, or old, or because somebody asks for it.
extension FileEngine {
    /// The policy with the limit that the quota allows.
    var rolling: RollingPolicy {
        var policy = settings.rolling
        policy.maximumSize = settings.retention.effectiveFileSize(policy.maximumSize)
        return policy
    }

    /// Finishes the file and begins the next one at once; keeps the open one where that fails.
    ///
    /// - Returns: whether there is a new file.
    func roll(_ now: LogTimestamp? = nil, _ uptime: Duration? = nil) -> Bool {
        let uptime = uptime ?? clock.uptime()
        guard let old = writer, uptime >= nextRoll else { return false }
        let now = now ?? clock.now()
        do {
            _ = lock.acquire()
            defer { lock.release() }
            let cipher = try currentCipher()
            try giveFinalName(old)
            let new = try begin(now, uptime, cipher)
            writer = new
        } catch {
            nextRoll = uptime + FileEngine.retryInterval
            counters.failures += 1
            report(
                .failed(error as? SystemFailure ?? SystemFailure(.open, EPERM), name: old.name, waiting: 0))
            return false
        }
        close(old)
        applyRetention()
        return true
    }

    /// Finishes the file that is written, or that the next line would have gone on with.
    ///
    /// The next line begins a file.
    ///
    /// - Returns: false where it was not possible; the file is then still written to.
    @discardableResult
    package func rollNow() -> Bool {
        checkProcess()
        retry()
        guard let old = writer else {
            mustBegin = true
            return finishLeftover()
        }
        guard old.hasRecords else { return true }
        do {
            _ = lock.acquire()
            defer { lock.release() }
            try giveFinalName(old)
        } catch {
            note(error)
            return false
        }
        writer = nil
        close(old)
        if settings.isShared { lock.countUp() }
        applyRetention()
        return true
    }

    /// Before the first line: finishes the newest file of an earlier run.
    private func finishLeftover() -> Bool {
        do {
            try start()
            let newest = inventory.entries.last { !$0.isUnfinished }
            guard let newest, newest.stage == .plain, !newest.isProtected else { return true }
            if let finished = catalogue.finished, newest.label <= finished { return true }
            let (file, _) = try directory.open(newest.name)
            guard try calls.tryLock(file.number) else { return true }
            finish(newest.name, newest.label)
            report(.foundFinished(name: finishedName(newest)))
            return true
        } catch {
            note(error)
            return false
        }
    }

    /// Gives a file with the fixed active name the name that it keeps.
    private func giveFinalName(_ file: FileWriter) throws {
        guard file.name == settings.naming.activeName else { return }
        let old = file.name
        file.name = try renameFinal(old, file.label)
        inventory.rename(old, to: file.name)
    }

    private func renameFinal(_ old: String, _ label: LogFileLabel) throws -> String {
        var label = label
        while true {
            let name = settings.naming.name(for: label)
            guard LogFileNaming.isUsable(name) else { throw LogDirectory.Refusal.badName }
            do {
                if try !directory.rename(old, to: name) { surplusName = old }
                hasUnsyncedNames = true
                return name
            } catch let failure as SystemFailure where failure.number == EEXIST {
                label.number += 1
            }
        }
    }

    private func close(_ old: FileWriter) {
        if settings.sync != .never {
            _ = try? old.sync()
        } else {
            rememberUnsynced(old.name)
        }
        counters.rolls += 1
        finish(old.name, old.label)
        inventory.modify(old.name, at: clock.now())
        inventory.protect(old.name, false)
        // Others wait for this lock, and a child that a fork made holds the file open as well.
        calls.unlock(old.file.number)
        report(.rolled(name: old.name))
    }

    /// Remembers a finished file for ``synchronize()``; those that are gone are forgotten.
    private func rememberUnsynced(_ name: String) {
        unsyncedFiles.append(name)
        guard unsyncedFiles.count > 256 else { return }
        let there = Set(inventory.entries.map(\.name))
        unsyncedFiles = unsyncedFiles.filter(there.contains).suffix(1024)
    }

    /// Notes that a file is never written to again.
    func finish(_ name: String, _ label: LogFileLabel) {
        catalogue.finished = max(catalogue.finished ?? label, label)
        catalogue.active = nil
        storeCatalogue()
    }

    /// The name of a finished file that an earlier run left; one with the fixed active name gets its own.
    func finishedName(_ entry: FileInventory.Entry) -> String {
        guard entry.name == settings.naming.activeName else { return entry.name }
        guard let name = try? renameFinal(entry.name, entry.label) else { return entry.name }
        inventory.rename(entry.name, to: name)
        return name
    }

    /// Removes the old name that a file kept when it was renamed; until that is done, no file is begun under it.
    func removeSurplusName() throws {
        guard let name = surplusName else { return }
        try directory.remove(name)
        surplusName = nil
        refreshInventory()
    }

    /// Completes the renaming of the active file that a crash cut in two.
    func finishRenaming() {
        guard let active = settings.naming.activeName else { return }
        guard let status = try? directory.status(active), status.kind == .regular, status.links > 1 else {
            return
        }
        for entry in inventory.entries where entry.name != active {
            guard (try? directory.status(entry.name))?.identity == status.identity else { continue }
            _ = try? directory.remove(active)
            inventory.remove(active)
            return
        }
    }

    /// Removes what a crash left of archives: those that were never completed, and logs whose archive is complete.
    func finishArchiving() {
        let entries = inventory.entries
        let complete = Set(entries.lazy.filter { $0.stage != .plain && !$0.isUnfinished }.map(\.name))
        for entry in entries {
            let hasArchive =
                entry.stage == .plain
                && ArchiveStage.allCases.contains {
                    $0 != .plain && complete.contains(entry.name + $0.rawValue)
                }
            guard entry.isUnfinished || hasArchive, !entry.isProtected else { continue }
            guard let (file, _) = try? directory.open(entry.name), (try? calls.tryLock(file.number)) == true,
                (try? directory.remove(entry.name)) == true
            else { continue }
            inventory.remove(entry.name)
        }
    }

    /// The finished files that are not archives yet, or that the processor has not dealt with, oldest first.
    package var unarchived: [String] {
        guard let finished = catalogue.finished else { return [] }
        let processed = Set(catalogue.processed)
        return inventory.entries.filter { entry in
            !entry.isUnfinished && entry.name != writer?.name && entry.name != settings.naming.activeName
                && entry.label <= finished && !processed.contains(entry.name)
        }.map(\.name)
    }

    /// Notes that the processor has dealt with a file, so that it is not processed again in the next run.
    package func noteProcessed(_ name: String) {
        catalogue.processed = catalogue.processed.filter { $0 != name } + [name]
        storeCatalogue()
    }

    /// Writes the catalogue, together with what other processes have noted in it.
    func storeCatalogue() {
        do {
            _ = lock.acquire()
            defer { lock.release() }
            let there = Set(inventory.entries.map(\.name))
            let others = FileCatalogue.load(directory, settings.naming)
            if let finished = others.finished {
                catalogue.finished = max(catalogue.finished ?? finished, finished)
            }
            let added = others.processed.filter { !catalogue.processed.contains($0) }
            catalogue.processed = (added + catalogue.processed).filter { there.contains($0) }
            try catalogue.store(directory, settings.naming)
        } catch {
            report(.failed(error as? SystemFailure ?? SystemFailure(.open, EIO), name: nil, waiting: 0))
        }
    }

    // MARK: Time

    /// Does what is due: tries again, synchronises, rolls an idle file.
    package func tick() {
        checkProcess()
        let now = clock.now()
        let uptime = clock.uptime()
        compareClocks(now, uptime)
        try? removeSurplusName()
        if !isIdle, uptime >= nextAttempt { retry() }
        if let writer, writer.hasRecords {
            if now < writer.deadline.earliest {
                writer.deadline = rolling.deadline(begun: writer.begun, wall: now, steady: uptime)
            }
            if writer.deadline.isReached(wall: now, steady: uptime), uptime >= nextRoll {
                rollIdle(writer, uptime)
            }
        }
        if settings.retention.maximumAge > .zero, isStarted, uptime >= nextAgeCheck { applyRetention() }
        synchronizeIfDue(false)
    }

    private func rollIdle(_ writer: FileWriter, _ uptime: Duration) {
        _ = beginWrite()
        defer { endWrite() }
        if settings.isShared { followOthers(writer) }
        if self.writer === writer, !rollNow() { nextRoll = uptime + .seconds(1) }
    }

    /// How long until ``tick()`` has something to do; nil for never.
    package var untilTick: Duration? {
        let uptime = clock.uptime()
        var delays: [Duration] = []
        if !isIdle { delays.append(max(.zero, nextAttempt - uptime)) }
        if surplusName != nil { delays.append(FileEngine.retryInterval) }
        if let writer, writer.hasRecords {
            // The wall clock may be set meanwhile: look again after ten minutes at the latest.
            let delay = writer.deadline.delay(wall: clock.now(), steady: uptime)
            if let delay { delays.append(max(nextRoll - uptime, min(delay, .seconds(600)))) }
        }
        if case .interval(let interval) = settings.sync, let unsyncedSince {
            delays.append(max(.milliseconds(10), unsyncedSince + interval - uptime))
        }
        if settings.retention.maximumAge > .zero, isStarted {
            delays.append(max(.seconds(1), nextAgeCheck - uptime))
        }
        return delays.min()
    }

    /// Notices that the wall clock was set forward; ages of files are then not believed for an hour.
    func compareClocks(_ now: LogTimestamp, _ uptime: Duration) {
        if let lastSeen, now - lastSeen.wall > (uptime - lastSeen.steady) + .seconds(3600) {
            distrustedUntil = uptime + .seconds(3600)
        }
        lastSeen = (now, uptime)
    }

    // MARK: The disk

    /// Puts everything that was written on the disk: the open file, those that were finished, and their names.
    package func synchronize() throws(SystemFailure) {
        do throws(SystemFailure) {
            while let name = unsyncedFiles.first {
                // One that is gone was removed by the limits, or is an archive, which is on the disk already.
                if let (file, _) = try? directory.open(name, acceptsLinked: true) {
                    try calls.sync(file.number)
                }
                unsyncedFiles.removeFirst()
            }
            if let writer { try writer.sync() }
            if hasUnsyncedNames {
                try calls.syncDirectory(directory.descriptor.number)
                hasUnsyncedNames = false
            }
        } catch {
            counters.failures += 1
            // Not again at once: a disk that fails once fails for a while.
            if unsyncedSince != nil { unsyncedSince = clock.uptime() }
            report(.failed(error, name: writer?.name, waiting: 0))
            throw error
        }
        unsyncedSince = nil
    }

    func synchronizeIfDue(_ isUrgent: Bool) {
        guard let unsyncedSince else { return }
        switch settings.sync {
        case .never: self.unsyncedSince = nil
        case .everyBatch: try? synchronize()
        case .levels: if isUrgent { try? synchronize() }
        case .interval(let interval):
            if isUrgent || clock.uptime() - unsyncedSince >= interval { try? synchronize() }
        }
    }
}
