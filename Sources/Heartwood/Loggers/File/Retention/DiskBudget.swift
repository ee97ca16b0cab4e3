import CHeartwood

/// Keeps the files within their limits: count, quota, age, and the free space of the file system.
///
/// Only what could be opened and locked is removed, and only while it is still the file of that name.
///
/// Not thread-safe: owned by the engine.
final class DiskBudget {
    private let scene: FileScene
    private let ledger: FileLedger
    /// Bytes that may be written before the free space is looked at again.
    private var credit = 0
    /// When it is worth looking for files that are too old.
    private var nextAgeCheck = Duration.zero

    init(_ scene: FileScene, _ ledger: FileLedger) {
        self.scene = scene
        self.ledger = ledger
    }

    private var quota: Int { scene.settings.retention.quota }
    private var total: Int { scene.inventory.total }

    // MARK: Retention

    /// Removes what the limits say, in one process at a time.
    func apply(incoming: Int = 0, incomingFiles: Int = 0) {
        let outcome = ledger.lock.take(waits: false)
        defer { ledger.lock.release() }
        // Where there is no lock, the lock of each file decides alone.
        guard outcome != .busy || incoming > 0 || incomingFiles > 0 else { return }
        let isTrusted = scene.watch.isTrusted(at: scene.clock.uptime())
        let now = isTrusted ? scene.clock.now() : nil
        nextAgeCheck = scene.clock.uptime() + untilTooOld
        var held: Set<String> = []
        var isSettled = false
        while !isSettled {
            isSettled = true
            let removals = scene.inventory.removals(
                scene.settings.retention, now: now, incoming: incoming, incomingFiles: incomingFiles,
                held: held, order: order)
            guard !removals.isEmpty else { return }
            var removed: Set<String> = []
            for file in removals {
                switch remove(file) {
                case .removed: removed.insert(file.name)
                case .kept:
                    // In use, or not ours to remove: the plan must do without it.
                    held.insert(file.name)
                    isSettled = false
                case .changed: isSettled = false
                }
            }
            scene.inventory.remove(removed)
        }
    }

    /// The order in which the scheme of the logger lets files be removed; nil for the oldest first.
    private var order: (([FileInventory.Entry]) -> [String])? {
        let scheme = scene.settings.scheme
        guard type(of: scheme) != LogFileScheme.self else { return nil }
        return { [directory = scene.directory] entries in
            scheme.removalOrder(entries.map { LogFileInfo($0, directory) }).map(\.name)
        }
    }

    /// How long until the oldest file is too old: from a minute to an hour, so that a clock that is set does
    /// no harm.
    private var untilTooOld: Duration {
        let age = scene.settings.retention.maximumAge
        guard age > .zero, let oldest = scene.inventory.oldest else { return .seconds(3600) }
        return min(max(oldest.modified + age - scene.clock.now(), .seconds(60)), .seconds(3600))
    }

    /// Whether it is time to look for files that are too old.
    func isAgeCheckDue(at uptime: Duration) -> Bool {
        scene.settings.retention.maximumAge > .zero && uptime >= nextAgeCheck
    }

    /// How long until it is time; nil for never.
    func ageCheckDelay(at uptime: Duration) -> Duration? {
        scene.settings.retention.maximumAge > .zero ? max(.seconds(1), nextAgeCheck - uptime) : nil
    }

    private enum Removal { case removed, kept, changed }

    /// Removes a file unless another process or logger uses it, or has written to it since it was last looked
    /// at.
    private func remove(_ plan: RetentionPlan.File) -> Removal {
        let name = plan.name
        let directory = scene.directory
        do {
            guard let file = try directory.hold(name) else { return .kept }
            defer { scene.calls.unlock(file.number) }
            let status = try scene.calls.status(file.number)
            if status.modified > plan.modified {
                scene.inventory.modify(name, at: status.modified)
                scene.inventory.resize(name, to: status.size)
                return .changed
            }
            try directory.remove(name)
            scene.report(.removed(name: name))
            return .removed
        } catch let failure as SystemFailure where failure.number == ENOENT {
            return .removed
        } catch {
            scene.report(error, name: name)
            return .kept
        }
    }

    // MARK: Room

    /// Makes room for the archive of a file, by removing older files only.
    func makeRoom(forArchive bytes: Int, of label: LogFileLabel) -> Bool {
        guard quota > 0, total + bytes > quota else { return true }
        let removals = scene.inventory.removals(scene.settings.retention, now: nil, incoming: bytes)
        guard removals.allSatisfy({ $0.label < label }) else { return false }
        apply(incoming: bytes)
        return total + bytes <= quota
    }

    /// Makes room in the quota.
    ///
    /// - Throws: `EDQUOT` where that is not possible.
    func makeRoom(for bytes: Int) throws(SystemFailure) {
        guard quota > 0, total + bytes > quota else { return }
        apply(incoming: bytes)
        guard total + bytes > quota else { return }
        throw SystemFailure(.write, EDQUOT)
    }

    // MARK: Free space

    /// Makes sure that the file system keeps the free space that it must keep.
    ///
    /// - Throws: `ENOSPC` where it would not.
    func spend(_ bytes: Int) throws(SystemFailure) {
        guard scene.settings.minimumFreeSpace > 0 else { return }
        if bytes > credit {
            let (free, total) = try scene.calls.freeSpace(scene.directory.descriptor.number)
            let minimum = min(scene.settings.minimumFreeSpace, total / 100)
            guard free - bytes > minimum else { throw SystemFailure(.freeSpace, ENOSPC) }
            credit = max(bytes, min((free - minimum) / 4, 16 << 20))
        }
        credit -= bytes
    }

    /// Spends so many bytes of what is known to be there, without another look.
    ///
    /// - Returns: false where they are not within the quota, of which archives take a part on another thread,
    ///   or not within the free space that the last look has found.
    func spendKnown(_ bytes: Int) -> Bool {
        guard quota == 0 || total + bytes <= quota else { return false }
        guard scene.settings.minimumFreeSpace > 0 else { return true }
        guard bytes <= credit else { return false }
        credit -= bytes
        return true
    }

    /// Looks at the free space again before the next write.
    func forgetFreeSpace() { credit = 0 }
}
