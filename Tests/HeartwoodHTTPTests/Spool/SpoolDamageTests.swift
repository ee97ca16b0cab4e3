import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct SpoolDamageTests {
    private let clock = ManualClock()

    /// A spool with these payloads in one segment, left by its process.
    private func made(_ payloads: [[UInt8]], sealed: Bool) throws -> (TemporaryDirectory, String) {
        let directory = try TemporaryDirectory(isFast: true)
        do {
            let spool = try Spool(directory: directory.path, clock: clock)
            for payload in payloads { spool.append(payload, time: clock.now(), level: 4) }
            spool.save()
        }
        if sealed { _ = try Spool(directory: directory.path, clock: clock) }
        return (directory, try #require(directory.segments().first))
    }

    private func delivered(_ directory: TemporaryDirectory) throws -> ([[UInt8]], SpoolCounters) {
        let spool = try Spool(directory: directory.path, clock: clock)
        var payloads: [[UInt8]] = []
        while let piece = spool.nextPiece(maximumCount: 1000, maximumBytes: .max) {
            payloads += piece.records.map(\.payload)
            spool.complete(piece, done: piece.records.map(\.id))
        }
        #expect(spool.pending == 0)
        return (payloads, spool.counters)
    }

    /// Of a segment of 700 bytes; with `HEARTWOOD_LONG=1` of 64 KiB (G12).
    private let payloads = (0..<12).map { number in
        let isFull = Tier.isLong
        return Array("payload number \(number)".utf8)
            + (0..<(isFull ? 5400 : 0)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
    }

    @Test("Every flipped byte costs one record at the most, and no other", arguments: [true, false])
    func everyFlip(sealed: Bool) throws {
        let (directory, name) = try made(payloads, sealed: sealed)
        let whole = try directory.read(name)
        for offset in whole.indices {
            let copy = try directory.snapshot()
            var bytes = whole
            bytes[offset] ^= UInt8(1 << (offset % 8))
            try copy.write(name, bytes)
            let (found, counters) = try delivered(copy)
            let isInHeader = offset < SpoolSegment.headerSize
            #expect(found.count >= (isInHeader ? 12 : 11), "offset \(offset)")
            #expect(found == payloads.filter { found.contains($0) }, "offset \(offset)")
            #expect(counters.damagedRecords == 12 - found.count || !sealed, "offset \(offset)")
        }
    }

    @Test("A file cut at any length gives all records that are whole") func everyTruncation() throws {
        let (directory, name) = try made(payloads, sealed: true)
        let whole = try directory.read(name)
        var ends: [Int] = []
        var end = SpoolSegment.headerSize
        for payload in payloads {
            end += SpoolFrame.headerSize + payload.count
            ends.append(end)
        }
        for length in 0...whole.count {
            let copy = try directory.snapshot()
            try copy.write(name, Array(whole[..<length]))
            let (found, counters) = try delivered(copy)
            let expected = ends.filter { $0 <= length }.count
            #expect(found == Array(payloads[..<expected]), "length \(length)")
            #expect(counters.damagedRecords == 12 - expected, "length \(length)")
        }
    }

    @Test("A tail of zeros, as a power cut leaves it, costs nothing") func zeroTail() throws {
        let (directory, name) = try made(payloads, sealed: false)
        try directory.write(name, try directory.read(name) + [UInt8](repeating: 0, count: 5000))
        let (found, counters) = try delivered(directory)
        #expect(found == payloads)
        #expect(counters.tornBytes == 5000)
        #expect(counters.damagedRecords == 0)
    }

    @Test("A payload that looks like a record is never taken for one") func forgery() throws {
        // Made with everything an outsider can know: the format, the first id, a guessed identity.
        var forged: [UInt8] = []
        let guess = SpoolSegment.salt(identity: [UInt8](repeating: 0, count: 16), firstID: 1)
        for salt in [0, guess] {
            SpoolFrame.encode(
                SpoolRecord(id: 2, time: clock.now(), level: 0, payload: Array("forged".utf8)), salt: salt,
                into: &forged)
        }
        let (directory, name) = try made([forged, Array("true".utf8)], sealed: true)
        var bytes = try directory.read(name)
        bytes[SpoolSegment.headerSize] ^= 1
        try directory.write(name, bytes)
        #expect(try delivered(directory).0 == [Array("true".utf8)])
    }

    @Test("Damaged bytes are kept in quarantine") func quarantine() throws {
        let (directory, name) = try made(payloads, sealed: true)
        var bytes = try directory.read(name)
        bytes[200] ^= 0xFF
        try directory.write(name, bytes)
        let (_, counters) = try delivered(directory)
        #expect(directory.names("quarantine").count == 1)
        #expect(counters.damagedBytes > 0)
    }

    @Test("Without its cursor the spool delivers everything again; with one damaged slot, nothing")
    func cursor() throws {
        let directory = try TemporaryDirectory(isFast: true)
        do {
            let spool = try Spool(directory: directory.path, clock: clock)
            for payload in payloads { spool.append(payload, time: clock.now(), level: 4) }
            let piece = try #require(spool.nextPiece(maximumCount: 5, maximumBytes: .max))
            spool.complete(piece, done: piece.records.map(\.id))
        }
        let missing = try directory.snapshot()
        try missing.remove("cursor")
        #expect(try delivered(missing).0 == payloads)

        let whole = try directory.read("cursor")
        for offset in stride(from: 0, to: SpoolCursor.fileSize, by: 1) where offset % 4096 < 80 {
            let copy = try directory.snapshot()
            var bytes = whole
            bytes[offset] ^= 0x10
            try copy.write("cursor", bytes)
            // The older slot says what was true one step before: the batch that is done was on its way.
            let found = try delivered(copy).0
            #expect(found == Array(payloads[5...]) || found == payloads, "offset \(offset)")
        }
    }

    @Test("A missing file counts as lost, a foreign one is set aside") func strangeFiles() throws {
        let (directory, name) = try made(payloads, sealed: true)
        let (other, otherName) = try made(payloads, sealed: true)
        try directory.remove(name)
        try directory.write(otherName, try other.read(otherName))
        let (found, counters) = try delivered(directory)
        #expect(found == [])
        #expect(counters.damagedRecords == 12)
        #expect(directory.names("quarantine") == [otherName])
    }

    @Test("Random bytes in every file are survived", arguments: 0..<(isLongRun ? 5000 : 60)) func garbage(
        seed: UInt64
    ) throws {
        var random = SeededNumbers(seed)
        let (directory, name) = try made(payloads, sealed: seed % 2 == 0)
        for file in [name, "cursor"] {
            var bytes = try directory.read(file)
            for _ in 0..<random.next() % 200 {
                switch random.next() % 3 {
                case 0:
                    if !bytes.isEmpty {
                        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() & 255)
                    }
                case 1: bytes.removeLast(min(bytes.count, Int(random.next() % 50)))
                default: bytes.append(UInt8(random.next() & 255))
                }
            }
            try directory.write(file, bytes)
        }
        let (found, _) = try delivered(directory)
        #expect(found.allSatisfy(payloads.contains))
    }
}
