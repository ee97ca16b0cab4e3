import CHeartwood
import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Room that is set aside, leftovers of archives, records that no file can hold, keys that come later.
@Suite(.inTurn) struct FileRoomTests {
    private let scratch = Scratch()
    private let clock = ManualClock()
    private let naming = LogFileNaming(application: "t")

    @Test("Room that is set aside for an archive counts once, together with what is written of it")
    func reservation() {
        let inventory = FileInventory()
        let part = "t.log.gz.part"
        inventory.insert(
            FileInventory.Entry(
                name: "t.log", label: LogFileLabel(createdAt: nil), stage: .plain, size: 1000,
                modified: clock.now()))
        inventory.reserve(part, 300)
        #expect(inventory.total == 1300)
        inventory.insert(
            FileInventory.Entry(
                name: part, label: LogFileLabel(createdAt: nil), stage: .gzip, size: 0, modified: clock.now(),
                isUnfinished: true))
        for (size, total) in [(0, 1300), (200, 1300), (300, 1300), (350, 1350)] {
            inventory.resize(part, to: size)
            #expect(inventory.total == total, "\(size) bytes")
        }
        #expect(inventory.reserved(part) == 300)
        inventory.reserve(part, 0)
        #expect(inventory.total == 1350)
    }

    @Test("What a crash has left of an unfinished archive is removed at the next start, and its log is kept")
    func unfinishedArchive() throws {
        let log = naming.name(for: LogFileLabel(createdAt: moment("2025-12-31T00:00:00Z")))
        scratch.write("one\n", to: log)
        scratch.write("half of it", to: log + ".gz.part")
        let engine = FileEngine(
            directory: try Directory(scratch.logs), settings: FileSettings.unlimited(naming: naming),
            clock: clock)
        try engine.start()
        #expect(scratch.names() == [log] && scratch.text(log) == "one\n")
    }

    @Test("A record that fits into the quota, but not together with the header, is dropped and counted")
    func recordAndHeader() throws {
        var settings = FileSettings.unlimited(naming: naming)
        settings.retention = RetentionPlan(quota: 100)
        let header = String(repeating: "h", count: 39) + "\n"
        let engine = FileEngine(
            directory: try Directory(scratch.logs), settings: settings, clock: clock,
            header: { Array(header.utf8) })
        let large = Array((String(repeating: "x", count: 69) + "\n").utf8)
        large.withUnsafeBytes { engine.write($0, [large.count]) }
        #expect(engine.counters.dropped == 1)
        clock.advance(by: .seconds(1))
        let small = Array("small\n".utf8)
        small.withUnsafeBytes { engine.write($0, [small.count]) }
        #expect(engine.isIdle && engine.counters.written == 1)
        #expect(scratch.names().contains { scratch.text($0).hasSuffix("small\n") })
        #expect(scratch.total <= 100)
    }

    @Test("An archive that a look at the directory found while it was made counts once when it is complete")
    func lookAtUnfinished() throws {
        LogArchives.register()
        let engine = FileEngine(
            directory: try Directory(scratch.logs), settings: .unlimited(naming: naming), clock: clock)
        var random = SeededGenerator(seed: 1)
        // Hardly compressible, so that room is asked for again while the archive grows.
        for _ in 0..<3000 {
            let line = (0..<1000).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) } + [0x0A]
            line.withUnsafeBytes { engine.write($0, [line.count]) }
        }
        engine.rollNow()
        let sizes = Locked<[Int]>([])
        let worker = ArchiveWorker(
            directory: engine.directory, inventory: engine.inventory,
            makeRoom: { [inventory = engine.inventory, directory = engine.directory, naming] _, _ in
                try? inventory.refresh(directory, naming)
                sizes.withLock { $0 += inventory.entries.filter(\.isUnfinished).map(\.size) }
                return true
            }, describe: { _ in nil }, tell: { _ in })
        var settings = FileArchiver.Settings()
        settings.format = .gzip
        var name = try #require(engine.finished.first)
        #expect(try worker.work(on: &name, settings))
        #expect(sizes.withLock { $0.contains { $0 > 0 } })
        #expect(engine.inventory.total == scratch.total && scratch.names() == [name])
    }

    @Test("A key that is set later has files archived that waited for it") func keyLater() throws {
        let worker = ArchiveWorker(
            directory: try Directory(scratch.logs), inventory: FileInventory(),
            makeRoom: { _, _ in true }, describe: { _ in nil }, tell: { _ in })
        let archiver = FileArchiver(worker, clock)
        var settings = FileArchiver.Settings()
        #expect(!archiver.apply(settings))
        settings.format = .encrypted
        #expect(archiver.apply(settings))
        #expect(!archiver.apply(settings))
        settings.key = FixedKey()
        #expect(archiver.apply(settings))
        #expect(!archiver.apply(settings))
    }

    @Test("The archiver stops the program when its work starts on a queue that is not its own")
    func archiverQueue() async {
        await #expect(processExitsWith: .failure) {
            let worker = ArchiveWorker(
                directory: try Directory(Scratch().logs), inventory: FileInventory(),
                makeRoom: { _, _ in true }, describe: { _ in nil }, tell: { _ in })
            FileArchiver(worker, ManualClock()).run()
        }
    }

    @Test("Of two patterns that say as much of a name, the one that was set last holds") func equalPatterns()
    {
        for patterns in [["a.*", "*.b"], ["*.b", "a.*"]] {
            var rules = LevelRules(separator: ".")
            rules.set(.error, for: NamePattern(patterns[0]))
            rules.set(.debug, for: NamePattern(patterns[1]))
            #expect(rules.levels(of: "a.b") == .debug)
            rules.set(.info, for: NamePattern(patterns[0]))
            #expect(rules.levels(of: "a.b") == .info)
        }
    }
}
