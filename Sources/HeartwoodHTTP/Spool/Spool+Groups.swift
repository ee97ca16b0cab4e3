package import Heartwood

extension Spool {
    /// Writes records that belong together to the files, at once: all of them are there afterwards, or none.
    ///
    /// That holds for a crash in the middle of it, too. They are never all in memory: `next` gives one after the other.
    ///
    /// - Parameters:
    ///   - count: How many there are.
    ///   - next: The next record's payload, time and level; it is called `count` times.
    /// - Throws: `LogError` when the files could not take them, and what `next` throws.
    package func appendWhole(
        _ count: Int, _ next: () throws -> (payload: [UInt8], time: LogTimestamp, level: UInt8)
    ) throws {
        guard let disk else { throw LogError(.file, "the spool is closed, or has no directory") }
        guard save() else {
            throw LogError(
                .file, "the disk does not accept the messages logged before; fix that first",
                place: disk.directory.path, cause: lastCause)
        }
        guard count > 0 else { return }
        guard UInt64(count) < SpoolRecord.largestID - min(nextID, SpoolRecord.largestID) else {
            throw LogError(.file, "the spool has used all its IDs", place: disk.directory.path)
        }
        let before = nextID - 1
        let end = before + UInt64(count)
        let failures = disk.reports.counters.failures
        do {
            var left = count
            while left > 0 {
                var chunk = RecordQueue()
                while left > 0 && chunk.bytes < 1 << 20 {
                    let (payload, time, level) = try next()
                    guard payload.count <= settings.effectivePayloadLimit else {
                        throw LogError(
                            .file,
                            "a record of \(payload.count) bytes is too large: the limit is "
                                + "\(ByteCount(settings.effectivePayloadLimit))")
                    }
                    chunk.append(SpoolRecord(id: takeID(), time: time, level: level, payload: payload))
                    left -= 1
                }
                let written = disk.write(chunk.all, settings, uptime: clock.uptime(), groupEnd: end)
                guard written == chunk.count, disk.reports.counters.failures == failures else {
                    throw LogError(
                        .file, "cannot write the spool", place: disk.directory.path, cause: lastCause)
                }
            }
        } catch {
            disk.cancel(before + 1...end)
            throw error
        }
        countStored(count, from: nil)
    }

    private var lastCause: Int32? { disk?.reports.lastCause }
}
