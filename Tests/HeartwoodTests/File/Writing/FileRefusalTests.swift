import CHeartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Files in the directory that cannot be used, and files of other writers: in a simulated directory, so that owners and
/// permissions are as they should be whoever runs the tests.
@Suite(.inTurn) struct FileRefusalTests: FileBench {
    let clock = ManualClock()
    let disk: SimulatedDisk
    private let reports = Locked<[String]>([])

    init() { disk = Self.makeDisk(clock) }

    private func makeEngine(
        _ kernel: SimulatedKernel, template: String = "{app} {date}.log", activeName: String? = nil,
        _ change: (inout FileSettings) -> Void = { _ in }
    ) throws -> FileEngine {
        var settings = FileSettings.unlimited(
            naming: try LogFileNaming(application: "t", template: template, activeName: activeName))
        change(&settings)
        return FileEngine(
            directory: try Directory("/logs", calls: SystemCalls(kernel: kernel)), settings: settings,
            clock: clock, report: { [reports] event in reports.withLock { $0.append("\(event)") } })
    }

    /// What the logs hold, oldest first.
    private var lines: [String] { names.flatMap { text($0).split(separator: "\n").map(String.init) } }

    enum Trap: CaseIterable, Sendable { case secret, readable, writable, immutable, unreadable, folder, link }

    private func plant(_ trap: Trap, as name: String) {
        defer {
            // The logger's own link it may replace.
            if name == "current", trap == .link { disk.folder?.entries[name]?.isForeign = false }
        }
        switch trap {
        case .secret: disk.plant(name, "theirs\n", owner: 0, mode: 0o600, isForeign: true)
        case .readable: disk.plant(name, "theirs\n", owner: 0, mode: 0o644, isForeign: true)
        case .writable: disk.plant(name, "theirs\n", owner: 0, mode: 0o666, isForeign: true)
        case .immutable: disk.plant(name, "theirs\n", owner: 1000, isForeign: true).isImmutable = true
        case .unreadable: disk.plant(name, "theirs\n", owner: 1000, mode: 0, isForeign: true)
        case .folder: disk.plant(name, kind: .directory, owner: 0, isForeign: true)
        case .link: disk.plant(name, kind: .symbolicLink, owner: 1000, isForeign: true)
        }
    }

