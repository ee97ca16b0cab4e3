import CHeartwood

/// Asks the disk to keep what was written: the open file, those that were finished, and their names.
///
/// ``SyncPlan`` says when; this makes the calls.
///
/// Not thread-safe: owned by the engine.
final class DiskSync {
    private let scene: FileScene
    private let current: OpenFile
    @exclusivity(unchecked) private var plan = SyncPlan()

    init(_ scene: FileScene, _ current: OpenFile) {
        self.scene = scene
        self.current = current
    }

    func noteWrite() { plan.noteWrite(at: scene.clock.uptime()) }

    /// A file was created or renamed.
    func noteName() { plan.noteName() }

    /// Synchronizes a file that is finished, or remembers it for the next ``synchronize()``.
    func finish(_ file: FileWriter) {
        if scene.settings.sync != .never {
            _ = try? file.sync()
        } else {
            plan.noteFinished(file.name) { [inventory = scene.inventory] in
                Set(inventory.entries.map(\.name))
            }
        }
    }

    /// Puts everything that was written on the disk.
    func synchronize() throws(SystemFailure) {
        do throws(SystemFailure) {
            while let name = plan.files.first {
                // One that is gone was removed by the limits, or is an archive, which is on the disk already.
                if let (file, _) = try? scene.directory.open(name, acceptsLinked: true) {
                    try scene.calls.sync(file.number)
                }
                plan.noteFileSynced()
            }
            if let writer = current.writer { try writer.sync() }
            if plan.hasNames {
                try scene.calls.syncDirectory(scene.directory.descriptor.number)
                plan.noteNamesSynced()
            }
        } catch {
            scene.counters.failures += 1
            plan.noteFailure(at: scene.clock.uptime())
            scene.report(.failed(error, name: current.writer?.name, waiting: 0))
            throw error
        }
        plan.noteSynced()
    }

    /// Does so where the settings ask for it now.
    func synchronizeIfDue(_ isUrgent: Bool) {
        if plan.isDue(scene.settings.sync, isUrgent: isUrgent, at: scene.clock.uptime()) {
            try? synchronize()
        }
    }

    /// How long until it is time; nil for never.
    func delay(at uptime: Duration) -> Duration? { plan.delay(scene.settings.sync, at: uptime) }
}
