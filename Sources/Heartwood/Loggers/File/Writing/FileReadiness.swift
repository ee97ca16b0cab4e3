import CHeartwood

/// Gets the file ready that the next record goes to: opened, examined, with a header, and with a whole last
/// line.
///
/// Not thread-safe: owned by the engine.
final class FileReadiness {
    private let scene: FileScene
    private let ledger: FileLedger
    private let budget: DiskBudget
    private let opener: FileOpener
    private let current: OpenFile
    private let failures: FileFailures
    private let roller: FileRoller
    private let disk: DiskSync
    /// The header of a new file; empty for none.
    private let header: () -> [UInt8]
    /// The bytes of the last header.
    @exclusivity(unchecked) private(set) var headerSize = 0
    @exclusivity(unchecked) private var look: FileLook

    /// Makes the part that gets files ready, of parts that the engine has.
    ///
    /// - Parameters:
    ///   - scene: what all parts have in common.
    ///   - ledger: what is finished.
    ///   - budget: what makes room for headers.
    ///   - opener: what opens files.
    ///   - current: the file that is written.
    ///   - failures: where failures are noted.
    ///   - roller: what finishes files.
    ///   - disk: what puts names on the disk.
    ///   - lookInterval: how long a look at the open file is enough for.
    ///   - header: the header of a new file; empty for none.
    init(
        _ scene: FileScene, _ ledger: FileLedger, _ budget: DiskBudget, _ opener: FileOpener,
        _ current: OpenFile, _ failures: FileFailures, _ roller: FileRoller, _ disk: DiskSync,
        lookInterval: Duration, header: @escaping () -> [UInt8]
    ) {
        self.scene = scene
        self.ledger = ledger
        self.budget = budget
        self.opener = opener
        self.current = current
        self.failures = failures
        self.roller = roller
        self.disk = disk
        self.header = header
        look = FileLook(interval: lookInterval)
    }

    /// Gets the file ready that the next record goes to.
    ///
    /// - Parameters:
    ///   - isLocked: whether a shared file is this process's alone for the moment.
    ///   - isJournaled: whether the journal is told of the write, and so of the exact size of the file.
    /// - Returns: the file.
    /// - Throws: why no file can be written.
    func ready(isLocked: Bool, isJournaled: Bool = false) throws -> FileWriter {
        let now = scene.clock.now()
        let uptime = scene.clock.uptime()
        scene.watch.compare(now, uptime)
        if scene.settings.isShared, let writer = current.writer { try leave(writer, isLocked) }
        if let writer = current.writer {
            if mayRelyOnLook(writer, now, uptime, isJournaled: isJournaled) {
                look.skip()
                return writer
            }
            look.expire()
            try examine(writer, now, uptime)
            look.note(at: uptime)
        }
        var ready = try current.writer ?? open(now, uptime)
        if ready.isShared, try !ready.followFrames() {
            // Encrypted with another key by now: it is left to the others.
            guard roller.roll(), let next = current.writer else { throw SystemFailure(.open, EPERM) }
            ready = next
        }
        if let cut = try ready.endTornLine(mayCut: ready.isShared) {
            scene.report(.repaired(name: ready.name, bytes: cut))
            scene.inventory.resize(ready.name, to: ready.size)
        }
        if ready.needsHeader { try writeHeader(ready) }
        return ready
    }

    /// Whether the last look at the file is enough for a write now.
    ///
    /// Not where what others do to the file meanwhile could do harm: other processes write to a file that is
    /// shared, the first bytes of encrypted files and of files with a header must be there, and the journal
    /// needs the exact size.
    private func mayRelyOnLook(
        _ writer: FileWriter, _ now: LogTimestamp, _ uptime: Duration, isJournaled: Bool
    ) -> Bool {
        // Not of a copy of the settings: to make one costs more than the rest.
        !look.isDue(at: uptime)
            && !isJournaled && !scene.settings.isShared && !writer.isShared && !writer.isFramed
            && !scene.settings.hasHeader && headerSize == 0 && !writer.needsHeader && !writer.isTorn
            && now >= writer.deadline.earliest && !writer.deadline.isReached(wall: now, steady: uptime)
    }

