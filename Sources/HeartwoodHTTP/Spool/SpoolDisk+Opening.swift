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
            reports.report(.damaged, "not a file of the spool; ignored", file.name)
        }
        let found = files.compactMap { SpoolSegment(name: $0.name, size: $0.size) }
            .sorted { ($0.firstID, $0.count) < ($1.firstID, $1.count) }
        // Of two with the same first id the longer one is what a compaction has replaced.
        var kept: [SpoolSegment] = []
        for segment in found {
            if let last = kept.last, last.firstID == segment.firstID, last.lastID != nil {
                _ = directory.remove(segment.name)
            } else if kept.last?.firstID == segment.firstID {
                quarantine.move(kept.removeLast().name)
                kept.append(segment)
            } else {
                kept.append(segment)
            }
        }
        segments = SegmentList(kept)
        for file in files where file.name.hasSuffix(".tmp") { _ = directory.remove(file.name) }
        return files.map(\.name)
    }

    /// Sets files aside whose names have ids that no spool comes to, unless their headers are the spool's own: otherwise a
    /// planted name would use all ids up.
    func setAsideImplausible() {
        for segment in segments where max(segment.firstID, segment.lastID ?? 0) > SpoolSegment.largestUsualID
        {
            guard identityInHeader(segment) != identity else { continue }
            reports.report(.damaged, "not a file of the spool; moved to quarantine/", segment.name)
            quarantine.move(segment.name)
            if let index = segments.firstIndex(where: { $0.name == segment.name }) {
                segments.remove(at: index)
            }
        }
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
            guard let file = open(segment), let index = segments.index(of: segment.firstID) else {
                opening.useIDs(before: segment.firstID + frames)
                continue
            }
            if segments[index].readFailures >= Self.readAttempts {
                opening.useIDs(before: segment.firstID + frames)
                if file.entries.isEmpty {
                    quarantine.move(segment.name)
                    lose(segment)
                    continue
                }
            }
            guard let last = file.entries.last else {
                quarantine.copy(file, segments[index])
                discard(at: index)
                continue
            }
            segments[index].lastID = last.id
            segments[index].count = file.entries.count
            if file.damage.contains(where: { $0.lowerBound < file.end }) {
                let ids = Int(clamping: last.id - segment.firstID + 1)
                reports.countDamaged(records: max(0, ids - file.entries.count))
            }
            quarantine.copy(file, segments[index])
            seal(at: index)
        }
    }
}
