import CHeartwood

/// Opens the file that is written next: one that an earlier run left, or a new one.
///
/// Whatever a file that is there refuses, the logger continues with another one. ``FileFinder`` looks for one
/// to continue, ``FileCreator`` creates one, ``FileNames`` gives names, and ``FileLocks`` takes locks.
///
/// Not thread-safe: owned by the engine.
final class FileOpener {
    let survey: DirectorySurvey
    let names: FileNames
    private let scene: FileScene
    private let ledger: FileLedger
    private let locks: FileLocks
    private let finder: FileFinder
    private let creator: FileCreator
    /// The next file must not be one that is there already.
    private var mustBegin = false

    init(_ scene: FileScene, _ ledger: FileLedger, _ budget: DiskBudget) {
        self.scene = scene
        self.ledger = ledger
        survey = DirectorySurvey(scene, ledger)
        locks = FileLocks(scene)
        names = FileNames(scene, ledger, survey)
        finder = FileFinder(scene, ledger, locks, names)
        creator = FileCreator(scene, ledger, budget, survey, locks, names)
    }

    /// Has the next file be a new one.
    func requireNew() { mustBegin = true }

    /// Another process or logger writes to this directory.
    func noteSharing() { locks.noteSharing() }

    /// Opens the file to write to.
    func open(_ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?) throws -> FileWriter {
        if !scene.directory.isInPlace {
            try scene.directory.reopen()
            ledger.lock.reset()
            survey.refresh()
        }
        let isLocked = ledger.lock.acquire()
        defer { ledger.lock.release() }
        let hasChanges = ledger.hasChanges
        ledger.load()
        if isLocked, hasChanges {
            survey.refresh()
            ledger.noteSeen()
        }
        if isLocked { names.correctNames(now) }
        // A file that several processes write to is opened only while no other one writes.
        let isShared = scene.settings.isShared && isLocked
        if !mustBegin, isShared == scene.settings.isShared, ledger.isKnown,
            let found = try finder.find(now, uptime, cipher)
        {
            return found
        }
        let new = try creator.create(now, uptime, cipher, isShared: isShared, finishing: nil)
        mustBegin = false
        return new
    }

    /// Finishes the files that earlier runs left, but those that other processes and loggers use.
    func finishLeftovers() throws { try finder.finishLeftovers() }

    /// Creates the file that comes after one that is finished by that.
    func createNext(
        _ now: LogTimestamp, _ uptime: Duration, _ cipher: FrameCipher?, after old: FileWriter
    ) throws -> FileWriter {
        try creator.create(now, uptime, cipher, isShared: old.isShared, finishing: (old.name, old.label))
    }
}
