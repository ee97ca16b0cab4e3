import CHeartwood

/// Finishes the file that is written, and has the next one created.
///
/// Where the next one cannot be created, records go on into the file that is open.
///
/// Not thread-safe: owned by the engine.
final class FileRoller {
    private let scene: FileScene
    private let ledger: FileLedger
    private let budget: DiskBudget
    private let opener: FileOpener
    private let current: OpenFile
    private let failures: FileFailures
    private let disk: DiskSync

    init(
        _ scene: FileScene, _ ledger: FileLedger, _ budget: DiskBudget, _ opener: FileOpener,
        _ current: OpenFile, _ failures: FileFailures, _ disk: DiskSync
    ) {
        self.scene = scene
        self.ledger = ledger
        self.budget = budget
        self.opener = opener
        self.current = current
        self.failures = failures
        self.disk = disk
    }

    /// Finishes the file and creates the next one at once; keeps the open one where that fails.
    ///
    /// - Returns: whether there is a new file.
    func roll(_ now: LogTimestamp? = nil, _ uptime: Duration? = nil) -> Bool {
        let uptime = uptime ?? scene.clock.uptime()
        guard let old = current.writer, !old.isTorn, failures.health.mayRoll(at: uptime) else { return false }
        let now = now ?? scene.clock.now()
        let name = old.name
        _ = ledger.lock.acquire()
        defer { ledger.lock.release() }
        do {
            let cipher = try scene.cipher()
            try opener.names.giveFinalName(old, now)
            current.change(to: try opener.createNext(now, uptime, cipher, after: old))
        } catch {
            // With its final name, it would count as finished.
            if old.name != name { ledger.note(opened: old, finished: []) }
            failures.note(cannotRoll: old, error, at: uptime)
            return false
        }
        disk.noteName()
        retire(old)
        budget.apply()
        return true
    }

    /// Finishes the file that is written, or that the next line would have continued; the next line creates a
    /// file.
    ///
    /// - Parameter keepsEmpty: Whether a file without records stays as it is.
    /// - Returns: false where it was not possible; the file is then still written to.
    func finish(keepsEmpty: Bool) -> Bool {
        guard let old = current.writer else {
            opener.requireNew()
            return finishLeftovers()
        }
        guard old.hasRecords || !keepsEmpty else { return true }
        let isLocked = ledger.lock.acquire()
        defer { ledger.lock.release() }
        do {
            guard isLocked || !old.isShared else { throw SystemFailure(.lock, EAGAIN) }
            if try current.releaseIfTakenAway(old, old.refresh()) { return true }
            guard !old.isTorn else { throw SystemFailure(.truncate, EIO) }
            try opener.names.giveFinalName(old, scene.clock.now())
        } catch {
            failures.note(error)
            return false
        }
        disk.noteName()
        if !scene.settings.isShared { opener.requireNew() }
        leaveFinished(old)
        budget.apply()
        return true
    }

    /// Before the first line: finishes the files of earlier runs.
    private func finishLeftovers() -> Bool {
        do {
            try opener.survey.start()
            try opener.finishLeftovers()
            return true
        } catch {
            failures.note(error)
            return false
        }
    }

    /// Notes that a file is finished, and closes it.
    func leaveFinished(_ old: FileWriter) {
        current.change(to: nil)
        ledger.note(opened: nil, finished: [(old.name, old.label)])
        retire(old)
    }

    /// Closes a file that is finished.
    private func retire(_ old: FileWriter) {
        disk.finish(old)
        scene.counters.rolls += 1
        let modified = try? scene.calls.status(old.file.number).modified
        scene.inventory.modify(old.name, at: modified ?? scene.clock.now())
        scene.inventory.protect(old.name, false)
        // Others wait for this lock, and a child that a fork made holds the file open as well.
        scene.calls.unlock(old.file.number)
        scene.report(.rolled(name: old.name))
    }
}
