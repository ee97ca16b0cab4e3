/// The catalogue that earlier versions kept beside the logs, and their lock: what the catalogue says of files
/// they are told themselves, and then both go.
struct FormerCatalogue {
    /// Up to this label all files are finished but those that are `open`.
    private var finished: LogFileLabel?
    private var open: Set<String> = []
    /// The label of the file with the fixed active name.
    private var active: LogFileLabel?
    private var processed: Set<String> = []

    /// Takes over what is there; while another logger has one of the files, a later run does it.
    static func takeOver(_ store: FileStore) {
        let names = ["", ".\(store.calls.user)"]
        let base = ".\(store.settings.naming.application)"
        for name in names.map({ "\(base).catalogue\($0)" }) where hasOwn(name, store) {
            guard let catalogue = FormerCatalogue(name, in: store.directory), catalogue.tell(store) else {
                continue
            }
            for name in names.map({ "\(base).lock\($0)" }) + [name] where hasOwn(name, store) {
                _ = try? store.directory.remove(name)
            }
            store.refresh()
        }
    }

    /// Whether there is a file of this user.
    private static func hasOwn(_ name: String, _ store: FileStore) -> Bool {
        guard let status = try? store.directory.status(name) else { return false }
        return status.kind == .regular && status.owner == store.calls.user
    }

    private init?(_ name: String, in directory: Directory) {
        var bytes: [UInt8] = []
        guard let (file, _) = try? directory.open(name, for: .reading),
            (try? file.read(from: 0, limit: 16 << 20, into: &bytes)) != nil
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.first == "heartwood catalogue 1" else { return nil }
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch (parts[0], parts[1]) {
            case ("finished", let text): finished = FormerCatalogue.label(text)
            case ("active", let text): active = FormerCatalogue.label(text)
            case ("open", let name): open.insert(name)
            case ("processed", let name): processed.insert(name)
            default: break
            }
        }
    }

    private static func label(_ text: String) -> LogFileLabel? {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let number = Int(parts[1]), let process = Int32(parts[2]) else { return nil }
        let createdAt = Int64(parts[0]).map { LogTimestamp(nanoseconds: $0) }
        guard createdAt != nil || parts[0] == "-" else { return nil }
        return LogFileLabel(createdAt: createdAt, number: number, process: process == 0 ? nil : process)
    }

    /// Tells the files what the catalogue says of them; returns whether all know it that can.
    private func tell(_ store: FileStore) -> Bool {
        var isComplete = true
        for entry in store.inventory.entries where !entry.isForeign {
            let isActive = entry.name == store.settings.naming.activeName
            let isUnfinished = isActive || entry.stage != .plain || open.contains(entry.name)
            let isFinished = !isUnfinished && finished.map { entry.label <= $0 } ?? false
            let isProcessed = processed.contains(entry.name)
            guard isFinished || isActive || isProcessed else { continue }
            do {
                guard let file = try store.directory.hold(entry.name) else {
                    isComplete = false
                    continue
                }
                if isProcessed { try? ArchiveWorker.markProcessed(file, store.calls) }
                let isTold = store.calls.attribute(FileInventory.nameAttribute, of: file.number) != nil
                if isActive, !isTold, let active { store.tell(active, to: file) }
                if isFinished { store.finish(file, entry.name) }
                file.unlock()
            } catch {
                // A file that cannot be opened cannot be told.
                continue
            }
        }
        return isComplete
    }
}
