import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodHTTP

/// What a crash journal finds out about a write to the spool that the death of the process has interrupted.
@Suite(.inTurn) struct InterruptedWriteTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "What an interrupted write has stored is not recovered again, though the next start gives its file a new name",
        arguments: 0...3)
    func arrived(records: Int) throws {
        let path = directory.path + "/spool"
        var ends: [Int] = []
        do {
            let spool = try Spool(directory: path)
            for number in 0..<3 {
                var entry = RemoteEntry()
                entry.text = "record \(number)"
                let payload = EntryCoder.encode(entry)
                spool.append(payload, time: LogTimestamp(nanoseconds: 1_700_000_000_000_000_000), level: 4)
                ends.append((ends.last ?? SpoolSegment.headerSize) + SpoolFrame.headerSize + payload.count)
            }
            #expect(spool.save())
        }
        let name = try #require(directory.names("spool").first { $0.hasSuffix(".seg") })
        let bytes = try directory.read("spool/" + name)
        let file = try SystemCalls().status(path: path + "/" + name).identity
        var intent = JournalSlot.Intent(file: file, name: name, size: 0)
        intent.ends = ends
        intent.marks = [8, 16, 24]
        intent.checks = bytes.withUnsafeBytes { bytes in
            zip([0] + ends, ends).map { JournalSlot.Intent.check(bytes, $0, $1) }
        }
        // So much of it has reached the file, and a part of the next.
        let reached = records == 3 ? bytes.count : records == 0 ? 20 : ends[records - 1] + 10
        truncate(path + "/" + name, reached)

        let logger = try HTTPLogger("http://127.0.0.1:1/", spool: path)
        #expect(logger.httpStatistics.pending == records)
        #expect(try logger.resolve(intent) == (records == 0 ? nil : UInt64(records) * 8))
        intent.file = FileStatus.Identity(device: file.device, inode: file.inode + 1)
        #expect(try logger.resolve(intent) == nil)
    }
}
