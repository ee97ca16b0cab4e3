/// What the crash journal asks of a logger whose lines survive the process.
extension FileLogger: DurableLogger {
    package final var journalKey: String? { "file:\(directoryPath):\(naming.application)" }

    package final var isSettled: Bool { !hasUnwritten }

    package final func note(writesIn slot: JournalSlot?) { beginJournal(slot) }

    package final func forgetUnwritten() { forgetBatch() }

    /// Compares the file with what was going to be written to it, and cuts off a torn record.
    package final func resolve(_ intent: JournalSlot.Intent) throws -> UInt64? {
        let calls = directory.calls
        guard let name = try self.name(of: intent) else { return nil }
        // A backup may have made a second name of it: what it says holds, but nothing of it is cut off.
        let (file, now) = try directory.open(name, writing: false, acceptsLinked: true)
        guard now.identity == intent.file else { return nil }
        let content = try intent.content(of: file.number, calls)
        let (bytes, mark, isTorn) = content.withUnsafeBytes { intent.arrived(in: $0) }
        if isTorn, !isShared, let (file, again) = try? directory.open(name), again.identity == now.identity,
            (try? calls.tryLock(file.number)) == true,
            (try? calls.status(file.number).size) == intent.size + content.count
        {
            try? calls.truncate(file.number, to: intent.size + bytes)
            handle(.repaired(name: name, bytes: content.count - bytes))
        }
        return mark == 0 ? nil : mark
    }

    /// The name that the file of a write has now: it may have been renamed since.
    private func name(of intent: JournalSlot.Intent) throws -> String? {
        if try directory.status(intent.name)?.identity == intent.file { return intent.name }
        let names = try directory.calls.names(directory.descriptor.number)
        return try names.first { try directory.status($0)?.identity == intent.file }
    }
}
