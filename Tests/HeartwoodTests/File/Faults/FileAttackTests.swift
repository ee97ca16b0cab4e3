import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Goal G14 and fault F4: somebody works against the logger, and a disk that is really full.
@Suite(.inTurn) struct FileAttackTests {
    @Test(
        "While somebody swaps links, pipes and files under the names of logs, no victim is touched and nothing hangs"
    )
    func races() throws {
        let scratch = Scratch()
        let victim = scratch.path + "/victim"
        _ = FileManager.default.createFile(atPath: victim, contents: Data("precious".utf8))
        mkdir(scratch.logs, 0o700)
        let rounds = Tier.isLong ? 100_000 : 3_000
        let naming = try LogFileNaming(application: "t", template: "{app}.{number}.log", activeName: "t.log")
        var settings = FileSettings.unlimited(naming: naming)
        settings.rolling.maximumSize = 60
        settings.retention.maximumCount = 5
        settings.currentLink = "current"
        let engine = FileEngine(directory: try Directory(scratch.logs), settings: settings)
        let isOver = Locked(false)
        let logs = scratch.logs
        let hasBegun = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var generator = SystemRandomNumberGenerator()
            while !isOver.withLock({ $0 }) {
                let newest = Int.random(in: 0...rounds / 10, using: &generator)
                let name =
                    [logs + "/t.log", logs + "/t.\(newest).log", logs + "/current", logs + "/.t.catalogue"]
                    .randomElement(using: &generator) ?? ""
                unlink(name)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: symlink(victim, name)
                case 1: link(victim, name)
                case 2: mkfifo(name, 0o600)
                default: symlink("/dev/null", name)
                }
                hasBegun.signal()
            }
            hasEnded.signal()
        }
        hasBegun.wait()
        var log = RecordLog()
        for _ in 0..<rounds {
            log.write(1, to: engine)
            if !engine.isIdle { engine.retry() }
        }
        isOver.withLock { $0 = true }
        hasEnded.wait()
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        var info = stat()
        stat(victim, &info)
        #expect(UInt32(info.st_mode) & 0o7777 == 0o644 || UInt32(info.st_mode) & 0o7777 == 0o600)
        #expect(engine.counters.written + engine.counters.dropped + engine.counters.waiting == log.count)
    }

    private static var canMount: Bool {
        guard geteuid() == 0 else {
            print("skipped: only root can mount a small file system to fill")
            return false
        }
        return run("mount", ["-t", "tmpfs", "-o", "size=64k", "none", probe]) && run("umount", [probe])
    }

    private static var probe: String {
        let path = FileManager.default.temporaryDirectory.path + "/heartwood-probe"
        mkdir(path, 0o700)
        return path
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        (try? ChildProcess(program, arguments))?.wait()?.isSuccess == true
    }

    @Test(
        "A file system that is full, and has room again: no torn line, the loss counted and told, writing goes on",
        .enabled(if: FileAttackTests.canMount))
    func fullFileSystem() throws {
        let scratch = Scratch()
        mkdir(scratch.logs, 0o700)
        try #require(Self.run("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "none", scratch.logs]))
        defer { Self.run("umount", [scratch.logs]) }
        var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        settings.waitingLimit = .bytes(4096)
        settings.rolling.maximumSize = 20_000
        let engine = FileEngine(directory: try Directory(scratch.logs), settings: settings)
        var log = RecordLog()
        for _ in 0..<600 { log.write(7, to: engine) }
        #expect(engine.counters.dropped > 0)
        #expect(engine.counters.waiting > 0)
        try #require(Self.run("mount", ["-o", "remount,size=4m", scratch.logs]))
        engine.retry()
        log.write(3, to: engine)
        #expect(engine.isIdle)
        #expect(engine.counters.written + engine.counters.dropped == log.count)
        var announced = 0
        var records: [String] = []
        for line in scratch.lines(engine.settings.naming).dropLast() {
            if line.contains(" dropped here") {
                announced += line.split(separator: " ").first.flatMap { Int($0) } ?? 0
            } else {
                records.append(line)
            }
        }
        #expect(announced == engine.counters.dropped)
        #expect(records.count == engine.counters.written)
        #expect(Set(log.lines).isSuperset(of: records))
        #expect(records == records.sorted())
        #expect(records.last == log.lines.last)
    }
}
