import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// The engine against whoever else has his hands in the directory, and against its own limits.
@Suite(.inTurn) struct FileEngineTests {
    private let scratch = Scratch()
    private let clock = ManualClock()

    private func makeEngine(
        calls: SystemCalls = SystemCalls(), activeName: String? = nil,
        _ change: (inout FileSettings) -> Void = { _ in }
    ) throws -> FileEngine {
        var settings = FileSettings.unlimited(
            naming: try LogFileNaming(application: "t", activeName: activeName))
        change(&settings)
        return FileEngine(
            directory: try Directory(scratch.logs, calls: calls), settings: settings, clock: clock)
    }

    @Test(
        "The quota holds after every single write, whatever the sizes", arguments: [300, 1000, 4096],
        [0, 100, 2000])
    func quota(_ quota: Int, _ fileSize: Int) throws {
        let engine = try makeEngine {
            $0.retention = RetentionPlan(quota: quota)
            $0.rolling.maximumSize = fileSize
        }
        var log = RecordLog()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            log.write(Int.random(in: 1...9, using: &generator), to: engine)
            #expect(scratch.total <= quota)
        }
        #expect(engine.isIdle)
        #expect(engine.counters.dropped == 0)
        let lines = scratch.lines(engine.settings.naming).dropLast()
        #expect(Array(lines) == Array(log.lines.suffix(lines.count)))
        // Half of the quota at least is in use, or one file.
        #expect(scratch.total >= min(quota / 2 - 300, quota - fileSize - 300))
    }

    @Test("A record larger than the quota is dropped and counted, and the others are written")
    func recordLargerThanQuota() throws {
        let engine = try makeEngine { $0.retention = RetentionPlan(quota: 200) }
        let large = Array((String(repeating: "x", count: 300) + "\n").utf8)
        let batch = Array("small 1\n".utf8) + large + Array("small 2\n".utf8)
        batch.withUnsafeBytes { engine.write($0, [8, 309, 317]) }
        #expect(engine.counters.dropped == 1)
        let told = "1 message dropped here (\(SystemFailure.reason(of: EDQUOT)))"
        #expect(
            scratch.lines(engine.settings.naming) == ["small 1", told, "small 2", ""])
    }

    @Test("Limits that are made smaller hold at once")
    func smallerLimits() throws {
        let engine = try makeEngine { $0.rolling.maximumSize = 100 }
        var log = RecordLog()
        log.write(40, to: engine)
        #expect(scratch.names().count == 10)
        var settings = engine.settings
        settings.retention.maximumCount = 5
        engine.apply(settings)
        #expect(scratch.names().count == 5)
        settings.retention.quota = 250
        engine.apply(settings)
        #expect(scratch.total <= 250)
        settings.rolling.maximumSize = 10
        engine.apply(settings)
        log.write(1, to: engine)
        #expect(scratch.lines(engine.settings.naming).dropLast().last == log.lines.last)
    }

    @Test(
        "A file that is removed or renamed while it is written: the next line goes to a new one",
        arguments: [true, false])
    func disturbed(_ isRemoved: Bool) throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(2, to: engine)
        let name = try #require(scratch.names().first)
        if isRemoved {
            unlink(scratch.logs + "/" + name)
        } else {
            rename(scratch.logs + "/" + name, scratch.logs + "/kept.txt")
        }
        clock.advance(by: .seconds(1))
        log.write(1, to: engine)
        log.write(1, to: engine)
        #expect(scratch.lines(engine.settings.naming) == Array(log.lines.suffix(2)) + [""])
        if !isRemoved {
            #expect(scratch.text("kept.txt") == log.lines.prefix(2).joined(separator: "\n") + "\n")
        }
    }

    @Test("Logrotate's way with `create`: what it makes under the fixed name is gone on with")
    func rotatedWithCreate() throws {
        let engine = try makeEngine(activeName: "t.log")
        var log = RecordLog()
        log.write(2, to: engine)
        rename(scratch.logs + "/t.log", scratch.logs + "/t.log.1")
        scratch.write("", to: "t.log")
        log.write(2, to: engine)
        #expect(scratch.text("t.log.1") + scratch.text("t.log") == log.lines.joined(separator: "\n") + "\n")
        #expect(scratch.names() == ["t.log", "t.log.1"])
    }

    @Test("Logrotate's way with `copytruncate`: lines go on at the beginning, and the size is known")
    func copyTruncated() throws {
        let engine = try makeEngine(activeName: "t.log") { $0.rolling.maximumSize = 130 }
        var log = RecordLog()
        log.write(4, to: engine)
        truncate(scratch.logs + "/t.log", 0)
        log.write(4, to: engine)
        #expect(scratch.names() == ["t.log"])
        #expect(scratch.text("t.log") == log.lines.suffix(4).joined(separator: "\n") + "\n")
    }

    @Test("A directory that is removed while it is written to is made again")
    func directoryRemoved() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(2, to: engine)
        try FileManager.default.removeItem(atPath: scratch.logs)
        log.write(2, to: engine)
        #expect(engine.isIdle)
        #expect(scratch.lines(engine.settings.naming) == Array(log.lines.suffix(2)) + [""])
    }

    @Test(
        "A link planted where a log would be is refused and reported, and its target is untouched",
        arguments: [true, false])
    func planted(_ isActive: Bool) throws {
        let victim = scratch.path + "/victim"
        _ = FileManager.default.createFile(atPath: victim, contents: Data("precious".utf8))
        mkdir(scratch.logs, 0o700)
        let name = isActive ? "t.log" : "t 2026-01-01--00-00-00-000.log"
        symlink(victim, scratch.logs + "/" + name)
        let engine = try makeEngine(activeName: isActive ? "t.log" : nil)
        var log = RecordLog()
        log.write(2, to: engine)
        #expect(engine.isIdle)
        #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
        #expect(scratch.names().count == 2)
        let other = try #require(scratch.names().first { $0 != name })
        #expect(scratch.text(other) == log.lines.joined(separator: "\n") + "\n")
    }

    @Test("A link that has the name of a log is reported, and neither gone on with nor removed")
    func refusesLink() throws {
        mkdir(scratch.logs, 0o700)
        let name = "t 2025-12-31--00-00-00-000.log"
        symlink(scratch.path, scratch.logs + "/" + name)
        let refused = Locked<[String]>([])
        let engine = FileEngine(
            directory: try Directory(scratch.logs),
            settings: FileSettings.unlimited(naming: LogFileNaming(application: "t")),
            clock: clock,
            report: { event in
                if case .unusable(let error as SystemFailure, let name) = event,
                    error.refusal == .notRegular
                {
                    refused.withLock { $0.append(name) }
                }
            })
        var log = RecordLog()
        log.write(1, to: engine)
        #expect(refused.withLock { $0 } == [name])
        #expect(scratch.names().count == 2)
    }

    @Test(
        "A torn last line is cut off before a file is gone on with (promise 8)",
        arguments: [
            ("whole\n", "whole\n"), ("whole\ntor", "whole\n"), ("torn", ""), ("a\nb\0\0\0", "a\n"),
            ("a\n\0\0", "a\n"), ("", ""),
        ])
    func repairs(_ before: String, _ kept: String) throws {
        scratch.write(before, to: "t 2025-12-31--23-59-00-000.log")
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(1, to: engine)
        #expect(scratch.text("t 2025-12-31--23-59-00-000.log") == kept + log.lines[0] + "\n")
    }

    @Test("A torn last line far behind the last whole one is found as well")
    func repairsLongLine() throws {
        scratch.write(
            "whole\n" + String(repeating: "x", count: 300_000), to: "t 2025-12-31--23-59-00-000.log")
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(1, to: engine)
        #expect(scratch.text("t 2025-12-31--23-59-00-000.log") == "whole\n" + log.lines[0] + "\n")
    }

    @Test(
        "A clock that jumps rolls one file too many at most, and removes nothing",
        arguments: [86_400.0, 86_400 * 3650] as [Double])
    func clockJumps(_ seconds: Double) throws {
        let engine = try makeEngine {
            $0.rolling.boundary = .day
            $0.retention.maximumAge = .seconds(86_400 * 7)
        }
        var log = RecordLog()
        let start = clock.now()
        for jump in [0, seconds, 0, -seconds, 0] {
            clock.setWall(start + .seconds(jump) + clock.uptime())
            clock.advance(by: .seconds(10))
            engine.tick()
            log.write(3, to: engine)
        }
        #expect(scratch.lines(engine.settings.naming) == log.lines + [""])
        #expect(scratch.names().count <= 4)
    }

    @Test(
        "A calendar day has its own file, on the days when clocks change as well",
        arguments: ["2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"])
    func days(_ start: String) throws {
        clock.setWall(moment(start))
        let paris = zone("Europe/Paris")
        let engine = try makeEngine {
            $0.rolling.boundary = .day
            $0.rolling.zone = paris
        }
        for _ in 0..<96 {
            let day = CivilTime(clock.now(), offset: paris.offset(at: clock.now().wholeSeconds)).day
            let line = Array("\(day)\n".utf8)
            line.withUnsafeBytes { engine.write($0, [line.count]) }
            clock.advance(by: .seconds(1800))
        }
        let texts = scratch.texts(engine.settings.naming)
        #expect(texts.count == 3)
        for text in texts { #expect(Set(text.split(separator: "\n")).count == 1) }
    }

    @Test("Two engines on one directory each have a file of their own, and neither removes the other's")
    func twoEngines() throws {
        let first = try makeEngine { $0.retention.maximumCount = 1 }
        let second = try makeEngine { $0.retention.maximumCount = 1 }
        var log = RecordLog()
        log.write(2, to: first)
        log.write(2, to: second)
        log.write(2, to: first)
        log.write(2, to: second)
        #expect(scratch.names().count == 2)
        let all = scratch.lines(first.settings.naming).filter { !$0.isEmpty }
        #expect(all.sorted() == log.lines)
        #expect(scratch.names().contains { $0.contains("@pid\(getpid())") })
    }

    @Test("Engines that share a file roll it together, and keep the order of each")
    func shared() throws {
        let engines = try (0..<3).map { _ in
            try makeEngine {
                $0.isShared = true
                $0.rolling.maximumSize = 150
            }
        }
        var log = RecordLog()
        for round in 0..<30 { log.write(1 + round % 4, to: engines[round % 3]) }
        engines[1].rollNow()
        log.write(1, to: engines[0])
        log.write(1, to: engines[2])
        #expect(scratch.lines(engines[0].settings.naming) == log.lines + [""])
        for name in scratch.names() { #expect(scratch.size(name) <= 150) }
        #expect(scratch.names().count <= 20)
    }

    @Test("A process that forked goes on in a file of its own, and forgets what its parent will write")
    func forked() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(2, to: engine)
        // As in the child of a fork: all as it was, but another process.
        engine.owner = ProcessOwner(process: 1)
        log.write(1, to: engine)
        #expect(scratch.names().count == 2)
        #expect(scratch.lines(engine.settings.naming) == log.lines + [""])
    }

    @Test(
        "Lines wait in memory up to the limit while the disk is full, and the loss is told in its place")
    func fullDisk() throws {
        let isFull = Locked(false)
        let engine = try makeEngine(
            calls: SystemCalls { call in call == .write && isFull.withLock { $0 } ? .fails(ENOSPC) : nil }
        ) { $0.waitingLimit = .bytes(200) }
        var log = RecordLog()
        log.write(2, to: engine)
        isFull.withLock { $0 = true }
        log.write(20, to: engine)
        #expect(engine.counters.waiting == 8)
        #expect(engine.counters.dropped == 12)
        #expect(engine.untilTick == FileHealth.retryInterval)
        isFull.withLock { $0 = false }
        clock.advance(by: .milliseconds(250))
        engine.tick()
        log.write(1, to: engine)
        let lines = scratch.lines(engine.settings.naming)
        let told = "12 messages dropped here (\(SystemFailure.reason(of: ENOSPC)))"
        #expect(lines == log.lines.prefix(10) + [told, log.lines[22], ""])
    }

    @Test("Where a new file is due and cannot be made, lines go on into the open one")
    func noNewFile() throws {
        let isFull = Locked(false)
        let engine = try makeEngine(
            calls: SystemCalls { call in call == .open && isFull.withLock { $0 } ? .fails(EMFILE) : nil }
        ) { $0.rolling.maximumSize = 100 }
        var log = RecordLog()
        log.write(3, to: engine)
        isFull.withLock { $0 = true }
        log.write(3, to: engine)
        #expect(scratch.names().count == 1)
        #expect(engine.isIdle)
        isFull.withLock { $0 = false }
        clock.advance(by: .seconds(1))
        log.write(1, to: engine)
        #expect(scratch.names().count == 2)
        #expect(scratch.lines(engine.settings.naming) == log.lines + [""])
    }

    @Test("Free space that is to be left to others is left")
    func freeSpace() throws {
        let engine = try makeEngine { $0.minimumFreeSpace = .bytes(.max) }
        var log = RecordLog()
        log.write(1, to: engine)
        // A hundredth of the file system at most: here there is more free than that, or the test says nothing.
        let (free, total) = try engine.calls.freeSpace(engine.directory.descriptor.number)
        #expect(engine.isIdle == (free > total / 100 + 4096))
    }

    @Test("Ten thousand old files are cut to the limit, the newest kept", .secondTier)
    func manyFiles() throws {
        mkdir(scratch.logs, 0o700)
        let naming = LogFileNaming(application: "t")
        for number in 0..<10_000 {
            let name = naming.name(
                for: LogFileLabel(createdAt: LogTimestamp(nanoseconds: Int64(number) * 1_000_000_000)))
            close(open(scratch.logs + "/" + name, O_CREAT | O_WRONLY, 0o600))
        }
        let engine = try makeEngine { $0.retention.maximumCount = 10 }
        let clock = ContinuousClock()
        let took = try clock.measure {
            try engine.start()
        }
        #expect(scratch.names().count == 10)
        #expect(
            scratch.names().last
                == naming.name(for: LogFileLabel(createdAt: LogTimestamp(nanoseconds: 9_999_000_000_000))))
        print("10,000 files: \(took)")
    }

    @Test("A roll makes as many calls of the system with ten thousand old files as with three hundred")
    func rollAmongManyFiles() throws {
        let counts = try [300, 10_000].map { number in
            let scratch = Scratch(inMemory: true)
            mkdir(scratch.logs, 0o700)
            let naming = LogFileNaming(application: "t")
            for number in 0..<number {
                let time = LogTimestamp(nanoseconds: Int64(number) * 1_000_000_000)
                let name = naming.name(for: LogFileLabel(createdAt: time))
                close(open(scratch.logs + "/" + name, O_CREAT | O_WRONLY, 0o600))
            }
            let calls = Box(0)
            let counted = SystemCalls { _ in
                calls.update { $0 += 1 }
                return nil
            }
            let engine = FileEngine(
                directory: try Directory(scratch.logs, calls: counted),
                settings: FileSettings.unlimited(naming: naming), clock: clock)
            var log = RecordLog()
            log.write(1, to: engine)
            #expect(engine.rollNow())
            log.write(1, to: engine)
            calls.value = 0
            for _ in 0..<20 {
                #expect(engine.rollNow())
                log.write(1, to: engine)
            }
            return calls.value
        }
        #expect(counts[0] == counts[1])
        #expect(counts[0] > 0)
    }

    @Test(
        "A changed minimum of free space holds for the next write, and the free space is not asked for each")
    func freeSpaceAgain() throws {
        let asked = Box(0)
        let calls = SystemCalls { call in
            if call == .freeSpace { asked.update { $0 += 1 } }
            return nil
        }
        let engine = try makeEngine(calls: calls) { $0.minimumFreeSpace = .bytes(1) }
        var log = RecordLog()
        for _ in 0..<3 { log.write(1, to: engine) }
        #expect(asked.value == 1)
        var settings = engine.settings
        settings.minimumFreeSpace = .bytes(2)
        engine.apply(settings)
        for _ in 0..<3 { log.write(1, to: engine) }
        #expect(asked.value == 2)
    }

    @Test(
        "Those that share a file go on with the one that is there, also where they would start a new one alone"
    )
    func sharedWithoutReuse() throws {
        let engines = try (0..<2).map { _ in
            try makeEngine {
                $0.isShared = true
                $0.reusesFiles = false
            }
        }
        var log = RecordLog()
        for round in 0..<6 { log.write(1, to: engines[round % 2]) }
        #expect(scratch.names().count == 1)
        #expect(scratch.lines(engines[0].settings.naming) == log.lines + [""])
        for engine in engines { engine.close() }
        // A run of its own starts a new one.
        let alone = try makeEngine { $0.reusesFiles = false }
        log.write(1, to: alone)
        #expect(scratch.names().count == 2)
    }

}
