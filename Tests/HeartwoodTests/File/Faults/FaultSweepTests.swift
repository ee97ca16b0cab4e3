import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Goal G5: every system call of a run fails once, one after the other, in every way it can.
@Suite(.inTurn) struct FaultSweepTests {
    enum Shape: String, CaseIterable, Sendable { case dated, stable, quota, shared, header, encrypted }

    static let errors: [(SystemCall, [Int32])] = [
        (.open, [ENOSPC, EMFILE, EACCES, EROFS, EINTR, EIO]),
        (.write, [ENOSPC, EIO, EDQUOT, EROFS, EFBIG, EINTR]),
        (.status, [EIO, EACCES]),
        (.truncate, [EIO, EROFS, EINTR]),
        (.rename, [EIO, ENOSPC, EACCES]),
        (.link, [EIO, EPERM, EMLINK, ENOSPC]),
        (.unlink, [EACCES, EIO, EROFS]),
        (.list, [EMFILE, EIO]),
        (.lock, [ENOLCK, EINTR]),
        (.changeMode, [EPERM]),
        (.read, [EIO]),
        (.sync, [EIO, ENOSPC]),
    ]

    @Test(
        "Whatever call fails, whenever, each record is in the files once, whole and in order, or counted as dropped",
        arguments: Shape.allCases)
    func sweep(_ shape: Shape) throws {
        var runs = 0
        for (call, numbers) in Self.errors {
            for number in numbers {
                for length in [1, 7] {
                    var first = 1
                    while try run(
                        shape, NthFault(call, first: first, count: length, .fails(number)),
                        "\(call) \(number) #\(first)×\(length)")
                    {
                        first +=
                            Tier.isLong || first < 3 ? 1 : Tier.amount(9 + first / 2, full: 5 + first / 4)
                        runs += 1
                    }
                }
            }
        }
        #expect(runs > (Tier.isLong ? 500 : 100))
        print("\(shape): \(runs) runs, each with its own fault")
    }

    @Test(
        "A file with the fixed active name that cannot be locked for a while keeps its place among the files")
    func refusedActive() throws {
        let fault = NthFault(.lock, first: 15, count: 7, .fails(ENOLCK))
        #expect(try run(.stable, fault, "the locks of a restart"))
    }

    @Test("A write that is cut short anywhere leaves no torn line", arguments: Shape.allCases)
    func shortWrites(_ shape: Shape) throws {
        for short in Tier.amount([0, 1, 25], full: [0, 1, 7, 24, 25, 26, 60]) {
            var first = 1
            while try run(
                shape, NthFault(.write, first: first, count: 1, .short(short)), "short \(short) #\(first)")
            {
                first += Tier.isLong || first < 3 ? 1 : 4
            }
        }
    }

    @Test("A short write followed by a full disk keeps the records that fitted", arguments: [3, 26, 40])
    func shortThenFull(_ short: Int) throws {
        let scratch = Scratch()
        let writes = Locked(0)
        let calls = SystemCalls { call in
            guard call == .write else { return nil }
            return writes.withLock { count -> SystemCalls.Fault? in
                count += 1
                return count == 3 ? .short(short) : count == 4 ? .fails(ENOSPC) : nil
            }
        }
        let clock = ManualClock()
        let engine = FileEngine(
            directory: try Directory(scratch.logs, calls: calls),
            settings: FileSettings.unlimited(naming: LogFileNaming(application: "t")), clock: clock)
        var log = RecordLog()
        for _ in 0..<6 { log.write(3, to: engine) }
        clock.advance(by: .seconds(1))
        engine.tick()
        log.write(1, to: engine)
        #expect(scratch.lines(engine.settings.naming) == log.lines + [""])
        #expect(engine.counters.written == log.count)
    }

    /// One run.
    ///
    /// - Returns: whether the fault happened at all.
    private func run(_ shape: Shape, _ fault: NthFault, _ what: String) throws -> Bool {
        let scratch = Scratch(inMemory: true)
        let clock = ManualClock()
        let naming = try LogFileNaming(application: "t", activeName: shape == .stable ? "t.log" : nil)
        var settings = FileSettings.unlimited(naming: naming)
        settings.rolling = RollingPolicy(
            maximumSize: shape == .encrypted ? 420 : 120, interval: .seconds(50))
        settings.isEncrypted = shape == .encrypted
        settings.archiveKey = FixedKey()
        settings.retention = RetentionPlan(
            maximumCount: shape == .quota ? 0 : 40, quota: shape == .quota ? 1 << 20 : 0)
        settings.isShared = shape == .shared
        settings.syncPolicy = shape == .header ? .everyBatch : .never
        settings.waitingLimit = .bytes(200)
        let header: [UInt8] = shape == .header ? Array("# head\n".utf8) : []
        // The set-up itself may throw; what runs afterwards may not.
        guard let directory = try? Directory(scratch.logs, calls: fault.calls) else {
            return fault.hits > 0
        }
        func makeEngine() -> FileEngine {
            FileEngine(directory: directory, settings: settings, clock: clock, header: { header })
        }
        var engine = makeEngine()
        var log = RecordLog()
        var written = 0
        var dropped = 0
        for round in 0..<8 {
            log.write(3, to: engine)
            clock.advance(by: .seconds(round == 4 ? 60 : 1))
            engine.tick()
            if round == 2 { engine.rollNow() }
            if round == 5 {
                clock.advance(by: .seconds(1))
                engine.tick()
                guard engine.isIdle else { continue }
                engine.close()
                written += engine.counters.written
                dropped += engine.counters.dropped
                engine = makeEngine()
            }
        }
        for _ in 0..<12 {
            clock.advance(by: .seconds(1))
            engine.tick()
        }
        written += engine.counters.written
        dropped += engine.counters.dropped
        #expect(engine.isIdle, "\(shape) \(what)")
        #expect(written + dropped == log.count, "\(shape) \(what)")
        var lines = try shape == .encrypted ? scratch.decryptedLines(naming) : scratch.lines(naming)
        #expect(lines.popLast() == "", "\(shape) \(what): the last line is torn")
        var announced = 0
        var records: [String] = []
        for line in lines where line != "# head" {
            if let count = line.split(separator: " ").first.flatMap({ Int($0) }),
                line.contains("dropped here")
            {
                announced += count
            } else {
                records.append(line)
            }
        }
        #expect(records.count == written, "\(shape) \(what)")
        #expect(announced == dropped, "\(shape) \(what)")
        #expect(isSubsequence(records, of: log.lines), "\(shape) \(what): \(records)")
        return fault.hits > 0
    }

    private func isSubsequence(_ part: [String], of whole: [String]) -> Bool {
        var rest = whole[...]
        for line in part {
            guard let index = rest.firstIndex(of: line) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}

/// Numbered records, as a test writes them.
struct RecordLog {
    private(set) var lines: [String] = []
    var count: Int { lines.count }

    /// Writes a batch of records of about 25 bytes.
    mutating func write(_ count: Int, to engine: FileEngine, isUrgent: Bool = false) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for _ in 0..<count {
            let line = "record \(1000 + lines.count) of the log"
            lines.append(line)
            bytes += Array((line + "\n").utf8)
            ends.append(bytes.count)
        }
        bytes.withUnsafeBytes { engine.write($0, ends, isUrgent: isUrgent) }
    }
}
