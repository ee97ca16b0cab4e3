package import Heartwood

extension Spool {
    /// Takes a record over, in memory until ``save()``; false when it was dropped, which is counted.
    @discardableResult
    package func append(_ payload: [UInt8], time: LogTimestamp, level: UInt8, mark: UInt64 = 0) -> Bool {
        var record = SpoolRecord(id: nextID, time: time, level: level, payload: payload)
        record.mark = mark
        let isStorable = payload.count <= settings.effectivePayloadLimit && nextID < SpoolRecord.largestID
        guard isStorable, makeRoom(for: record) else {
            countRefused()
            return false
        }
        _ = takeID()
        countStored(1, from: time)
        unsaved.append(record)
        if disk != nil && unsaved.bytes >= 1 << 20 { save() }
        return true
    }

    /// Writes what is in memory only to the files; true when nothing is left there.
    @discardableResult
    package func save() -> Bool {
        guard let disk, !unsaved.isEmpty else { return true }
        let written = disk.write(unsaved.all, settings, uptime: clock.uptime())
        unsaved.removeFirst(written)
        let limit = settings.maximumFiles
        while limit > 0 && disk.segments.count > limit, evictOldest() {}
        return unsaved.isEmpty
    }

    /// Forgets what is in memory only, as if it had never come: it will come again, from a crash journal.
    func forgetUnsaved() {
        countForgotten(unsaved.removeAll { _ in true })
    }
}
