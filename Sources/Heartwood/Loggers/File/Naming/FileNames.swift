import CHeartwood

/// Gives files the names that they keep, and points the link to the file that is written.
///
/// Not thread-safe: owned by the engine.
final class FileNames {
    private let scene: FileScene
    private let ledger: FileLedger
    private let survey: DirectorySurvey
    /// A name that a renamed file has still to lose.
    private var surplus: (name: String, identity: FileStatus.Identity)?

    init(_ scene: FileScene, _ ledger: FileLedger, _ survey: DirectorySurvey) {
        self.scene = scene
        self.ledger = ledger
        self.survey = survey
    }

    private var directory: LogDirectory { scene.directory }
    private var inventory: FileInventory { scene.inventory }
    private var settings: FileSettings { scene.settings }

    /// Whether a renamed file has still to lose its old name.
    var hasSurplusName: Bool { surplus != nil }

    // MARK: Names that files keep

    /// Gives a file with the fixed active name the name that it keeps.
    func giveFinalName(_ file: FileWriter) throws {
        guard file.name == settings.naming.activeName else { return }
        let old = file.name
        (file.name, file.label) = try renameFinal(old, file.label)
        inventory.rename(old, to: file.name, label: file.label)
    }

    /// Gives a file the first name that is free, from its label on.
    private func renameFinal(_ old: String, _ first: LogFileLabel) throws -> (String, LogFileLabel) {
        var label = first
        for _ in 0..<10_000 {
            let name = settings.naming.name(for: label)
            guard LogFileNaming.isUsable(name) else { throw LogDirectory.Refusal.badName }
            do {
                let identity = try directory.status(old)?.identity
                if try !directory.rename(old, to: name), let identity { surplus = (old, identity) }
                return (name, label)
            } catch let failure as SystemFailure where failure.number == EEXIST {
                label.count()
            }
        }
        throw SystemFailure(.rename, EEXIST)
    }

    /// The name and label of a finished file that an earlier run left; one with the fixed active name gets its own.
    private func finishedName(_ entry: FileInventory.Entry) -> (String, LogFileLabel) {
        guard entry.name == settings.naming.activeName,
            let (name, label) = try? renameFinal(entry.name, entry.label)
        else { return (entry.name, entry.label) }
        inventory.rename(entry.name, to: name, label: label)
        return (name, label)
    }

    /// Notes that a file which an earlier run left is finished; one with the fixed active name gets its own name.
    ///
    /// - Returns: its name from now on.
    @discardableResult
    func finishFound(_ entry: FileInventory.Entry) -> String {
        let (name, label) = finishedName(entry)
        ledger.note(opened: nil, finished: [(name, label)])
        scene.report(.foundFinished(name: name))
        return name
    }

    /// Gives a file that cannot be continued the name that it keeps.
    ///
    /// - Returns: false where that is not possible now.
    func putAside(_ active: String) -> Bool {
        guard let entry = inventory.entries.last(where: { $0.name == active }) else { return false }
        let (name, label) = finishedName(entry)
        guard name != active, !hasSurplusName else { return false }
        ledger.note(opened: nil, finished: [(name, label)])
        scene.report(.foundFinished(name: name))
        return true
    }

    /// Removes the old name that a file kept when it was renamed; until that is done, no file is created under it.
    func removeSurplusName() throws {
        guard let (name, identity) = surplus else { return }
        // By now it may be the name of another file.
        if let status = try directory.status(name), status.identity == identity, status.links > 1 {
            try directory.remove(name)
            survey.refresh()
        }
        surplus = nil
    }

    // MARK: The link

    /// Points the symbolic link to the file that is written.
    func updateLink(_ name: String) {
        guard let link = settings.currentLink, link != name else { return }
        do { try directory.pointLink(link, to: name) } catch { scene.report(error, name: link) }
    }
}
