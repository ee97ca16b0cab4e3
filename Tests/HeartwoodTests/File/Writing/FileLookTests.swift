import CHeartwood
import Dispatch
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// How often the file that is written is looked at, and what happens to it in between.
@Suite(.inTurn) struct FileLookTests {
    private let scratch = Scratch()
    private let clock = ManualClock()
    private let made = Locked<[SystemCall: Int]>([:])
    private let isFailing = Locked(false)
    private let failsOnce = Locked(false)

    /// System calls that are counted; `write` fails as with a closed file while it is to.
    private var calls: SystemCalls {
        SystemCalls { [made, isFailing, failsOnce] call in
            made.withLock { $0[call, default: 0] += 1 }
            let isOnce =
                call == .write
                && failsOnce.withLock { isOnce in
                    defer { isOnce = false }
                    return isOnce
                }
            if isOnce { return .fails(EIO) }
            return call == .write && isFailing.withLock { $0 } ? .fails(EBADF) : nil
        }
    }

    private func makeEngine(
        interval: Duration = .milliseconds(5), activeName: String? = nil,
        header: [UInt8] = [], _ change: (inout FileSettings) -> Void = { _ in }
    ) throws -> FileEngine {
        var settings = FileSettings.unlimited(
            naming: try LogFileNaming(application: "t", activeName: activeName))
        change(&settings)
        return FileEngine(
            directory: try Directory(scratch.logs, calls: calls), settings: settings, clock: clock,
            lookInterval: interval, header: { header })
    }

    /// The system calls that `body` makes.
    private func count(_ body: () throws -> Void) rethrows -> [SystemCall: Int] {
        made.withLock { $0 = [:] }
        try body()
        return made.withLock { $0 }
    }

    @Test("A look is enough until its interval is over, and no longer after a failure")
    func schedule() {
        var look = FileLook(interval: .milliseconds(5))
        #expect(look.isDue(at: .seconds(1)))
        look.note(at: .seconds(1))
        #expect(!look.isDue(at: .seconds(1)))
        #expect(!look.isDue(at: .seconds(1) + .nanoseconds(4_999_999)))
        #expect(look.isDue(at: .seconds(1) + .milliseconds(5)))
        #expect(look.isDue(at: .milliseconds(999)))
        look.skip()
        #expect(look.isSkipped)
        look.expire()
        #expect(!look.isSkipped && look.isDue(at: .seconds(1)))
        var exact = FileLook(interval: .zero)
        exact.note(at: .seconds(1))
        #expect(exact.isDue(at: .seconds(1)))
    }