    /// Until when a file needs nothing before a write, as far as is known at this moment; nil where it does.
    func end(of writer: FileWriter, at uptime: Duration) -> Duration? {
        let now = scene.clock.now()
        guard mayRelyOnLook(writer, now, uptime, isJournaled: false), let end = look.end else { return nil }
        return writer.deadline.delay(wall: now, steady: uptime).map { min(end, uptime + $0) } ?? end
    }

    /// Has the file looked at before the next write.
    ///
    /// - Returns: whether the write at hand relied on an earlier look, and so should be tried again.
    func expireLook() -> Bool {
        defer { look.expire() }
        return look.isSkipped
    }

    /// Has the file looked at before each write for a second, or only before the next one.
    func lookClosely(forWhile: Bool) {
        look.expire()
        if forWhile { look.beClose(until: scene.clock.uptime() + .seconds(1)) }
    }

    private func open(_ now: LogTimestamp, _ uptime: Duration) throws -> FileWriter {
        try opener.survey.start()
        let opened = try opener.open(now, uptime, scene.cipher())
        disk.noteName()
        current.change(to: opened)
        look.note(at: uptime)
        return opened
    }

    /// Leaves the file of all while its lock cannot be had, and the file of this process alone once it can.
    private func leave(_ writer: FileWriter, _ isLocked: Bool) throws {
        guard writer.isShared != isLocked else { return }
        // The part of a record is completed where it is, or cut off there.
        if writer.isTorn {
            guard writer.isShared else { return }
            if try current.releaseIfTakenAway(writer, scene.calls.status(writer.file.number)) { return }
            throw SystemFailure(.lock, EAGAIN)
        }
        guard isLocked, writer.hasRecords else { return current.release(writer) }
        let status = try writer.refresh()
        guard !current.releaseIfTakenAway(writer, status), !writer.isTorn else { return }
        roller.leaveFinished(writer)
    }

    private func writeHeader(_ writer: FileWriter) throws {
        let bytes = header()
        headerSize = bytes.count
        guard !bytes.isEmpty else {
            writer.needsHeader = false
            return
        }
        try budget.makeRoom(for: bytes.count)
        if let failure = bytes.withUnsafeBytes({ writer.writeHeader($0) }) { throw failure }
        scene.inventory.resize(writer.name, to: writer.size)
    }

    // MARK: Examining

    /// Releases a file that others took away, and rolls one whose time is over.
    ///
    /// - Throws: why the file cannot be examined; nothing must be written to it then.
    private func examine(_ writer: FileWriter, _ now: LogTimestamp, _ uptime: Duration) throws {
        do {
            let wasTorn = writer.isTorn
            let status = try writer.refresh()
            scene.inventory.resize(writer.name, to: writer.size)
            if wasTorn, !writer.isTorn {
                scene.report(.repaired(name: writer.name, bytes: status.size - writer.size))
            }
            if current.releaseIfTakenAway(writer, status) { return }
            writer.checkLimit()
        } catch {
            guard writer.mustCut || error.number == EBADF else { throw error }
            // What is at its end cannot be cut off, or it was closed by others: leave it alone.
            failures.note(error)
            opener.requireNew()
            ledger.note(opened: nil, finished: [(writer.name, writer.label)])
            current.release(writer)
            return
        }
        current.renewDeadlineIfSetBack(writer, now, uptime)
        if writer.isShared {
            current.followOthers(writer)
            guard current.writer === writer else { return }
        }
        guard writer.deadline.isReached(wall: now, steady: uptime) else { return }
        if writer.hasRecords {
            _ = roller.roll(now, uptime)
        } else {
            current.renewDeadline(writer, now, now, uptime)
        }
    }
}
