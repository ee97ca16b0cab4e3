import Foundation
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Records that belong together: all of them are in the spool, or none.
@Suite(.inTurn) struct SpoolGroupTests {
    private struct Failure: Error {}

    private func payload(_ number: Int) -> [UInt8] {
        Array("\(number)".utf8) + [UInt8](repeating: 0x2E, count: 100)
    }

    private func append(_ numbers: Range<Int>, to spool: Spool, failingAt: Int = -1) throws {
        var rest = numbers
        try spool.appendWhole(numbers.count) {
            let number = rest.removeFirst()
            if number == failingAt { throw Failure() }
            return (payload(number), LogTimestamp(nanoseconds: 1), 4)
        }
    }

    private func numbers(_ spool: Spool) -> [Int] {
        var numbers: [Int] = []
        spool.forEachPending { record in
            numbers.append(Int(String(decoding: record.payload.prefix { $0 != 0x2E }, as: UTF8.self)) ?? -1)
            return true
        }
        return numbers
    }

    private func small() -> SpoolSettings {
        var settings = SpoolSettings()
        settings.segmentBytes = .kibibytes(4)
        return settings
    }

    @Test(
        "After a crash at any byte of a group, over several files too, all that was before it is there, and nothing of it"
    )
    func everyByte() throws {
        let directory = try TemporaryDirectory(isFast: true)
        do {
            let spool = try Spool(directory: directory.path, settings: small())
            spool.append(payload(0), time: LogTimestamp(nanoseconds: 1), level: 4)
            try append(1..<4, to: spool)
            try append(4..<104, to: spool)
        }
        let names = directory.segments()
        #expect(names.count > 3)
        // The files before it are whole, this one is cut, those behind it were not there yet.
        var cuts = 0
        for (index, name) in names.enumerated() {
            let content = try directory.read(name)
            let unsealed = String(name.prefix(20)) + ".seg"
            for size in stride(
                from: 0, to: content.count + (index == names.count - 1 ? 0 : 1), by: isLongRun ? 1 : 23)
            {
                let copy = try directory.snapshot()
                for later in names[index...] { try copy.remove(later) }
                try copy.write(unsealed, Array(content.prefix(size)))
                let spool = try Spool(directory: copy.path, settings: small())
                let found = numbers(spool)
                #expect(
                    found == [0, 1, 2, 3] || (index == 0 && [[], [0]].contains(found)),
                    "\(name) \(size): \(found)")
                #expect(spool.pending == found.count)
                // And it can be used.
                try append(1000..<1002, to: spool)
                #expect(numbers(spool) == found + [1000, 1001])
                cuts += 1
            }
        }
        #expect(cuts > 400)
    }

    @Test("A crash after a file was sealed in the middle of a group takes the group back as well")
    func sealedInside() throws {
        let directory = try TemporaryDirectory(isFast: true)
        do {
            let spool = try Spool(directory: directory.path, settings: small())
            try append(0..<4, to: spool)
            try append(4..<104, to: spool)
        }
        let names = directory.segments()
        for count in 1..<names.count {
            let copy = try directory.snapshot()
            for later in names[count...] { try copy.remove(later) }
            #expect(numbers(try Spool(directory: copy.path, settings: small())) == [0, 1, 2, 3])
            // A second start finds what the first has left.
            #expect(numbers(try Spool(directory: copy.path, settings: small())) == [0, 1, 2, 3])
        }
        #expect(numbers(try Spool(directory: directory.path, settings: small())) == Array(0..<104))
    }

    @Test("A group whose source fails leaves nothing, and the spool goes on", arguments: [4, 60, 103])
    func failing(at number: Int) throws {
        let directory = try TemporaryDirectory(isFast: true)
        let spool = try Spool(directory: directory.path, settings: small())
        try append(0..<4, to: spool)
        #expect(throws: Failure.self) { try append(4..<104, to: spool, failingAt: number) }
        #expect(spool.pending == 4 && numbers(spool) == [0, 1, 2, 3])
        try append(200..<203, to: spool)
        #expect(numbers(spool) == [0, 1, 2, 3, 200, 201, 202])
        let copy = try directory.snapshot()
        #expect(numbers(try Spool(directory: copy.path, settings: small())) == [0, 1, 2, 3, 200, 201, 202])
    }

    @Test("A group of several MiB whose source fails late is taken back from all its files")
    func failingLate() throws {
        let directory = try TemporaryDirectory(isFast: true)
        let spool = try Spool(directory: directory.path)
        try append(0..<1, to: spool)
        let large = [UInt8](repeating: 1, count: 100_000)
        var count = 0
        #expect(throws: Failure.self) {
            try spool.appendWhole(200) {
                count += 1
                if count == 200 { throw Failure() }
                return (large, LogTimestamp(nanoseconds: 1), 4)
            }
        }
        #expect(count == 200 && numbers(spool) == [0])
        #expect(spool.bytes < 1000)
        #expect(directory.segments().count == 1)
        let piece = try #require(spool.nextPiece(maximumCount: 10, maximumBytes: .max))
        spool.complete(piece, done: piece.records.map(\.id))
        #expect(spool.pending == 0 && spool.bytes == 0)
    }

    @Test("A group comes after what was in memory, and is refused while that cannot be written")
    func order() throws {
        let directory = try TemporaryDirectory(isFast: true)
        let spool = try Spool(directory: directory.path, settings: small())
        spool.append(payload(0), time: LogTimestamp(nanoseconds: 1), level: 4)
        try append(1..<3, to: spool)
        spool.append(payload(3), time: LogTimestamp(nanoseconds: 1), level: 4)
        #expect(numbers(spool) == [0, 1, 2, 3])
        let memory = try Spool(directory: nil)
        #expect(throws: LogError.self) { try append(0..<1, to: memory) }
        try append(0..<0, to: spool)
        #expect(spool.pending == 4)
    }

    @Test("Damage in a sealed file costs the records it hits, though they end a group")
    func damage() throws {
        let directory = try TemporaryDirectory(isFast: true)
        do {
            let spool = try Spool(directory: directory.path, settings: small())
            try append(0..<4, to: spool)
        }
        _ = try Spool(directory: directory.path, settings: small())  // seals it
        let name = try #require(directory.segments().first)
        var content = try directory.read(name)
        content[content.count - 1] ^= 0xFF
        try directory.write(name, content)
        let spool = try Spool(directory: directory.path, settings: small())
        #expect(numbers(spool) == [0, 1, 2])
        #expect(spool.counters.damagedRecords == 1)
    }
}
