import CHeartwood
import CSQLite
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodSQLite

@Suite("SQLite loggers of several processes, and of processes that die", .inTurn)
struct SQLiteProcessTests {
    private static let size = 50

    /// Saves fifty messages at a time until the process ends: each save is all of one round.
    private static func write(_ path: String, run: Int, journal: String? = nil) throws {
        let dispatcher = LogDispatcher(
            ringCapacity: .kibibytes(256), journal: journal.map { LogJournal.file($0) })
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        let logger = try SQLiteLogger(path: path)
        logger.saveThreshold = size
        logger.saveInterval = nil
        logger.overflowPolicy = .block(upTo: .seconds(60))
        dispatcher.add(logger)
        let witness = try Witness(path + ".witness-\(run)")
        var number = 0
        while true {
            logInfo("\(run) \(number)", to: dispatcher)
            number += 1
            witness.note(number)
        }
    }

    /// The number of calls that returned in a process that is dead; a page of a file, shared.
    private final class Witness: @unchecked Sendable {  // one thread writes, and another process reads later
        private let word: UnsafeMutablePointer<Int>
        init(_ path: String) throws {
            if access(path, F_OK) != 0 {
                _ = FileManager.default.createFile(atPath: path, contents: Data(count: 4096))
            }
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            let memory = try #require(MemoryMap.shared(file.fileDescriptor, size: 4096))
            word = memory.bindMemory(to: Int.self, capacity: 512)
        }
        deinit { munmap(word, 4096) }
        func note(_ count: Int) { word.pointee = count }
        var count: Int { word.pointee }
    }

