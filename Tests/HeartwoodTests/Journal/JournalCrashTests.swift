import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Promise 10 where a process ends by its own fault, at an exact system call, or while the disk is full.
@Suite(.serialized, .inTurn) struct JournalCrashTests {
    enum Trap: String, CaseIterable, Codable, Sendable { case fatalError, nullDereference, abort }

    @Test(
        "Promise 10 holds for traps, and the last message tells the signal and the address",
        arguments: Trap.allCases)
    func traps(_ trap: Trap) async throws {
        let scratch = Scratch()
        let path = scratch.path
        let rounds = Tier.isLong ? 5 : 2
        for run in 0..<rounds {
            await #expect(processExitsWith: .failure) {
                [path = path as String, run = run as Int, trap = trap as Trap] in
                var limit = rlimit(rlim_cur: 0, rlim_max: 0)
                setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
                var scene = JournalScene()
                scene.notesSignals = true
                try scene.log(path, run: run) {
                    JournalWitness(path, run: run).wait(for: 1)
                    usleep(UInt32(run) * 4000 + 3000)
                    switch trap {
                    case .fatalError: Swift.fatalError("on purpose")
                    case .nullDereference: UnsafeMutablePointer<Int>(bitPattern: 0x10)?.pointee = 1
                    case .abort: Foundation.abort()
                    }
                }
            }
        }
        let result = try JournalScene().judge(path, runs: rounds, trap.rawValue)
        #expect(result.returned > 0)
        #expect(result.lastWords.count == rounds)
        switch trap {
        case .nullDereference:
            #expect(
                result.lastWords.allSatisfy { $0 == "the process was terminated by SIGSEGV at address 0x10" })
        case .abort:
            #expect(result.lastWords.allSatisfy { $0.hasPrefix("the process was terminated by SIGABRT") })
        case .fatalError:
            #expect(result.lastWords.allSatisfy { $0.contains("SIGILL") || $0.contains("SIGTRAP") })
        }
    }

    /// Where a process dies: at a call, or when so many bytes of a write are written.
    struct Sweep: Sendable {
        let part: Int?
        let isEncrypted: Bool
    }

    /// All of them with `HEARTWOOD_LONG=1`, at every single call; else some, at calls that are farther and farther apart.
    static let sweeps: [Sweep] =
        [nil, 61, 170, 300].flatMap { part in
            [false, true].map { Sweep(part: part, isEncrypted: $0) }
        }.filter { Tier.isLong || !$0.isEncrypted || $0.part == 170 }

    @Test(
        "Promise 10: a process that dies at its N-th call or in its N-th write, and one that recovers",
        arguments: sweeps)
    func everyCall(_ sweep: Sweep) async throws {
        let (part, isEncrypted) = (sweep.part, sweep.isEncrypted)
        let scene = JournalScene(fileSize: 700, isEncrypted: isEncrypted)
        var number = 1
        var kills = 0
        var isLast = false
        while !isLast {
            let scratch = Scratch()
            let path = scratch.path
            // The first dies while it logs and rolls, the second while it recovers what the first has left.
            for run in 0..<2 {
                await #expect(processExitsWith: .failure) {
                    [
                        path = path as String, run = run as Int, number = number as Int, part = part as Int?,
                        scene = scene as JournalScene
                    ] in
                    try scene.logFew(path, run: run, dyingAt: number, part: part)
                }
            }
            try scene.judge(path, runs: 2, "call \(number) \(part ?? 0)")
            kills += 2
            isLast = FileManager.default.fileExists(atPath: path + "/survived-0")
            number += Tier.isLong ? 1 : 1 + number / (part == nil ? 2 : 1)
        }
        #expect(number > (part == nil ? 40 : 4))
        print("\(kills) kills at exact calls, up to call \(number)")
    }

    @Test("Two journals of one logger: what the first brings is not taken for the second's last write")
    func twoJournals() async throws {
        let scratch = Scratch()
        let path = scratch.path
        // The first writes nothing; the second has one line in the file, and dies before it writes the other.
        try await leaveTwenty(path)
        let journals = try FileManager.default.contentsOfDirectory(atPath: path + "/journal")
        let left = try #require(journals.first { $0.hasSuffix(".journal") })
        // Somebody else holds the first while the second runs.
        let directory = try Directory(path + "/journal")
        var held = Optional(try directory.open(left).0)
        #expect(try held.map { try directory.calls.tryLock($0.number) } == true)
        await dieBeforeLastWrite(path, "second", lines: 2)
        held = nil
        let dispatcher = JournalScene().makeDispatcher(path)
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(try JournalScene().makeLogger(path))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        let lines = scratch.names().flatMap { scratch.text($0).split(separator: "\n") }
            .filter { !$0.hasPrefix("recovered") }.map(String.init)
        #expect(lines == ["second 0"] + (0..<20).map { "first \($0)" } + ["second 1"])
    }

    @Test(
        "A write that never arrived is not taken for one that did because others have gone on with the file",
        arguments: [false, true])
    func fileGoesOn(_ isWithoutJournal: Bool) async throws {
        let scratch = Scratch()
        let path = scratch.path
        await dieBeforeLastWrite(path, "first", lines: 3)
        do {
            // The next run goes on with the file: without a journal, or while a program that logs elsewhere holds the journal.
            var elsewhere: LogDispatcher?
            if !isWithoutJournal {
                elsewhere = JournalScene().makeDispatcher(path)
                elsewhere?.add(
                    try FileLogger(
                        Directory(path + "/elsewhere"),
                        settings: FileSettings(naming: JournalScene.naming), formatter: nil, name: "other"))
                #expect(await elsewhere?.flush(timeout: .testLimit).isComplete == true)
            }
            defer { elsewhere?.removeAll() }
            let dispatcher =
                isWithoutJournal ? LogDispatcher.forTest() : JournalScene().makeDispatcher(path)
            dispatcher.add(try JournalScene().makeLogger(path))
            for number in 0..<3 { logInfo("second line \(number), which is longer", to: dispatcher) }
            #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
            dispatcher.removeAll()
            dispatcher.journal = nil
            elsewhere?.removeAll()
            elsewhere?.journal = nil
        }
        let dispatcher = JournalScene().makeDispatcher(path)
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(try JournalScene().makeLogger(path))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        let lines = scratch.names().flatMap {
            scratch.text($0).split(separator: "\n")
        }
        .filter { !$0.hasPrefix("recovered") }.map(String.init)
        let second = (0..<3).map { "second line \($0), which is longer" }
        let late = ["first 1", "first 2"]
        // A program that logs elsewhere leaves what is not its own to whom it belongs.
        #expect(lines == ["first 0"] + (isWithoutJournal ? second + late : late + second))
    }

    @Test("Promise 10 holds while the disk is full, and after there is room again", arguments: [false, true])
    func fullDisk(_ isSmall: Bool) async throws {
        guard geteuid() == 0 else {
            print("skipped: a file system of its own needs root")
            return
        }
        let scratch = Scratch()
        let path = scratch.path
        mkdir(path + "/logs", 0o700)
        guard mount("tmpfs", path + "/logs", "tmpfs", 0, "size=64k,mode=700") == 0 else {
            print("skipped: no file system can be mounted here")
            return
        }
        defer { unmount(path + "/logs") }
        let rounds = Tier.isLong ? 6 : 4
        for run in 0..<rounds {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, run = run as Int, isSmall = isSmall as Bool] in
                let scene = JournalScene(
                    ring: isSmall ? 64 * 1024 : 256 * 1024, fileSize: isSmall ? 20_000 : 0)
                try scene.log(path, run: run) {
                    JournalWitness(path, run: run).wait(for: run == 0 ? 300 : 1)
                    usleep(20_000 + UInt32(run) * 10_000)
                    _ = Glibc.kill(getpid(), SIGKILL)
                }
            }
        }
        #expect(mount("tmpfs", path + "/logs", "tmpfs", UInt(MS_REMOUNT), "size=64m,mode=700") == 0)
        let (returned, recovered, _) = try JournalScene().judge(path, runs: rounds, "full disk")
        #expect(returned > 300 && recovered > 0)
    }

    @Test("Where the disk has no room for a journal there is none, which is said, and nothing is left of it")
    func noRoom() throws {
        guard geteuid() == 0 else { return print("skipped: a file system of its own needs root") }
        let scratch = Scratch()
        let path = scratch.path + "/journal"
        mkdir(path, 0o700)
        guard mount("tmpfs", path, "tmpfs", 0, "size=1m,mode=700") == 0 else {
            return print("skipped: no file system can be mounted here")
        }
        defer { unmount(path) }
        let dispatcher = LogDispatcher.forTest()
        dispatcher.journal = .file(path)
        guard case .unavailable(let reason) = dispatcher.journalStatus else {
            Issue.record("\(dispatcher.journalStatus)")
            return
        }
        #expect(reason.cause == ENOSPC)
        #expect(scratch.names(path, hidden: true).isEmpty)
        let logger = RecordingLogger()
        dispatcher.add(logger)
        logInfo("still here", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(logger.texts == ["still here"])
    }

    /// Not at once: what is closed with a dispatcher is closed on threads of its own.
    private func unmount(_ path: String) { waitUntil("\(path) is free") { umount(path) == 0 } }

    @Test("On a read-only file system there is no journal, which is said, and what is there is left as it is")
    func readOnly() async throws {
        guard geteuid() == 0 else { return print("skipped: a file system of its own needs root") }
        let scratch = Scratch()
        let path = scratch.path
        mkdir(path + "/journal", 0o700)
        guard mount("tmpfs", path + "/journal", "tmpfs", 0, "size=8m,mode=700") == 0 else {
            return print("skipped: no file system can be mounted here")
        }
        defer { unmount(path + "/journal") }
        try await leaveTwenty(path)
        let left = scratch.names(path + "/journal")
        #expect(left.count == 1)
        let isReadOnly = UInt(MS_REMOUNT | MS_RDONLY)
        #expect(mount("tmpfs", path + "/journal", "tmpfs", isReadOnly, "size=8m,mode=700") == 0)
        do {
            let dispatcher = JournalScene().makeDispatcher(path)
            dispatcher.diagnostics.handler = { _ in }
            guard case .unavailable(let reason) = dispatcher.journalStatus else {
                Issue.record("\(dispatcher.journalStatus)")
                return
            }
            #expect(reason.cause == EROFS)
            dispatcher.add(try JournalScene().makeLogger(path))
            logInfo("still here", to: dispatcher)
            // The logger has written everything, but what the dead process left cannot be delivered.
            let result = await dispatcher.flush(timeout: .testLimit)
            #expect(result.unfinished.isEmpty && !result.isComplete)
            #expect(result.journals == left.map { path + "/journal/" + $0 })
            dispatcher.removeAll()
        }
        #expect(scratch.names(path + "/journal") == left)
        #expect(scratch.lines(JournalScene.naming) == ["still here", ""])
        #expect(mount("tmpfs", path + "/journal", "tmpfs", UInt(MS_REMOUNT), "size=8m,mode=700") == 0)
        try await recoverTwenty(path, before: ["still here"])
    }

    @Test("A journal whose process id belongs to a living process by now is recovered all the same")
    func reusedNumber() async throws {
        let scratch = Scratch()
        let path = scratch.path
        try await leaveTwenty(path)
        let name = try #require(scratch.names(path + "/journal").first)
        let place = path + "/journal/" + name
        // As if this very process had made it.
        let bytes = try Array(#require(FileManager.default.contents(atPath: place)))
        var header = try bytes.withUnsafeBytes { try JournalHeader(reading: $0) }
        #expect(!header.isOfLivingProcess)
        header.process = Int64(getpid())
        header.processStart = hw_process_start(header.process)
        #expect(header.isOfLivingProcess)
        var changed = bytes
        changed.withUnsafeMutableBytes { if let base = $0.baseAddress { header.write(to: base) } }
        #expect(FileManager.default.createFile(atPath: place, contents: Data(changed)))
        try await recoverTwenty(path)
    }

    /// Leaves a journal of a process that has written its first line, and died before it wrote the others.
    private func dieBeforeLastWrite(_ path: String, _ name: String, lines: Int) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, name = name as String, lines = lines as Int] in
            let isLast = Locked(false)
            let calls = SystemCalls { call in
                if call == .write, isLast.withLock({ $0 }) { kill(getpid(), SIGKILL) }
                return nil
            }
            let dispatcher = JournalScene().makeDispatcher(path)
            dispatcher.diagnostics.handler = { _ in }
            let logger = try JournalScene().makeLogger(path, calls: calls)
            dispatcher.add(logger)
            logInfo("\(name) 0", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            isLast.withLock { $0 = true }
            // Nothing is written, and nobody dies, before the last line is logged.
            let gate = Gate()
            logger.perform { gate.pass() }
            for number in 1..<lines { logInfo("\(name) \(number)", to: dispatcher) }
            gate.open()
            dispatcher.flush(timeout: .testLimit)
        }
    }

    /// Leaves a journal with twenty lines, none of which was written.
    private func leaveTwenty(_ path: String) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let dispatcher = JournalScene().makeDispatcher(path)
            dispatcher.diagnostics.handler = { _ in }
            let isBroken = SystemCalls { $0 == .write ? .fails(EIO) : nil }
            dispatcher.add(try JournalScene().makeLogger(path, calls: isBroken))
            for number in 0..<20 { logInfo("first \(number)", to: dispatcher) }
            kill(getpid(), SIGKILL)
        }
    }

    private func recoverTwenty(_ path: String, before: [String] = []) async throws {
        let dispatcher = JournalScene().makeDispatcher(path)
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(try JournalScene().makeLogger(path))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        let logs = path + "/logs"
        let texts = try FileManager.default.contentsOfDirectory(atPath: logs).filter { !$0.hasPrefix(".") }
            .sorted()
            .map { try String(contentsOfFile: logs + "/" + $0, encoding: .utf8) }
        let lines = texts.joined().split(separator: "\n").filter { !$0.hasPrefix("recovered") }.map(
            String.init)
        #expect(lines == before + (0..<20).map { "first \($0)" })
    }

    @Test("Promise 10 holds when recovery is killed again and again")
    func killedRecovery() async throws {
        let scratch = Scratch()
        let path = scratch.path
        let scene = JournalScene(ring: 4 << 20, fileSize: 50_000)
        // Much is left: the first process cannot write.
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, scene = scene as JournalScene] in
            let isFull = SystemCalls { $0 == .write ? .fails(ENOSPC) : nil }
            try scene.log(path, run: 0, calls: isFull) {
                JournalWitness(path, run: 0).wait(for: 2000)
                usleep(20_000)
                _ = Glibc.kill(getpid(), SIGKILL)
            }
        }
        let rounds = Tier.isLong ? 12 : 6
        for round in 1...rounds {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, round = round as Int, scene = scene as JournalScene] in
                let dispatcher = scene.makeDispatcher(path)
                let logger = try scene.makeLogger(path)
                dispatcher.add(logger)
                Thread.detachNewThread { dispatcher.flush(timeout: .testLimit) }
                usleep(UInt32(round) * 300)
                _ = Glibc.kill(getpid(), SIGKILL)
            }
        }
        let (returned, _, _) = try scene.judge(path, runs: 1, "killed recovery")
        #expect(returned > 1000)
    }
}
