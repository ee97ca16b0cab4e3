import CHeartwood
import Heartwood

/// The folder `quarantine` of a spool, for damaged files and bytes.
final class Quarantine {
    private static let name = "quarantine"

    private let directory: SpoolDirectory
    private let reports: SpoolReports
    private let limit: Int
    /// What the files in it take, in bytes, with what was copied since.
    private lazy var bytes = directory.list(Self.name)?.reduce(0) { $0 + min($1.size, 1 << 40) } ?? 0

    /// Makes it for the spool in a directory; damaged parts of files are copied up to so many bytes.
    init(in directory: SpoolDirectory, limit: ByteCount, _ reports: SpoolReports) {
        self.directory = directory
        self.reports = reports
        self.limit = limit.bytes
    }

    /// Moves a file of the spool.
    func move(_ name: String) {
        let error = directory.move(name, into: Self.name)
        if error != 0 {
            reports.fail("cannot move a damaged file of the spool to quarantine/", name, error)
        }
    }

    /// Copies the damaged bytes of a segment, as far as the limit allows, and counts them.
    func copy(_ file: SegmentFile, _ segment: SpoolSegment) {
        for range in file.damage {
            if range.lowerBound == file.end && segment.name.split(separator: "-").count == 1 {
                reports.countTorn(bytes: range.count)  // an end that was never written
                continue
            }
            reports.countDamaged(bytes: range.count)
            reports.report(
                .damaged, "\(range.count) damaged bytes of the spool were moved to quarantine/",
                segment.name)
            guard bytes + range.count <= limit, directory.makeDirectory(Self.name) == 0 else { continue }
            let copy = directory.open(
                "\(segment.name).\(range.lowerBound)", in: Self.name, O_WRONLY | O_CREAT | O_TRUNC)
            guard copy >= 0 else { continue }
            bytes += SpoolFile.append(copy, file.content(range)).written
            close(copy)
        }
    }
}
