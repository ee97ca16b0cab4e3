import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// Real disks that lose their power, fail, or list their names in any order (faults F3, F8 and F17).
@Suite(.serialized, .inTurn) struct FileDiskTests {
    /// With `HEARTWOOD_LONG=1`, 500 power cuts and more; without, a few.
    private static let cuts = Tier.isLong ? 125 : 1

    private static func makeEngine(
        _ path: String, _ clock: any LogClock = SystemClock(),
        report: @escaping (FileEvent) -> Void = { _ in },
        _ change: (inout FileSettings) -> Void
    ) throws -> FileEngine {
        var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        settings.rolling.maximumSize = 700
        change(&settings)
        return FileEngine(directory: try Directory(path), settings: settings, clock: clock, report: report)
    }

    private static func lines(_ path: String) -> [String] {
        let reader = LogFileReader(directory: path, naming: LogFileNaming(application: "t"), key: FixedKey())
        guard let paths = try? reader.paths() else { return [] }
        let lines = LogLineIterator(paths, key: FixedKey())
        var all: [String] = []
        while let next = try? lines.next() { all += next.map(\.text) }
        return all
    }

    @Test(
        "After a power cut, what the policy promises is on the disk, whole, in order and under its name",
        .enabled(if: Mounted.hasLoop(for: "the power cut")),
        arguments: ["never", "batch", "levels", "interval", "encrypted"])
    func powerCut(_ policy: String) throws {
        let scratch = Scratch(inMemory: true)
        let disk = try Mounted.Disk(scratch)
        defer { disk.unmount() }
        let clock = ManualClock()
        let engine = try Self.makeEngine(disk.mount + "/logs", clock) { settings in
            settings.syncPolicy =
                switch policy {
                case "batch", "encrypted": .everyBatch
                case "levels": .levels(.error)
                case "interval": .interval(.seconds(1))
                default: .never
                }
            settings.isEncrypted = policy == "encrypted"
            settings.archiveKey = FixedKey()
        }
        var log = RecordLog()
        // Without any synchronisation nothing is on the disk: the simulation has teeth.
        if policy == "never" {
            log.write(20, to: engine)
            #expect(try disk.afterPowerCut { Self.lines($0) }.isEmpty)
        }
        var generator = SystemRandomNumberGenerator()
        for cut in 0..<Self.cuts {
            for _ in 0..<Int.random(in: 1...9, using: &generator) {
                log.write(Int.random(in: 1...9, using: &generator), to: engine)
                clock.advance(by: .milliseconds(100))
                engine.tick()
            }
            var promised = log.count
            switch policy {
            case "never": try engine.synchronize()
            case "levels":
                log.write(1, to: engine, isUrgent: true)
                promised = log.count
                log.write(3, to: engine)
            case "interval":
                clock.advance(by: .seconds(1))
                engine.tick()
                log.write(2, to: engine)
            default: break
            }
            let left = try disk.afterPowerCut { Self.lines($0) }
            #expect(left.count >= promised, "cut \(cut): \(left.count) of \(promised) promised lines")
            #expect(left == Array(log.lines.prefix(left.count)), "cut \(cut)")
            if cut % 25 == 24 {
                // So that the disk does not get full: what is removed is the oldest.
                engine.rollNow()
                for name in scratch.names(disk.mount + "/logs") { unlink(disk.mount + "/logs/" + name) }
                engine.store.refresh()
                log = RecordLog()
                try engine.synchronize()
            }
        }
        #expect(engine.isIdle && engine.counters.dropped == 0)
    }

