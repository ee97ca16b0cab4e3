import CHeartwood

/// The file that is written, and when it is left: because others took it away, or have finished it.
///
/// Not thread-safe: owned by the engine.
final class OpenFile {
    private let scene: FileScene
    private let ledger: FileLedger
    private let opener: FileOpener
    /// The file; nil for none.
    @exclusivity(unchecked) private(set) var writer: FileWriter?
    /// The process that it belongs to; another one after a fork.
    @exclusivity(unchecked) var owner: ProcessOwner

    init(_ scene: FileScene, _ ledger: FileLedger, _ opener: FileOpener) {
        self.scene = scene
        self.ledger = ledger
        self.opener = opener
        owner = ProcessOwner(scene.calls)
    }

    /// Writes to `next` from here on; the one before is finished, or was released.
    func change(to next: FileWriter?) { writer = next }

    /// Releases the file without finishing it.
    func release(_ writer: FileWriter) {
        scene.inventory.protect(writer.name, false)
        if owner.isHere(scene.calls) { scene.calls.unlock(writer.file.number) }
        self.writer = nil
        opener.survey.refresh()
    }

    /// Releases a file that is not under its name any more: the name may be another file's by now.
    ///
    /// - Returns: whether it was released.
    func releaseIfTakenAway(_ writer: FileWriter, _ status: FileStatus) -> Bool {
        let place = writer.place(status, in: scene.directory)
        guard place != .inPlace else { return false }
        scene.report(.disturbed(name: writer.name, place))
        if writer.name == scene.settings.naming.activeName { ledger.forgetActive() }
        // A file with the fixed active name that is there by now was made for us; any other is another's.
        if writer.name != scene.settings.naming.activeName { opener.requireNew() }
        release(writer)
        return true
    }

    /// In shared mode: leaves a file that another process has finished.
    func followOthers(_ writer: FileWriter) {
        guard ledger.hasChanges else { return }
        ledger.load()
        // Where that cannot be read, it is looked at again before the next write.
        guard ledger.isKnown else { return }
        ledger.noteSeen()
        guard ledger.catalogue.isFinished(writer.name, writer.label) else { return }
        release(writer)
    }

    // MARK: Time

    /// Computes the deadline again where the wall clock was set back far.
    func renewDeadlineIfSetBack(_ writer: FileWriter, _ now: LogTimestamp, _ uptime: Duration) {
        guard now < writer.deadline.earliest else { return }
        renewDeadline(writer, writer.createdAt, now, uptime)
    }

    /// Computes the deadline of a file that counts from `createdAt`.
    func renewDeadline(
        _ writer: FileWriter, _ createdAt: LogTimestamp, _ now: LogTimestamp, _ uptime: Duration
    ) {
        writer.deadline = scene.rolling.deadline(createdAt: createdAt, wall: now, steady: uptime)
    }
}
