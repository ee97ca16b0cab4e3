import CHeartwood

/// Looks at what is in the directory, and completes what a crash has cut in two.
///
/// Not thread-safe: owned by the engine.
final class DirectorySurvey {
    private let scene: FileScene
    private let ledger: FileLedger
    /// When all files were last looked at.
    private var lastRefresh: Duration?
    /// Whether what earlier runs left was read, with the naming in effect.
    private(set) var isStarted = false

    init(_ scene: FileScene, _ ledger: FileLedger) {
        self.scene = scene
        self.ledger = ledger
    }

    private var directory: LogDirectory { scene.directory }
    private var inventory: FileInventory { scene.inventory }
    private var settings: FileSettings { scene.settings }

    /// Whether the last look was so long ago that others may have changed much.
    var isOutdated: Bool {
        lastRefresh.map { scene.clock.uptime() - $0 > .seconds(60) } ?? true
    }

    // MARK: Looking

    /// Reads what earlier runs left in the directory; once.
    func start() throws {
        guard !isStarted else { return }
        ledger.load(isFirst: true)
        try read()
        isStarted = true
        finishLeftovers()
    }

    /// Has ``start()`` read everything again: with another naming, other files belong to the logger.
    func forgetStart() { isStarted = false }

    private func read() throws {
        try inventory.refresh(
            directory, settings.naming, settings.scheme, activeLabel: ledger.catalogue.active)
        lastRefresh = scene.clock.uptime()
    }

    /// Looks at all files again; what prevents it is reported.
    func refresh() {
        do { try read() } catch { scene.report(error, name: directory.path) }
    }

    // MARK: What a crash left

    /// Completes what a crash has cut in two: renaming, and archiving.
    private func finishLeftovers() {
        for name in inventory.refused { scene.report(.refused(.notRegular, name: name)) }
        for entry in inventory.entries where entry.isForeign {
            scene.report(.refused(.foreignOwner, name: entry.name))
        }
        if ledger.lock.acquire() { finishRenaming() }
        ledger.lock.release()
        finishArchiving()
    }

    private func finishRenaming() {
        guard let active = settings.naming.activeName, namesOfActive.count > 1 else { return }
        // A process that lives does it itself.
        guard let file = try? directory.hold(active) else { return }
        defer { scene.calls.unlock(file.number) }
        guard (try? scene.calls.status(file.number))?.links ?? 1 > 1 else { return }
        if (try? directory.remove(active)) != nil { inventory.remove(active) }
    }

    /// The names of the file with the fixed active name: two of them where it could not be renamed
    /// completely.
    var namesOfActive: Set<String> {
        guard let active = settings.naming.activeName else { return [] }
        guard let status = try? directory.status(active), status.kind == .regular, status.links > 1,
            status.owner == scene.calls.user
        else { return [active] }
        let others = inventory.entries.lazy.map(\.name).filter {
            $0 != active && (try? self.directory.status($0))?.identity == status.identity
        }
        return Set(others).union([active])
    }

    /// Removes what a crash left of archives: those that were never completed, and logs whose archive is
    /// complete.
    private func finishArchiving() {
        let entries = inventory.entries
        let complete = Set(entries.lazy.filter { $0.stage != .plain && !$0.isUnfinished }.map(\.name))
        for entry in entries where !entry.isProtected && !entry.isForeign {
            let hasArchive =
                entry.stage == .plain
                && ArchiveStage.allCases.contains {
                    $0 != .plain && complete.contains(entry.name + $0.rawValue)
                }
            guard entry.isUnfinished || hasArchive, let file = try? directory.hold(entry.name) else {
                continue
            }
            if (try? directory.remove(entry.name)) == true { inventory.remove(entry.name) }
            scene.calls.unlock(file.number)
        }
    }
}
