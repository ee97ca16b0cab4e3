import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct SpoolTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()

    init() throws { directory = try TemporaryDirectory(isFast: true) }

    private func open(_ change: (inout SpoolSettings) -> Void = { _ in }) throws -> Spool {
        try directory.openSpool(clock, change)
    }

    private func fill(_ spool: Spool, _ texts: some Sequence<String>, level: UInt8 = 4) {
        for text in texts { spool.append(Array(text.utf8), time: clock.now(), level: level) }
        spool.save()
    }

    private func numbers(_ range: Range<Int>) -> [String] { range.map { "record \($0)" } }

    private func texts(_ spool: Spool) -> [String] {
        var texts: [String] = []
        spool.forEachPending {
            texts.append(String(decoding: $0.payload, as: UTF8.self))
            return true
        }
        return texts
    }

    /// Delivers everything; returns the texts in their order and the keys of their pieces.
    private func drain(_ spool: Spool, by count: Int = 10) -> (texts: [String], keys: [String]) {
        var texts: [String] = []
        var keys: [String] = []
        while let piece = spool.nextPiece(maximumCount: count, maximumBytes: .max) {
            texts += piece.records.map { String(decoding: $0.payload, as: UTF8.self) }
            keys.append(piece.key)
            spool.complete(piece, done: piece.records.map(\.id))
        }
        return (texts, keys)
    }

    // MARK: Storing and sending

    @Test("What is saved is there after the spool was left, in its order, and goes when it is acknowledged")
    func survives() throws {
        do { fill(try open(), numbers(0..<25)) }
        do {
            let spool = try open()
            #expect(spool.pending == 25)
            #expect(spool.counters.recovered == 25)
            #expect(drain(spool).texts == numbers(0..<25))
            #expect(spool.pending == 0)
        }
        let spool = try open()
        #expect(spool.pending == 0)
        #expect(drain(spool).texts == [])
        #expect(directory.names("spool") == ["cursor", "lock"])
    }

    @Test("What is not saved is sent all the same, and what is in memory only has the same rules")
    func memory() throws {
        let spool = try Spool(directory: nil, clock: clock)
        for text in numbers(0..<7) { spool.append(Array(text.utf8), time: clock.now(), level: 4) }
        let first = try #require(spool.nextPiece(maximumCount: 3, maximumBytes: .max))
        #expect(spool.nextPiece(maximumCount: 99, maximumBytes: .max) == first)
        spool.complete(first, done: [2])
        let rest = try #require(spool.nextPiece(maximumCount: 99, maximumBytes: .max))
        #expect(rest.records.map(\.id) == [1, 3])
        #expect(rest.key != first.key)
        spool.complete(rest, done: [1, 3])
        #expect(drain(spool).texts == numbers(3..<7))
        #expect(spool.bytes == 0)
    }

    @Test("A batch has as many records and bytes as allowed, and one at least")
    func limits() throws {
        let spool = try open()
        fill(spool, numbers(0..<10))  // 8 bytes each
        let few = try #require(spool.nextPiece(maximumCount: 3, maximumBytes: .max))
        #expect(few.records.count == 3)
        spool.complete(few, done: few.records.map(\.id))
        let small = try #require(spool.nextPiece(maximumCount: 99, maximumBytes: 20))
        #expect(small.records.count == 2)
        spool.complete(small, done: small.records.map(\.id))
        #expect(spool.nextPiece(maximumCount: 99, maximumBytes: 1)?.records.count == 1)
    }

    @Test(
        "A probe takes as many of the newest records as the limits allow, and one at least",
        arguments: [(3, 1000, [7, 8, 9]), (5, 25, [8, 9]), (5, 5, [9])])
    func probe(count: Int, bytes: Int, newest: [UInt8]) throws {
        let spool = try open()
        for number in UInt8(0)..<10 {
            spool.append([UInt8](repeating: number, count: 10), time: clock.now(), level: 4)
        }
        #expect(
            spool.nextPiece(maximumCount: 2, maximumBytes: 1000)?.records.map { $0.payload[0] } == [0, 1])
        let piece = spool.nextPiece(maximumCount: count, maximumBytes: bytes, probe: true)
        #expect(piece?.records.map { $0.payload[0] } == newest)
    }

    @Test("An unacknowledged piece comes again after a restart, with the same key and the same records")
    func stableKey() throws {
        let before: SpoolPiece
        do {
            let spool = try open()
            fill(spool, numbers(0..<9))
            before = try #require(spool.nextPiece(maximumCount: 5, maximumBytes: .max))
        }
        let spool = try open()
        fill(spool, numbers(9..<12))
        #expect(spool.nextPiece(maximumCount: 99, maximumBytes: .max) == before)
    }

    @Test("Half of a split batch that was delivered does not come again, and the other half keeps its key")
    func stableSplit() throws {
        let second: SpoolPiece
        do {
            let spool = try open()
            fill(spool, numbers(0..<8))
            let whole = try #require(spool.nextPiece(maximumCount: 8, maximumBytes: .max))
            #expect(spool.split(whole))
            let first = try #require(spool.nextPiece(maximumCount: 8, maximumBytes: .max))
            #expect(first.records.map(\.id) == [1, 2, 3, 4])
            #expect(first.key != whole.key)
            spool.complete(first, done: first.records.map(\.id))
            second = try #require(spool.nextPiece(maximumCount: 8, maximumBytes: .max))
        }
        let spool = try open()
        #expect(spool.pending == 4)
        #expect(spool.nextPiece(maximumCount: 8, maximumBytes: .max) == second)
    }

    @Test("The part of a batch that was not on its way follows after a restart")
    func restOfBatch() throws {
        do {
            let spool = try open()
            fill(spool, numbers(0..<8))
            let whole = try #require(spool.nextPiece(maximumCount: 8, maximumBytes: .max))
            #expect(spool.split(whole))
            _ = spool.nextPiece(maximumCount: 8, maximumBytes: .max)
        }
        #expect(drain(try open()).texts == numbers(0..<8))
    }

    @Test("A single record cannot be split") func splitOne() throws {
        let spool = try open()
        fill(spool, ["alone"])
        let piece = try #require(spool.nextPiece(maximumCount: 8, maximumBytes: .max))
        #expect(!spool.split(piece))
    }

    @Test("Ids are never used twice, not even when all files are gone") func ids() throws {
        do {
            let spool = try open()
            fill(spool, numbers(0..<5))
            _ = drain(spool)
        }
        let spool = try open()
        fill(spool, ["next"])
        #expect(spool.nextPiece(maximumCount: 1, maximumBytes: .max)?.records.first?.id == 6)
    }

    // MARK: Files

    @Test("Segments are sealed by count, size and age, and are deleted one by one")
    func sealing() throws {
        let spool = try open { $0.segmentCount = 10 }
        fill(spool, numbers(0..<35))
        #expect(directory.names("spool").filter { $0.hasSuffix(".seg") }.count == 4)
        clock.advance(by: .seconds(3601))
        fill(spool, ["later"])
        #expect(directory.names("spool").filter { $0.hasSuffix(".seg") }.count == 5)
        let piece = try #require(spool.nextPiece(maximumCount: 15, maximumBytes: .max))
        spool.complete(piece, done: piece.records.map(\.id))
        #expect(directory.names("spool").filter { $0.hasSuffix(".seg") }.count == 4)
        #expect(drain(spool).texts.count == 21)
    }

    @Test("Files are 0600, directories 0700, whatever was there before") func modes() throws {
        fill(try open(), ["x"])
        for name in directory.names("spool") {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: directory.path + "/spool/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/spool")
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test("A second owner is refused, and the first is named") func lock() throws {
        let first = try open()
        let error = #expect(throws: LogError.self) { try open() }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
        withExtendedLifetime(first) {}
    }

    @Test("A directory that others may write in, and a link instead of a directory, are refused")
    func unsafeDirectory() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path + "/spool", withIntermediateDirectories: true)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: directory.path + "/spool")
        #expect(throws: LogError.self) { try open() }
        try FileManager.default.removeItem(atPath: directory.path + "/spool")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/spool", withDestinationPath: directory.path)
        #expect(throws: LogError.self) { try open() }
    }

    // MARK: Limits

    @Test("The files never have more bytes than allowed, and what goes is the oldest, counted")
    func dropOldest() throws {
        let spool = try open { $0.maximumBytes = .kibibytes(64) }
        for number in 0..<3000 {
            fill(spool, ["record \(number)"])
            let onDisk = directory.names("spool").filter { $0.hasSuffix(".seg") }.reduce(0) { sum, name in
                let size = try? FileManager.default.attributesOfItem(
                    atPath: directory.path + "/spool/" + name)
                return sum + ((size?[.size] as? Int) ?? 0)
            }
            #expect(onDisk <= 65_536)
        }
        let left = drain(spool).texts
        #expect(left.last == "record 2999")
        #expect(left == numbers(3000 - left.count..<3000))
        #expect(left.count > 1000)
        #expect(left.count + spool.counters.droppedFull == 3000)
        #expect(spool.pending == 0)
    }

    @Test("With dropNewest the oldest stay", arguments: [true, false]) func dropNewest(onDisk: Bool) throws {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(32)
        settings.overflow = .dropNewest
        let spool = try Spool(
            directory: onDisk ? directory.path + "/spool" : nil, settings: settings, clock: clock)
        fill(spool, numbers(0..<2000))
        let left = drain(spool).texts
        #expect(left == numbers(0..<left.count))
        #expect(left.count + spool.counters.droppedFull == 2000)
    }

    @Test("With dropBelow the serious messages stay", arguments: [true, false]) func dropBelow(onDisk: Bool)
        throws
    {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(64)
        settings.overflow = .dropBelow(.warning)
        let spool = try Spool(
            directory: onDisk ? directory.path + "/spool" : nil, settings: settings, clock: clock)
        for number in 0..<4000 {
            fill(spool, ["record \(number)"], level: number % 10 == 0 ? 1 : 5)
        }
        let left = drain(spool).texts
        let serious = numbers(0..<4000).enumerated().filter { $0.offset % 10 == 0 }.map(\.element)
        #expect(serious.allSatisfy(Set(left).contains))
        #expect(left.count + spool.counters.droppedFull == 4000)
        #expect(spool.counters.damagedRecords == 0)
    }

    @Test("What is on its way is not evicted") func sparesBatch() throws {
        let spool = try open {
            $0.maximumBytes = .kibibytes(64)
            $0.segmentCount = 20
        }
        fill(spool, numbers(0..<30))
        let piece = try #require(spool.nextPiece(maximumCount: 25, maximumBytes: .max))
        fill(spool, numbers(30..<3000))
        #expect(spool.counters.droppedFull > 0)
        #expect(spool.nextPiece(maximumCount: 99, maximumBytes: .max) == piece)
        spool.complete(piece, done: piece.records.map(\.id))
        let left = drain(spool).texts
        #expect(25 + left.count + spool.counters.droppedFull == 3000)
    }

    @Test(
        "Old messages go by the segment, but none until the next start once the clock jumped",
        arguments: [3601, -3601, 86_400 * 3650])
    func age(_ jump: Int) throws {
        let spool = try open {
            $0.maximumAge = .seconds(86_400)
            $0.segmentCount = 5
        }
        fill(spool, numbers(0..<5))
        clock.advance(by: .seconds(80_000))
        fill(spool, numbers(5..<8))
        clock.advance(by: .seconds(10_000))
        spool.expire()
        #expect(texts(spool) == numbers(5..<8))
        #expect(spool.counters.droppedOld == 5)
        clock.setWall(clock.now() + .seconds(jump))
        spool.expire()
        clock.advance(by: .seconds(86_400 * 2))
        spool.expire()
        #expect(texts(spool) == numbers(5..<8))
        spool.close()
        let next = try open { $0.maximumAge = .seconds(86_400) }
        next.expire()
        #expect(texts(next) == [])
    }

    @Test("Records can be thrown away on purpose, the ones on their way first") func dropAsked() throws {
        let spool = try open()
        fill(spool, numbers(0..<80))
        _ = spool.nextPiece(maximumCount: 30, maximumBytes: .max)
        #expect(spool.dropOldest(50) == 50)
        #expect(drain(spool).texts == numbers(50..<80))
        #expect(spool.dropOldest(5) == 0)
        #expect(spool.counters.droppedAsked == 50)
    }
}