    /// Has a process killed at some moment while it writes.
    private func kill(_ path: String, run: Int, after lifetime: UInt32, journal: String? = nil) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                path = path as String, run = run as Int, lifetime = lifetime as UInt32,
                journal = journal as String?
            ] in
            Thread.detachNewThread {
                do { try Self.write(path, run: run, journal: journal) } catch { exit(7) }
            }
            usleep(lifetime)
            Foundation.kill(getpid(), SIGKILL)
        }
    }

    @Test(
        "After kill -9 in the middle of saving the database is sound, and each save is there as a whole or not at all"
    )
    func killed() async throws {
        let fixture = try Fixture(inMemory: false)
        var random = SeededGenerator(seed: 7)
        for run in 0..<(Sanitizer.isActive ? 4 : 20) {
            let lifetime = UInt32.random(in: 1000...60_000, using: &random) * (Sanitizer.isActive ? 20 : 1)
            try await kill(fixture.path, run: run, after: lifetime)
        }
        // On a busy machine each of them may have died before it saved anything.
        let (dispatcher, logger) = (LogDispatcher(), try SQLiteLogger(path: fixture.path))
        dispatcher.add(logger)
        for number in 0..<Self.size { logInfo("99 \(number)", to: dispatcher) }
        #expect(await dispatcher.flush(timeout: .testLimit).unfinished.isEmpty)
        dispatcher.remove(logger, timeout: .testLimit)
        let connection = try SQLiteConnection(fixture.path, SQLITE_OPEN_READWRITE, busyTimeout: .seconds(5))
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        if Tool.isThere { #expect(try Tool.run(fixture.path, "PRAGMA integrity_check") == "ok") }
        var counts: [Int: Int] = [:]
        for text in try fixture.texts() {
            let words = text.split(separator: " ").compactMap { Int($0) }
            #expect(words[1] == counts[words[0], default: 0])
            counts[words[0], default: 0] += 1
        }
        #expect(counts.values.allSatisfy { $0 % Self.size == 0 })
        #expect(counts.values.reduce(0, +) > 0)
        // And a logger goes on with it.
        _ = try fixture.add()
        #expect(fixture.log(0..<3).isComplete)
        #expect(fixture.reported(.damaged).isEmpty)
    }

    @Test(
        "Promise 10: with a journal everything that was logged before a kill -9 is saved, once and in order")
    func journal() async throws {
        let fixture = try Fixture(inMemory: false)
        var random = SeededGenerator(seed: 8)
        let runs = Sanitizer.isActive ? 4 : Tier.amount(8, full: 25)
        for run in 0..<runs {
            // Longer and longer, so that some returned calls are there on a busy machine as well.
            let lifetime =
                UInt32.random(in: 1000...60_000, using: &random)
                * (Sanitizer.isActive ? 20 : UInt32(1 + run / 2))
            try await kill(fixture.path, run: run, after: lifetime, journal: fixture.folder + "/journal")
        }
        let dispatcher = LogDispatcher(journal: .file(fixture.folder + "/journal"))
        dispatcher.diagnostics.handler = { report in fixture.reports.withLock { $0.append(report) } }
        dispatcher.add(try SQLiteLogger(path: fixture.path))
        #expect(dispatcher.isFlushed)
        #expect(dispatcher.removeAll())
        dispatcher.journal = nil
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/journal")
        #expect(left.isEmpty, "\(left): \(fixture.reports.withLock { $0.map(\.text) })")
        var counts: [Int: Int] = [:]
        for text in try fixture.texts() where !text.hasPrefix("recovered") {
            let words = text.split(separator: " ").compactMap { Int($0) }
            try #require(words.count == 2, "\(text)")
            #expect(words[1] == counts[words[0], default: 0], "run \(words[0])")
            counts[words[0]] = words[1] + 1
        }
        var total = 0
        for run in 0..<runs where access(fixture.path + ".witness-\(run)", F_OK) == 0 {
            let returned = try Witness(fixture.path + ".witness-\(run)").count
            let found = counts[run, default: 0]
            #expect(found == returned || found == returned + 1, "run \(run): \(found) of \(returned)")
            total += returned
        }
        #expect(total > 0)
    }

    @Test(
        "Two processes write to one database at the same time, and a third reads: nothing is missing, nothing is said"
    )
    func together() async throws {
        let fixture = try Fixture(inMemory: false)
        _ = try fixture.add { $0.busyTimeout = .seconds(60) }
        let path = fixture.path
        let count = Sanitizer.isActive ? 500 : 5000
        let done = Locked(false)
        let other = Task {
            await #expect(processExitsWith: .success) { [path = path as String, count = count as Int] in
                let dispatcher = LogDispatcher()
                let logger = try SQLiteLogger(path: path)
                logger.saveThreshold = 20
                // Its clock is not the one of the test, whose messages are old to it.
                logger.maximumAge = nil
                logger.busyTimeout = .seconds(60)
                logger.overflowPolicy = .block(upTo: .seconds(60))
                dispatcher.overflowPolicy = .block(upTo: .seconds(60))
                dispatcher.add(logger)
                for number in 0..<count { logInfo("other \(number)", to: dispatcher) }
                let isDone = dispatcher.isFlushed
                exit(isDone ? 0 : 1)
            }
            done.withLock { $0 = true }
        }
        let reader = try SQLiteLogReader(path: path)
        var number = 0
        var seen = 0
        while !done.withLock({ $0 }) || number < count {
            if number < count {
                logInfo("own \(number)", to: fixture.dispatcher)
                number += 1
                if number % 20 == 0 { #expect(fixture.dispatcher.isFlushed) }
            } else {
                await Task.yield()
            }
            if number % 50 == 0 {
                let now = try reader.count()
                #expect(now >= seen)
                seen = now
            }
        }
        await other.value
        #expect(fixture.dispatcher.isFlushed)
        let texts = try fixture.texts()
        // In two steps: a failure must not print all of them.
        let areOwn = texts.filter { $0.hasPrefix("own") } == (0..<count).map { "own \($0)" }
        let areOthers = texts.filter { $0.hasPrefix("other") } == (0..<count).map { "other \($0)" }
        #expect(areOwn && areOthers, "\(texts.count) of \(2 * count)")
        #expect(fixture.reported(.damaged).isEmpty)
        #expect(fixture.reported(.writeFailed).isEmpty)
    }

    @Test(
        "After a fork parent and child save their own messages, once each",
        .enabled(if: !Sanitizer.isActive, "a sanitizer's own threads do not survive a fork"))
    func forks() async throws {
        let fixture = try Fixture(inMemory: false)
        let path = fixture.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            alarm(60)  // a process that is stuck is a failure, not a wait forever
            let dispatcher = LogDispatcher()
            dispatcher.add(try SQLiteLogger(path: path))
            for number in 0..<10 { logInfo("parent \(number)", to: dispatcher) }
            precondition(dispatcher.isFlushed)
            // These wait in memory, of which the child gets a copy.
            for number in 10..<20 { logInfo("parent \(number)", to: dispatcher) }
            let process = forkProcess()
            if process == 0 {
                alarm(30)
                for number in 0..<10 { logInfo("child \(number)", to: dispatcher) }
                // Each was saved when its call returned: a child has no timers.
                _exit(0)
            }
            var status: Int32 = 0
            precondition(waitpid(process, &status, 0) == process && status == 0, "the child failed")
            for number in 20..<30 { logInfo("parent \(number)", to: dispatcher) }
            precondition(dispatcher.isFlushed)
        }
        let texts = try fixture.texts()
        #expect(texts.filter { $0.hasPrefix("parent") } == (0..<30).map { "parent \($0)" })
        #expect(texts.filter { $0.hasPrefix("child") } == (0..<10).map { "child \($0)" })
        let connection = try SQLiteConnection(path, SQLITE_OPEN_READWRITE, busyTimeout: .seconds(5))
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }

    @Test(
        "A limit on the size of files does not end the process, wherever SQLite meets it",
        .enabled(if: !Sanitizer.isActive, "a sanitizer delivers signals later than the kernel"),
        arguments: [0, 4096, 8192, 40_960, 200_000], [true, false])
    func fileSizeLimit(_ limit: Int, _ isThere: Bool) async throws {
        let fixture = try Fixture(inMemory: false)
        if isThere {
            let logger = try fixture.add()
            fixture.log(0..<10)
            await fixture.dispatcher.remove(logger)
        }
        await #expect(processExitsWith: .success) { [path = fixture.path as String, limit = limit as Int] in
            // As on a main thread: the threads that run tests block it, and a parent may have it ignored.
            signal(SIGXFSZ, SIG_DFL)
            var signals = sigset_t()
            sigaddset(&signals, SIGXFSZ)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            var limits = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limits)
            limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
            let dispatcher = LogDispatcher()
            if let logger = try? SQLiteLogger(path: path) {
                dispatcher.add(logger)
                for number in 0..<200 {
                    logInfo("\(number) \(String(repeating: "x", count: 1000))", to: dispatcher)
                }
                await dispatcher.flush(timeout: .seconds(5))
                logger.perform { _ = try? logger.store.mark(of: "x") }
                await dispatcher.remove(logger)
            }
            _ = try? SQLiteLogReader(path: path).records()
            _exit(0)
        }
    }

    @Test("What waits when the process ends is saved")
    func exits() async throws {
        let fixture = try Fixture(inMemory: false)
        let path = fixture.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let logger = try SQLiteLogger(path: path)
            LogDispatcher.shared.add(logger)
            for number in 0..<10 { logInfo("\(number)") }
            exit(0)
        }
        #expect(try fixture.texts() == (0..<10).map { "\($0)" })
    }
}