    @Test(
        "A line that comes soon after another one costs one system call, and a later one is preceded by a look"
    )
    func oneCall() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(1, to: engine)
        #expect(count { for _ in 0..<100 { log.write(1, to: engine) } } == [.write: 100])
        let wall = clock.now()
        clock.advance(by: .milliseconds(5))
        #expect(count { log.write(1, to: engine) } == [.write: 1, .status: 2, .limit: 1])
        #expect(count { log.write(3, to: engine) } == [.write: 1])
        // The wall clock has no part in it.
        clock.setWall(wall + .seconds(1000))
        #expect(count { log.write(1, to: engine) } == [.write: 1])
        #expect(scratch.lines(engine.settings.naming).dropLast() == log.lines[...])
    }

    @Test(
        "For a second after the files were listed each write is preceded by a look; after a flush, only the next one"
    )
    func closely() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(1, to: engine)
        engine.lookClosely(forWhile: true)
        let looked: [SystemCall: Int] = [.write: 10, .status: 20, .limit: 10]
        #expect(count { for _ in 0..<10 { log.write(1, to: engine) } } == looked)
        clock.advance(by: .milliseconds(999))
        #expect(count { for _ in 0..<10 { log.write(1, to: engine) } } == looked)
        clock.advance(by: .milliseconds(1))
        log.write(1, to: engine)
        #expect(count { for _ in 0..<10 { log.write(1, to: engine) } } == [.write: 10])
        engine.lookClosely(forWhile: false)
        #expect(
            count { for _ in 0..<10 { log.write(1, to: engine) } } == [.write: 10, .status: 2, .limit: 1])
    }

    @Test("A write without a look before it that fails is tried again at once, after a look")
    func again() throws {
        // A policy that synchronizes allows no short way, which has a second try of its own.
        let engine = try makeEngine { $0.syncPolicy = .interval(.seconds(3600)) }
        var log = RecordLog()
        log.write(1, to: engine)
        failsOnce.withLock { $0 = true }
        #expect(count { log.write(1, to: engine) } == [.write: 2, .status: 2, .limit: 1])
        #expect(engine.isIdle && engine.counters.failures == 0)
        #expect(scratch.lines(engine.settings.naming).dropLast() == log.lines[...])
    }

    @Test("Without an interval each write is preceded by a look")
    func eachTime() throws {
        let engine = try makeEngine(interval: .zero)
        var log = RecordLog()
        log.write(1, to: engine)
        let calls = count { for _ in 0..<10 { log.write(1, to: engine) } }
        #expect(calls == [.write: 10, .status: 20, .limit: 10])
    }

    enum Exact: CaseIterable, Sendable { case shared, encrypted, header, headerOfSettings }

    @Test(
        "A file of several processes, an encrypted one and one with a header are looked at before each write",
        arguments: Exact.allCases)
    func exact(_ kind: Exact) throws {
        let engine = try makeEngine(header: kind == .header ? Array("head\n".utf8) : []) {
            $0.isShared = kind == .shared
            $0.isEncrypted = kind == .encrypted
            $0.archiveKey = FixedKey()
            $0.fileHeader = kind == .headerOfSettings ? "" : nil
        }
        var log = RecordLog()
        log.write(1, to: engine)
        let calls = count { for _ in 0..<10 { log.write(1, to: engine) } }
        #expect(calls[.status, default: 0] >= 20)
        #expect(calls[.limit] == 10)
    }

    @Test(
        "With the crash journal, whose record needs the exact size, the file is looked at before each write")
    func journaled() throws {
        let logger = try FileLogger(
            Directory(scratch.logs, calls: calls),
            settings: FileSettings(naming: LogFileNaming(application: "t")), formatter: nil, clock: clock)
        logger.minimumFreeSpace = .zero
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        func log(_ count: Int) {
            for number in 0..<count { logInfo("line \(number)", asynchronous: false, to: dispatcher) }
        }
        log(1)
        #expect(count { log(10) } == [.write: 10])
        dispatcher.journal = .file(scratch.path + "/journal")
        log(1)
        let calls = count { log(10) }
        #expect(calls[.write] == 10 && calls[.limit] == 10)
        dispatcher.journal = nil
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test(
        "A file that is deleted or moved gets the lines of the next 5 ms, then a new file does; none is lost or written twice",
        arguments: [true, false])
    func taken(isRemoved: Bool) throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(2, to: engine)
        let path = scratch.logs + "/" + (try #require(scratch.names().first))
        // What a second name shows after the first is deleted.
        link(path, scratch.path + "/kept")
        if isRemoved {
            unlink(path)
        } else {
            rename(path, scratch.logs + "/moved.txt")
        }
        clock.advance(by: .microseconds(4999))
        log.write(1, to: engine)
        let kept = try #require(try? String(contentsOfFile: scratch.path + "/kept", encoding: .utf8))
        #expect(kept == log.lines.joined(separator: "\n") + "\n")
        clock.advance(by: .microseconds(1))
        log.write(1, to: engine)
        log.write(1, to: engine)
        #expect(try String(contentsOfFile: scratch.path + "/kept", encoding: .utf8) == kept)
        #expect(scratch.lines(engine.settings.naming) == Array(log.lines.suffix(2)) + [""])
        #expect(engine.counters.written == 5 && engine.counters.dropped == 0)
    }

    @Test(
        "A file that is full is looked at before it gets its final name: another one may have its name by now"
    )
    func takenBeforeRoll() throws {
        let engine = try makeEngine(activeName: "t.log") { $0.rolling.maximumSize = 60 }
        var log = RecordLog()
        log.write(2, to: engine)
        rename(scratch.logs + "/t.log", scratch.logs + "/t.log.1")
        scratch.write("", to: "t.log")
        log.write(1, to: engine)
        #expect(scratch.names() == ["t.log", "t.log.1"])
        #expect(scratch.text("t.log.1") == log.lines.prefix(2).joined(separator: "\n") + "\n")
        #expect(scratch.text("t.log") == log.lines[2] + "\n")
    }

    @Test("A file whose time is over is looked at before it is rolled")
    func takenBeforeDeadline() throws {
        let engine = try makeEngine(activeName: "t.log") { $0.rolling.interval = .milliseconds(3) }
        var log = RecordLog()
        log.write(2, to: engine)
        rename(scratch.logs + "/t.log", scratch.logs + "/t.log.1")
        scratch.write("", to: "t.log")
        clock.advance(by: .milliseconds(3))
        log.write(1, to: engine)
        #expect(scratch.names() == ["t.log", "t.log.1"])
        #expect(scratch.text("t.log") == log.lines[2] + "\n")
    }

    @Test(
        "A write that fails between two looks is tried again at once after a look, and written to another file"
    )
    func closedByOthers() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(1, to: engine)
        let descriptor = try #require(engine.writer?.file.number)
        // As where a program closes descriptors that are not its own: here the file can be neither examined nor written.
        let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let kept = dup(descriptor)
        dup2(other, descriptor)
        close(other)
        defer { close(kept) }
        unlink(scratch.logs + "/" + (scratch.names().first ?? ""))
        log.write(1, to: engine)
        #expect(engine.isIdle && engine.counters.failures == 0)
        #expect(scratch.lines(engine.settings.naming) == [log.lines[1], ""])
    }

    @Test("A failure is followed by a look, however soon the next line comes")
    func lookAfterFailure() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(1, to: engine)
        isFailing.withLock { $0 = true }
        log.write(1, to: engine)
        #expect(!engine.isIdle)
        isFailing.withLock { $0 = false }
        let calls = count { engine.retry() }
        #expect(calls[.status, default: 0] >= 2 && calls[.limit] == 1)
        #expect(engine.isIdle)
        #expect(scratch.lines(engine.settings.naming) == log.lines + [""])
    }

    // MARK: The short way

    private static let enders: [(name: String, action: @Sendable (FileEngine) throws -> Void)] = [
        ("settings", { $0.apply($0.settings) }), ("tick", { $0.tick() }), ("roll", { $0.rollNow() }),
        ("reopen", { $0.reopen() }), ("close", { $0.close() }), ("look", { $0.lookClosely(forWhile: false) }),
        ("sync", { try $0.synchronize() }),
        ("retention", { $0.applyRetention() }), ("journal", { $0.slot = nil }),
        (
            "room",
            { _ = $0.makeRoom(forArchive: 1, of: LogFileLabel(createdAt: LogTimestamp(nanoseconds: 0))) }
        ),
        ("open", { $0.openFile() }), ("fork", { $0.owner = ProcessOwner(process: 1) }),
    ]

    @Test(
        "Lines that come soon after another one take the short way, and all else that is done ends it",
        arguments: enders.map(\.name))
    func shortWay(_ name: String) throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(1, to: engine)
        #expect(engine.grownBytes == nil)
        for _ in 0..<3 {
            log.write(2, to: engine)
            #expect(engine.grownBytes != nil)
        }
        try #require(FileLookTests.enders.first { $0.name == name }).action(engine)
        log.write(1, to: engine)
        #expect(engine.grownBytes == nil)
        #expect(engine.isIdle && engine.counters.written == 8)
    }

    enum Bound: CaseIterable, Sendable { case sync, shared, encrypted, header, noInterval, waiting }

    @Test("There is no short way where each write has more to do", arguments: Bound.allCases)
    func noShortWay(_ bound: Bound) throws {
        let engine = try makeEngine(
            interval: bound == .noInterval ? .zero : .milliseconds(5),
            header: bound == .header ? Array("head\n".utf8) : []
        ) {
            $0.syncPolicy = bound == .sync ? .everyBatch : .never
            $0.isShared = bound == .shared
            $0.isEncrypted = bound == .encrypted
            $0.archiveKey = FixedKey()
        }
        var log = RecordLog()
        log.write(1, to: engine)
        if bound == .waiting {
            isFailing.withLock { $0 = true }
            log.write(1, to: engine)
            #expect(engine.grownBytes == nil && !engine.isIdle)
            isFailing.withLock { $0 = false }
            return
        }
        for _ in 0..<3 {
            log.write(1, to: engine)
            #expect(engine.grownBytes == nil)
        }
    }

    @Test("On the short way, files end at their limit and the quota holds to the byte", arguments: [0, 200])
    func limits(quota: Int) throws {
        let engine = try makeEngine {
            $0.rolling.maximumSize = 100
            $0.retention.quota = quota
        }
        var log = RecordLog()
        var short = 0
        for _ in 0..<50 {
            log.write(1, to: engine)
            if engine.grownBytes != nil { short += 1 }
            clock.advance(by: .milliseconds(1))
            let sizes = scratch.names().map { scratch.text($0).utf8.count }
            #expect(sizes.allSatisfy { $0 <= 100 } && (quota == 0 || sizes.reduce(0, +) <= quota))
            #expect(engine.inventory.total == sizes.reduce(0, +))
        }
        #expect(short > 10 && engine.counters.written == 50 && engine.counters.rolls > 5)
        if quota == 0 { #expect(scratch.lines(engine.settings.naming) == log.lines + [""]) }
    }

    @Test(
        "A write of the short way that fails in part leaves whole lines, and the rest comes once, later",
        arguments: 0..<30)
    func partialWrite(_ length: Int) throws {
        let step = Locked(0)
        let calls = SystemCalls { [step] call in
            guard call == .write else { return nil }
            return step.withLock { step in
                if step > 0 { step += 1 }
                return step == 2 ? .short(length) : step > 2 ? .fails(ENOSPC) : nil
            }
        }
        let settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        let engine = FileEngine(
            directory: try Directory(scratch.logs, calls: calls), settings: settings, clock: clock,
            lookInterval: .milliseconds(5))
        var log = RecordLog()
        log.write(1, to: engine)
        log.write(1, to: engine)
        #expect(engine.grownBytes != nil)
        step.withLock { $0 = 1 }
        log.write(3, to: engine)
        #expect(engine.grownBytes == nil && !engine.isIdle)
        #expect(log.lines.starts(with: scratch.lines(settings.naming).dropLast()))
        step.withLock { $0 = 0 }
        engine.retry()
        log.write(1, to: engine)
        #expect(engine.isIdle && engine.counters.written == 6)
        #expect(scratch.lines(settings.naming) == log.lines + [""])
    }

    @Test(
        "The timer is set for a file that the first write of a batch has made, and the last one has only extended"
    )
    func timerOfBatch() throws {
        let logger = try FileLogger(
            Directory(scratch.logs), settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        logger.rollingInterval = .seconds(60)
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        dispatcher.flush(timeout: .testLimit)
        // One batch, of which more than 64 KiB are written before it ends.
        let long = LogText(String(repeating: "x", count: 50_000))
        let done = DispatchSemaphore(value: 0)
        logger.performInOrder {
            for text in [long, long, "short"] { logger.log(LogMessage(text)) }
            logger.batchDidEnd()
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(logger.currentPath != nil)
        clock.advance(by: .seconds(61))
        // Not flushed, which would set the timer as well.
        logger.performInOrder { done.signal() }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(logger.currentPath == nil)
        dispatcher.removeAll(timeout: .testLimit)
    }
}
