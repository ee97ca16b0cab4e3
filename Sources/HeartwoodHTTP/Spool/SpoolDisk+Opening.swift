import CHeartwood
import Heartwood

extension SpoolDisk {
    /// Finds the segments; returns the names of all files of the directory.
    func loadSegments() throws -> [String] {
        guard let files = directory.list() else {
            throw LogError(
                .file, "cannot list the spool's directory", place: directory.path, cause: hw_errno())
        }
        for file in files where file.name.hasSuffix(".seg") {
            guard SpoolSegment(name: file.name, size: file.size) == nil else { continue }
            report(.damaged, "not a file of the spool; ignored", file.name)
        }
        segments = files.compactMap { SpoolSegment(name: $0.name, size: $0.size) }
            .sorted { ($0.firstID, $0.count) < ($1.firstID, $1.count) }
        // Of two with the same first id the longer one is what a compaction has replaced.
        var kept: [SpoolSegment] = []
        for segment in segments {
            if let last = kept.last, last.firstID == segment.firstID, last.lastID != nil {
                _ = directory.remove(segment.name)
            } else if kept.last?.firstID == segment.firstID {
                moveToQuarantine(kept.removeLast().name)
                kept.append(segment)
            } else {
                kept.append(segment)
            }
        }
        segments = kept
        bytes = segments.reduce(0) { $0 + $1.size }
        for file in files where file.name.hasSuffix(".tmp") { _ = directory.remove(file.name) }
        quarantined = directory.list("quarantine")?.reduce(0) { $0 + min($1.size, 1 << 40) } ?? 0
        return files.map(\.name)
    }

    /// Sets files aside whose names have ids that no spool comes to, unless their headers are the spool's own: otherwise a
    /// planted name would use all ids up.
    func setAsideImplausible() {
        for segment in segments where max(segment.firstID, segment.lastID ?? 0) > SpoolSegment.largestUsualID
        {
            guard identityInHeader(segment) != identity else { continue }
            report(.damaged, "not a file of the spool; moved to quarantine/", segment.name)
            moveToQuarantine(segment.name)
            segments.removeAll { $0.name == segment.name }
            bytes -= segment.size
        }
    }

    func loadCursor() {
        for _ in 0..<Self.readAttempts where cursorFile < 0 {
            cursorFile = directory.open("cursor", O_RDWR | O_CREAT)
        }
        var content: [UInt8] = []
        if cursorFile < 0 {
            fail("cannot open the spool's cursor", "cursor", hw_errno())
        } else {
            var error: Int32 = EIO
            for _ in 0..<Self.readAttempts where error != 0 {
                content = []
                error = SpoolFile.read(cursorFile, from: 0, limit: SpoolCursor.fileSize, into: &content)
            }
            if error != 0 { fail("cannot read the spool's cursor", "cursor", error) }
        }
        if let cursor = SpoolCursor.newest(in: content) {
            identity = cursor.identity
            openedState = cursor.state
            generation = cursor.generation
            return
        }
        // A new spool, or one whose cursor is gone: what is there counts as unsent.
        identity = segments.lazy.compactMap(identityInHeader).first ?? RandomBytes.make(16)
        openedState = BatchState(acknowledged: segments.first.map { $0.firstID - 1 } ?? 0)
        if !content.isEmpty {
            report(.damaged, "the spool's cursor was damaged; some messages may be sent twice", "cursor")
        }
        if cursorFile >= 0 { _ = clearCursor() }
        _ = save(openedState, synchronizes: false)
    }

    /// Makes room for both slots, so that no later write of the cursor can meet a full disk.
    private func clearCursor() -> Bool {
        let error = SpoolFile.write(cursorFile, [UInt8](repeating: 0, count: SpoolCursor.fileSize), at: 0)
        if error != 0 { fail("cannot write the spool's cursor", "cursor", error) }
        return error == 0
    }

    /// Opens a cursor that could not be opened at first; what it says is older than what is known.
    func reopenCursor() -> Bool {
        cursorFile = directory.open("cursor", O_RDWR | O_CREAT)
        guard cursorFile >= 0 else { return false }
        if clearCursor() { return true }
        close(cursorFile)
        cursorFile = -1
        return false
    }

    func identityInHeader(_ segment: SpoolSegment) -> [UInt8]? {
        let file = directory.open(segment.name, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var header: [UInt8] = []
        _ = SpoolFile.read(file, from: 0, limit: SpoolSegment.headerSize, into: &header)
        guard let named = header.withUnsafeBytes({ SpoolSegment.identity(inHeader: $0) }),
            named.firstID == segment.firstID
        else { return nil }
        return named.identity
    }

    /// Reads and seals what a process that ended has not sealed itself.
    func adoptUnsealed() {
        for segment in segments where segment.lastID == nil {
            let frames = UInt64(max(0, segment.size - SpoolSegment.headerSize) / SpoolFrame.headerSize)
            guard let file = open(segment), let index = index(of: segment.firstID) else {
                leastNextID = max(leastNextID, segment.firstID + frames)
                continue
            }
            if segments[index].readFailures >= Self.readAttempts {
                leastNextID = max(leastNextID, segment.firstID + frames)
                if file.entries.isEmpty {
                    moveToQuarantine(segment.name)
                    lose(segment)
                    continue
                }
            }
            guard let last = file.entries.last else {
                setAside(file, segments[index])
                discard(at: index)
                continue
            }
            segments[index].lastID = last.id
            segments[index].count = file.entries.count
            if file.damage.contains(where: { $0.lowerBound < file.end }) {
                let ids = Int(clamping: last.id - segment.firstID + 1)
                counters.damagedRecords += max(0, ids - file.entries.count)
            }
            setAside(file, segments[index])
            seal(at: index)
        }
    }
}