    @Test(
        "A disk whose writes fail is reported, tears nothing, and is written again when it is whole",
        .enabled(if: Mounted.hasLoop(for: "the failing disk", "nbdkit", "nbdfuse", "umount")))
    func failingDisk() throws {
        let scratch = Scratch()
        let (folder, mount, inject) = (
            scratch.path + "/nbd", scratch.path + "/mount", scratch.path + "/inject"
        )
        mkdir(folder, 0o700)
        mkdir(mount, 0o700)
        let server = try Mounted.serve(
            "nbdfuse", folder + "/image", "--command", "nbdkit", "-s", "--filter=error", "memory", "32M",
            "error-pwrite=EIO", "error-pwrite-rate=100%", "error-pwrite-file=" + inject)
        defer {
            Mounted.stop(server, mount, folder)
            withExtendedLifetime(scratch) {}
        }
        try #require(Mounted.wait { access(folder + "/image", F_OK) == 0 })
        try #require(Mounted.run("mkfs.ext4", "-q", "-F", folder + "/image"))
        try #require(Mounted.run("mount", "-o", "loop", folder + "/image", mount))
        let failures = Locked(0)
        func makeEngine() throws -> FileEngine {
            try Self.makeEngine(
                mount + "/logs",
                report: { if case .failed = $0 { failures.withLock { $0 += 1 } } },
                {
                    $0.syncPolicy = .everyBatch
                    $0.rolling.maximumSize = 0
                })
        }
        var engine: FileEngine? = try makeEngine()
        var log = RecordLog()
        func write(_ batches: Int) throws {
            let engine = try #require(engine)
            for _ in 0..<batches { log.write(3, to: engine) }
        }
        try write(1)
        #expect(failures.withLock { $0 } == 0)
        _ = FileManager.default.createFile(atPath: inject, contents: nil)
        try write(5)
        #expect(throws: SystemFailure.self) { try engine?.synchronize() }
        #expect(failures.withLock { $0 } > 0)
        unlink(inject)
        var before = log.count
        func finish() throws {
            before = log.count
            try write(5)
            engine?.retry()
            try engine?.synchronize()
        }
        if (try? finish()) == nil {
            // The file system has given the disk up: it must be mounted anew, and so must go whoever uses it.
            engine?.close()
            engine = nil
            try #require(Mounted.wait { Mounted.run("umount", mount) })
            try #require(Mounted.run("mount", "-o", "loop", folder + "/image", mount))
            engine = try makeEngine()
            try finish()
        }
        #expect(engine?.isIdle == true && engine?.counters.dropped == 0)
        // What was written while the disk failed may be there or not, but no line in part, twice, or elsewhere.
        let lines = Self.lines(mount + "/logs")
        #expect(lines == log.lines.filter(Set(lines).contains))
        #expect(lines.starts(with: log.lines.prefix(3)))
        #expect(Array(lines.suffix(log.count - before)) == Array(log.lines[before...]))
    }

    @Test(
        "The order in which a directory lists its names is of no importance",
        .enabled(if: Mounted.has("disorderfs", "umount", for: "the shuffled directory")))
    func shuffledDirectory() throws {
        let scratch = Scratch()
        let mount = scratch.path + "/mount"
        mkdir(scratch.logs, 0o700)
        mkdir(mount, 0o700)
        let calls = SystemCalls()
        let before = try calls.status(path: mount).identity
        let server = try Mounted.serve(
            "disorderfs", "-f", "--shuffle-dirents=yes", "--quiet", scratch.logs, mount)
        defer {
            Mounted.stop(server, mount)
            withExtendedLifetime(scratch) {}
        }
        guard
            Mounted.wait(until: { !server.isRunning || (try? calls.status(path: mount).identity) != before }),
            server.isRunning
        else {
            print("skipped: disorderfs cannot mount here")
            return
        }
        var log = RecordLog()
        for _ in 0..<20 {
            let engine = try Self.makeEngine(mount) {
                $0.rolling.maximumSize = 120
                $0.retention.maximumCount = 8
            }
            log.write(2, to: engine)
            log.write(3, to: engine)
            engine.close()
            let lines = Self.lines(mount)
            #expect(lines == Array(log.lines.suffix(lines.count)))
            #expect(lines.count >= min(log.count, 7 * 2))
            #expect(scratch.names().count <= 8)
        }
    }
}
