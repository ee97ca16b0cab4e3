import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Promise 12 for journals: no file's name or content ends the process, or keeps it busy without end.
@Suite(.inTurn) struct JournalPlantedTests {
    /// What a journal has at a place that a reader believes, if it believes anything.
    struct Plant: Sendable, CustomTestStringConvertible {
        let name: String
        /// The offset of a word in the journal's file.
        let offset: @Sendable (JournalGeometry) -> Int
        var isInHeader = false
        var testDescription: String { name }
    }

    static let plants: [Plant] = [
        Plant(name: "page size", offset: { _ in 8 }, isInHeader: true),
        Plant(name: "file size", offset: { _ in JournalLayout.Header.fileSize }, isInHeader: true),
        Plant(name: "ring size", offset: { _ in JournalLayout.Header.ringSize }, isInHeader: true),
        Plant(name: "process", offset: { _ in JournalLayout.Header.process }, isInHeader: true),
        Plant(name: "time", offset: { _ in JournalLayout.Header.createdAt }, isInHeader: true),
        Plant(name: "size of the name", offset: { _ in JournalLayout.Header.nameSize }, isInHeader: true),
        Plant(name: "key", offset: { _ in JournalLayout.Header.wrapped }, isInHeader: true),
        Plant(name: "released", offset: { $0.marks + JournalLayout.Marks.released }),
        Plant(name: "tables", offset: { $0.marks + JournalLayout.Marks.tableUsed }),
        Plant(name: "clock", offset: { $0.marks + JournalLayout.Marks.clockIndex }),
        Plant(name: "rate", offset: { $0.marks + JournalLayout.Marks.clocks + 16 }),
        Plant(name: "wall", offset: { $0.marks + JournalLayout.Marks.clocks + 8 }),
        Plant(name: "tail", offset: { $0.counters + JournalLayout.Counters.tail }),
        Plant(name: "head", offset: { $0.counters + JournalLayout.Counters.head }),
        Plant(name: "done", offset: { $0.slot(0) + JournalLayout.Slot.done }),
        Plant(name: "lost", offset: { $0.slot(0) + JournalLayout.Slot.lost }),
        Plant(name: "levels", offset: { $0.slot(0) + JournalLayout.Slot.levels }),
        Plant(name: "intent", offset: { $0.slot(0) + JournalLayout.Slot.intent }),
        Plant(name: "size of the file", offset: { $0.slot(0) + JournalLayout.Slot.offset }),
        Plant(name: "sizes of name and key", offset: { $0.slot(0) + JournalLayout.Slot.nameSize }),
        Plant(name: "table entry", offset: { $0.tables }),
        Plant(name: "first record", offset: { $0.ring }),
    ]

    /// A journal with twenty messages that were not written, one of them large, and its directory's files.
    private func left(_ fixture: JournalFixture) throws -> (name: String, bytes: Data) {
        try fixture.live([fixture.makeLogger()]) { dispatcher in
            for number in 0..<20 { logInfo("message \(number)", to: dispatcher) }
            logInfo("\(String(repeating: "large ", count: 6000))", to: dispatcher)
        }
        let name = try #require(fixture.scratch.names(fixture.next).first { $0.hasSuffix(".journal") })
        return (name, try #require(FileManager.default.contents(atPath: fixture.next + "/" + name)))
    }

    /// Recovers changed bytes: whatever comes of it, the process goes on and logs.
    private func check(_ fixture: JournalFixture, _ name: String, _ bytes: Data, _ what: String) throws {
        mkdir(fixture.next, 0o700)
        try bytes.write(to: URL(fileURLWithPath: fixture.next + "/" + name))
        chmod(fixture.next + "/" + name, 0o600)
        let logger = try fixture.makeLogger("logs-\(what)")
        try fixture.recover([logger, fixture.makeLogger()]) { logInfo("still here", to: $0) }
        #expect(fixture.lines("logs-\(what)") == ["still here"], "\(what)")
    }

    @Test("Any number at any place that readers believe ends nothing", arguments: plants)
    func numbers(_ plant: Plant) throws {
        let fixture = JournalFixture()
        let (name, whole) = try left(fixture)
        let header = try whole.withUnsafeBytes { try JournalHeader(reading: $0) }
        let offset = plant.offset(header.geometry)
        let numbers: [UInt64] = [
            0, 1, 7, 8, 4096, 1 << 31, 0xFFFF_FFFF, 1 << 32, 1 << 40, UInt64(Int64.max), 1 << 63,
            .max - 7, .max,
        ]
        for (index, number) in numbers.enumerated() where Tier.isFull || index % 3 == 2 {
            var bytes = whole
            bytes.withUnsafeMutableBytes { bytes in
                bytes.storeBytes(of: number, toByteOffset: offset, as: UInt64.self)
                guard plant.isInHeader, let base = bytes.baseAddress else { return }
                let check = hw_fold_words(
                    UnsafeRawPointer(base).assumingMemoryBound(to: hw_word.self), 0,
                    JournalLayout.Header.check / 8, 0)
                bytes.storeBytes(of: check, toByteOffset: JournalLayout.Header.check, as: UInt64.self)
            }
            try check(fixture, name, bytes, "\(index)")
        }
    }

    @Test("A sparse file of 8 TiB in the place of a large message costs that message alone")
    func sparse() throws {
        let fixture = JournalFixture()
        _ = try left(fixture)
        let large = try #require(fixture.scratch.names(fixture.next).first { $0.hasSuffix(".large") })
        #expect(truncate(fixture.next + "/" + large, 8 << 40) == 0)
        #expect(try fixture.recover([fixture.makeLogger()]))
        let lines = fixture.lines()
        #expect(lines.count == 21 && lines.last?.contains("lost with the process") == true)
    }

    @Test("Random damage anywhere ends nothing")
    func random() throws {
        let fixture = JournalFixture()
        let (name, whole) = try left(fixture)
        let geometry = try whole.withUnsafeBytes { try JournalHeader(reading: $0) }.geometry
        var random = SeededGenerator(seed: 7)
        for round in 0..<Load.random(60) {
            var bytes = whole
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                let parts = [
                    geometry.marks, geometry.slot(0), geometry.tables, geometry.counters, geometry.ring,
                ]
                let part = parts[Int.random(in: 0..<parts.count, using: &random)]
                let place = part + Int.random(in: 0..<2000, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            try check(fixture, name, bytes, "\(round)")
        }
    }
}
