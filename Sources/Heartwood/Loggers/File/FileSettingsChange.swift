/// Takes new settings, whose limits hold at once.
///
/// Not thread-safe: owned by the engine.
struct FileSettingsChange {
    let scene: FileScene
    let budget: DiskBudget
    let opener: FileOpener
    let current: OpenFile
    let failures: FileFailures
    /// Finishes the file that is written; false where that is not possible.
    let roll: () -> Bool

    /// Takes new settings.
    ///
    /// Before the engine has started nothing is done: settings come one by one, and the first must not remove
    /// what the second would keep.
    func apply(_ new: FileSettings) {
        let old = scene.settings
        guard opener.survey.isStarted else {
            scene.settings = new
            return
        }
        if old.naming !== new.naming || old.scheme !== new.scheme || old.isShared != new.isShared {
            // With the old names, which the file has.
            if let writer = current.writer { leave(writer) }
            opener.survey.forgetStart()
            opener.requireNew()
        }
        scene.settings = new
        if let writer = current.writer,
            writer.isFramed != new.isEncrypted || (writer.isFramed && !hasKey(writer))
        {
            leave(writer)
            opener.requireNew()
        }
        if old.rolling != new.rolling || old.retention != new.retention { rollIfOver() }
        if old.retention != new.retention || old.rolling.maximumSize != new.rolling.maximumSize {
            advise()
            do {
                try opener.survey.start()
                budget.apply()
            } catch {
                failures.note(error)
            }
        }
        if old.currentLink != new.currentLink, let writer = current.writer {
            opener.names.updateLink(writer.name)
        }
        if old.minimumFreeSpace != new.minimumFreeSpace { budget.forgetFreeSpace() }
    }

    /// Tells of settings that contradict each other.
    func advise() {
        let settings = scene.settings
        for advice in settings.retention.contradictions(maximumFileSize: settings.rolling.maximumSize) {
            scene.report(.advice(advice))
        }
    }

    private func rollIfOver() {
        guard let writer = current.writer else { return }
        let (now, uptime) = (scene.clock.now(), scene.clock.uptime())
        current.renewDeadline(writer, writer.createdAt, now, uptime)
        let limit = scene.rolling.maximumSize
        let isOver = limit > 0 && writer.size >= limit || writer.deadline.isReached(wall: now, steady: uptime)
        if writer.hasRecords, isOver { _ = roll() }
    }

    /// Whether the file is encrypted with the key that is to be used from now on.
    private func hasKey(_ writer: FileWriter) -> Bool {
        (try? scene.cipher()) == writer.cipher
    }

    /// Finishes the file, or releases it where that is not possible.
    private func leave(_ writer: FileWriter) {
        if !writer.hasRecords || !roll(), current.writer === writer { current.release(writer) }
    }
}
