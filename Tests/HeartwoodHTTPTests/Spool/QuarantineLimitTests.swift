import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// How much of damaged files is kept.
@Suite(.inTurn) struct QuarantineLimitTests {
    @Test("No more of damaged files is kept than the setting says, over restarts too") func limit() throws {
        let directory = try TemporaryDirectory(isFast: true)
        var settings = SpoolSettings()
        settings.segmentCount = 1
        settings.quarantineBytes = ByteCount(3000)
        func kept() throws -> Int {
            try directory.names("quarantine").reduce(0) { try $0 + directory.read("quarantine/" + $1).count }
        }
        var damaged = 0
        for _ in 0..<3 {
            do {
                let spool = try Spool(directory: directory.path, settings: settings)
                for _ in 0..<4 {
                    spool.append(
                        [UInt8](repeating: 7, count: 800), time: LogTimestamp(nanoseconds: 1), level: 4)
                }
                spool.save()
            }
            _ = try Spool(directory: directory.path, settings: settings)
            for name in directory.segments() {
                var bytes = try directory.read(name)
                bytes[bytes.count - 100] ^= 1
                try directory.write(name, bytes)
                chmod(directory.path + "/" + name, 0o600)
            }
            let spool = try Spool(directory: directory.path, settings: settings)
            while let piece = spool.nextPiece(maximumCount: 10, maximumBytes: .max) {
                spool.complete(piece, done: piece.records.map(\.id))
            }
            damaged += spool.counters.damagedBytes
            #expect(try kept() <= 3000)
            for name in directory.segments() { try directory.remove(name) }
        }
        #expect(try kept() > 1500 && damaged > 9000)
    }
}