    @Test(
        "Whatever has the name of a log, of the active file, of the link, or of what earlier versions kept, and refuses to be used: lines go on in another file, and the report names the one that refused (promise 12)",
        arguments: Trap.allCases,
        ["t 2025-12-31--08-00-00-000.log", "t.log", "current", ".t.catalogue", ".t.lock"])
    func refusals(_ trap: Trap, _ name: String) throws {
        plant(trap, as: name)
        let engine = try makeEngine(makeKernel(), activeName: name == "t.log" ? name : nil) {
            $0.currentLink = name == "current" ? name : nil
            $0.rolling.maximumSize = 100
            $0.retention.maximumCount = 3
        }
        var log = RecordLog()
        for _ in 0..<6 { log.write(3, to: engine) }
        #expect(engine.isIdle && engine.counters.dropped == 0)
        let written = lines.filter { $0 != "theirs" }
        #expect(written == Array(log.lines.suffix(written.count)))
        #expect(written.count >= 6)
        let logs = names.filter { $0 != name && $0 != "current" }
        #expect(logs.count <= 3, "the limit holds without the file that cannot be removed: \(logs)")
        #expect(disk.violations == [])
        // A symbolic link is what the logger makes of that name itself, and what earlier versions called their own
        // may be others'.
        let isUsable = trap == .link && name == "current" || name.hasPrefix(".")
        if !isUsable {
            #expect(
                reports.withLock { $0 }.contains { $0.contains("\"\(name)\"") }, "\(reports.withLock { $0 })")
        }
    }

    @Test(
        "A file that another user has locked, or that cannot be opened for want of descriptors, is not removed by the limits (promise 12)"
    )
    func keepsWhatItCannotLock() throws {
        let quietKernel = makeKernel(1)
        let quiet = try makeEngine(quietKernel)
        var log = RecordLog()
        log.write(1, to: quiet)
        let active = try #require(names.first)
        let kernel = makeKernel(2)
        let loud = try makeEngine(kernel) {
            $0.retention.maximumCount = 1
            $0.rolling.maximumSize = 60
        }
        log.write(2, to: loud)
        kernel.descriptorLimit = 0
        for _ in 0..<3 {
            log.write(2, to: loud)
            loud.rollNow()
            clock.advance(by: .seconds(1))
        }
        kernel.descriptorLimit = 64
        log.write(2, to: loud)
        #expect(names.contains(active))
        log.write(1, to: quiet)
        #expect(text(active) == "\(log.lines[0])\n\(log.lines[log.lines.count - 1])\n")
        #expect(disk.violations == [])
    }

    @Test(
        "When all files are removed by others, two loggers that share files lose no line and create no file for each line",
        arguments: ["{app} {date}.log", "{app}-{date:yyyy-MM-dd}.log", "{app}.{number:6}.log"])
    func watermark(_ template: String) throws {
        let first = try makeEngine(makeKernel(1), template: template)
        var log = RecordLog()
        for _ in 0..<30 {
            log.write(1, to: first)
            first.rollNow()
        }
        first.close()
        for name in names { disk.removeName(name) }
        let engines = try [2, 3].map { process in
            try makeEngine(makeKernel(Int32(process)), template: template) {
                $0.isShared = true
                $0.retention.maximumCount = 10
            }
        }
        let before = log.count
        for number in 0..<60 { log.write(1, to: engines[number % 2]) }
        #expect(lines == Array(log.lines[before...]))
        #expect(names.count == 1)
    }

    @Test("When the clock was wrong once and the files of that time are gone, names tell the time again")
    func wrongClock() throws {
        let right = clock.now()
        clock.setWall(moment("2099-01-01T00:00:00Z"))
        let engine = try makeEngine(makeKernel(1))
        var log = RecordLog()
        log.write(1, to: engine)
        engine.rollNow()
        clock.setWall(right)
        for name in names { disk.removeName(name) }
        log.write(1, to: engine)
        #expect(names == ["t 2026-01-01--00-00-00-000.log"])
    }

    @Test(
        "After others have rolled, the file of a process that ended is not continued but finished, since it is not the newest"
    )
    func finishesAfterOthersRolled() throws {
        let quiet = try makeEngine(makeKernel(1))
        var log = RecordLog()
        log.write(1, to: quiet)
        let old = try #require(names.first)
        let loud = try makeEngine(makeKernel(2))
        log.write(1, to: loud)
        quiet.close()
        for _ in 0..<5 {
            loud.rollNow()
            clock.advance(by: .seconds(1))
            log.write(1, to: loud)
        }
        let again = try makeEngine(makeKernel(3))
        log.write(1, to: again)
        #expect(text(old) == log.lines[0] + "\n")
        #expect(text(try #require(names.last)) == (log.lines.last ?? "") + "\n")
        #expect(again.finished.contains(old))
    }

    @Test(
        "Only files that are finished are handed to a processor, each once, whatever the number of loggers (promise 12)"
    )
    func processedOnce() throws {
        final class Counting: LogArchiveProcessor, @unchecked Sendable {
            let names = Locked<[String]>([])
            override func process(_ file: LogFileInfo) throws -> Outcome {
                names.withLock { $0.append(file.name) }
                return .keep
            }
        }
        let engines = try (1...3).map {
            try makeEngine(makeKernel(Int32($0))) { $0.rolling.maximumSize = 60 }
        }
        var log = RecordLog()
        for round in 0..<12 {
            log.write(1, to: engines[round % 3])
            clock.advance(by: .seconds(1))
        }
        var settings = FileArchiver.Settings()
        let processor = Counting()
        settings.processor = processor
        for engine in engines + engines {
            engine.store.refresh()
            let worker = ArchiveWorker(
                directory: engine.directory, inventory: engine.inventory,
                makeRoom: { _, _ in true },
                describe: { [inventory = engine.inventory, directory = engine.directory] name in
                    inventory.entries.last { $0.name == name }.map {
                        LogFileInfo($0, directory, active: nil, isFinished: true)
                    }
                }, tell: { _ in })
            for name in engine.finished {
                var name = name
                #expect(try worker.work(on: &name, settings))
            }
        }
        let processed = processor.names.withLock { $0 }
        let active = engines.compactMap { $0.writer?.name }
        #expect(Set(processed).count == processed.count)
        #expect(Set(processed) == Set(names).subtracting(active))
        for engine in engines { log.write(1, to: engine) }
        #expect(lines.sorted() == log.lines)
        #expect(disk.violations == [])
    }

    @Test("In shared mode the torn line of a process that died is ended before the next line (promise 8)")
    func sharedTornTail() throws {
        let kernel = makeKernel(1)
        let dying = try makeEngine(kernel) { $0.isShared = true }
        let living = try makeEngine(makeKernel(2)) { $0.isShared = true }
        var log = RecordLog()
        log.write(1, to: dying)
        log.write(1, to: living)
        // Dies in the middle of its next write.
        let file = try #require(disk.folder?.entries[names[0]])
        let size = file.data.count
        for calls in 1...40 where file.data.count == size {
            kernel.callsToLive = calls
            var lost = RecordLog()
            lost.write(1, to: dying)
            if kernel.isDead { break }
        }
        file.data += Array("record 99 of".utf8)
        log.write(2, to: living)
        #expect(lines.suffix(2) == log.lines.suffix(2))
        #expect(!lines.contains { $0.contains("99") })
    }

    @Test("A tail without a newline that another program left is ended, and kept, before the next line")
    func foreignTail() throws {
        let engine = try makeEngine(makeKernel(1))
        var log = RecordLog()
        log.write(1, to: engine)
        let file = try #require(disk.folder?.entries[names[0]])
        file.data += Array("their tail".utf8)
        log.write(1, to: engine)
        #expect(lines == [log.lines[0], "their tail", log.lines[1]])
    }

    @Test("The old name of a renamed active file is removed only while it is that file's")
    func surplusName() throws {
        let kernel = makeKernel(1)
        let engine = try makeEngine(kernel, activeName: "t.log")
        var log = RecordLog()
        log.write(1, to: engine)
        // The old name cannot be removed for now, and then is another process' active file.
        kernel.fault = { $0 == .unlink ? EACCES : nil }
        engine.rollNow()
        disk.removeName("t.log")
        let other = try makeEngine(makeKernel(2), activeName: "t.log")
        log.write(1, to: other)
        kernel.fault = { _ in nil }
        clock.advance(by: .seconds(1))
        engine.tick()
        #expect(text("t.log") == log.lines[1] + "\n")
        #expect(disk.violations == [])
    }
}
