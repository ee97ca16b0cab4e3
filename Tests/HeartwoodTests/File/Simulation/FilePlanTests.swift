import CHeartwood
import CoreFixtures
import SuiteSupport
import Testing

@testable import Heartwood

/// The plan of the file engine alone, against a disk that is a few numbers: seeded demands, faults and others,
/// with its rules checked before and after each step.
@Suite(.inTurn) struct FilePlanTests {
    @Test(
        "Whatever fails, each demand ends, and no step breaks a limit, writes blindly or loses count (promises 4, 8)"
    )
    func worlds() {
        for seed in 1...UInt64(Load.scaled(3000)) {
            var world = PlanWorld(seed)
            world.run()
            guard let problem = world.problem else { continue }
            Issue.record("seed \(seed): \(problem)\n\(world.story.suffix(25).joined(separator: "\n"))")
            return
        }
    }

    private static func plan(_ change: (inout FileSettings) -> Void = { _ in }) -> FilePlan {
        var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        change(&settings)
        return FilePlan(settings, lookInterval: .zero)
    }

    private static func moment(_ seconds: Int, total: Int = 0, ageCheck: Duration? = nil) -> FilePlan.Moment {
        FilePlan.Moment(
            wall: LogTimestamp(nanoseconds: 1_800_000_000_000_000_000) + .seconds(seconds),
            uptime: .seconds(seconds), total: total, ageCheck: ageCheck)
    }

    private static func file(_ size: Int, at moment: FilePlan.Moment) -> FilePlan.File {
        FilePlan.File(
            size: size, hasRecords: size > 0, needsHeader: false, isTorn: false, isShared: false,
            isFramed: false, createdAt: moment.wall)
    }

    @Test(
        "A file that no one writes to is looked at and rolled when its time is over, and tried again after a pause"
    )
    func idle() {
        var plan = Self.plan { $0.rolling.interval = .seconds(60) }
        let opened = Self.moment(0)
        plan.open(Self.file(10, at: opened), opened)
        #expect(plan.delay(opened) == .seconds(60))
        plan.begin()
        #expect(plan.next(.time, Self.moment(59)) == .wait(because: nil))
        #expect(plan.next(.time, Self.moment(60)) == .examine)
        plan.note(.examine, .done, Self.moment(60))
        #expect(plan.next(.time, Self.moment(60)) == .roll)
        plan.note(.roll, .postponed, Self.moment(60))
        // Once for each demand, however long it has waited for the lock.
        #expect(plan.next(.time, Self.moment(63)) == .wait(because: nil))
        #expect(plan.delay(Self.moment(60)) == .seconds(1))
        plan.begin()
        #expect(plan.next(.time, Self.moment(61)) == .examine)
        plan.note(.examine, .done, Self.moment(61))
        #expect(plan.next(.time, Self.moment(61)) == .roll)
        plan.file = nil
        plan.note(.roll, .done, Self.moment(61))
        #expect(plan.next(.time, Self.moment(61)) == .wait(because: nil))
        #expect(plan.delay(Self.moment(61)) == nil)
    }

    @Test(
        "After a roll that failed records go on into the file, and the roll is tried again after growing pauses"
    )
    func failedRoll() {
        var plan = Self.plan { $0.maximumFileSize = .bytes(100) }
        let failure = SystemFailure(.open, ENOSPC)
        let start = Self.moment(0)
        plan.open(Self.file(100, at: start), start)
        var rolls: [Duration] = []
        for batch in 0..<2000 {
            var moment = start
            moment.uptime += .milliseconds(10 * batch)
            plan.begin()
            var step = plan.next(.records([10][...], from: 0), moment)
            if step == .examine {
                plan.note(step, .done, moment)
                step = plan.next(.records([10][...], from: 0), moment)
            }
            guard step == .roll else { continue }
            rolls.append(moment.uptime)
            plan.note(step, .failed(failure), moment)
        }
        #expect(rolls == [0, 250, 750, 1750, 3750, 7750, 12_750, 17_750].map { .milliseconds($0) })
        #expect(plan.counters.failures == 8)
    }

    @Test("New limits are applied once, and a file beyond the new size is rolled first")
    func newLimits() {
        var plan = Self.plan()
        let now = Self.moment(0)
        plan.open(Self.file(100, at: now), now)
        var settings = plan.settings
        settings.maximumFileSize = .bytes(100)
        plan.apply(settings, isStarted: true, now)
        plan.begin()
        #expect(plan.next(.time, now) == .examine)
        plan.note(.examine, .done, now)
        #expect(plan.next(.time, now) == .roll)
        plan.file = nil
        plan.note(.roll, .done, now)
        #expect(plan.next(.time, now) == .makeRoom(bytes: 0))
        plan.note(.makeRoom(bytes: 0), .done, now)
        #expect(plan.next(.time, now) == .wait(because: nil))
        plan.begin()
        #expect(plan.next(.time, now) == .wait(because: nil))
    }

    @Test("A file that cannot be rolled keeps neither new limits nor the disk waiting, and is rolled later")
    func cannotRollIdle() {
        var plan = Self.plan { $0.syncPolicy = .everyBatch }
        let now = Self.moment(0)
        plan.open(Self.file(100, at: now), now)
        plan.note(.write(records: 1, bytes: 5), .wrote(FileWriter.Outcome(records: 1, bytes: 5)), now)
        var settings = plan.settings
        settings.maximumFileSize = .bytes(100)
        plan.apply(settings, isStarted: true, now)
        plan.begin()
        #expect(plan.next(.time, now) == .examine)
        plan.note(.examine, .done, now)
        #expect(plan.next(.time, now) == .roll)
        plan.note(.roll, .failed(SystemFailure(.rename, EPERM)), now)
        #expect(plan.failure == nil && plan.rollFailure?.number == EPERM)
        #expect(plan.next(.time, Self.moment(3)) == .makeRoom(bytes: 0))
        plan.note(.makeRoom(bytes: 0), .done, now)
        #expect(plan.next(.time, now) == .synchronize)
        plan.note(.synchronize, .done, now)
        #expect(plan.next(.time, now) == .wait(because: nil))
        #expect(plan.delay(now) == .milliseconds(250))
        plan.begin()
        #expect(plan.next(.time, Self.moment(1)) == .examine)
    }

    @Test("A file that has another name is left for the next one, and written to while that cannot be opened")
    func outgoing() {
        var plan = Self.plan()
        let now = Self.moment(0)
        var file = Self.file(10, at: now)
        plan.open(file, now)
        plan.begin()
        #expect(plan.next(.reopen, now) == .examine)
        file.isOutgoing = true
        plan.file = file
        plan.note(.examine, .done, now)
        #expect(plan.next(.reopen, now) == .roll)
        plan.note(.roll, .failed(SystemFailure(.open, EACCES)), now)
        #expect(plan.next(.reopen, now) == .wait(because: nil) && plan.rollFailure?.number == EACCES)
        plan.begin()
        #expect(plan.next(.records([5][...], from: 0), now) == .examine)
        plan.note(.examine, .done, now)
        #expect(plan.next(.records([5][...], from: 0), now) == .write(records: 1, bytes: 5))
        #expect(plan.delay(now) == .milliseconds(250))
        plan.begin()
        #expect(plan.next(.time, Self.moment(1)) == .examine)
        plan.note(.examine, .done, Self.moment(1))
        #expect(plan.next(.time, Self.moment(1)) == .roll)
    }

    @Test("Before the directory was read, settings are taken and nothing else")
    func notStarted() {
        var plan = Self.plan()
        var settings = plan.settings
        settings.maximumFileCount = 1
        plan.apply(settings, isStarted: false, Self.moment(0))
        plan.begin()
        #expect(plan.next(.time, Self.moment(0)) == .wait(because: nil))
        #expect(plan.settings == settings)
    }

    @Test("Files are looked through when they may be too old, once for each demand")
    func ages() {
        var plan = Self.plan()
        plan.begin()
        #expect(plan.next(.time, Self.moment(9, ageCheck: .seconds(10))) == .wait(because: nil))
        #expect(plan.delay(Self.moment(5, ageCheck: .seconds(10))) == .seconds(5))
        let due = Self.moment(10, ageCheck: .seconds(10))
        #expect(plan.next(.time, due) == .makeRoom(bytes: 0))
        plan.note(.makeRoom(bytes: 0), .done, due)
        #expect(plan.next(.time, due) == .wait(because: nil))
    }

    @Test("A batch is synchronized once where the policy asks for it, also after a failure")
    func synchronized() {
        var plan = Self.plan { $0.syncPolicy = .everyBatch }
        let now = Self.moment(0)
        plan.open(Self.file(0, at: now), now)
        plan.note(.write(records: 1, bytes: 5), .wrote(FileWriter.Outcome(records: 1, bytes: 5)), now)
        plan.begin()
        #expect(plan.next(.rest(isUrgent: false), now) == .synchronize)
        plan.note(.synchronize, .failed(SystemFailure(.sync, EIO)), now)
        #expect(plan.next(.rest(isUrgent: false), now) == .wait(because: nil))
        plan.begin()
        #expect(plan.next(.rest(isUrgent: false), now) == .synchronize)
        plan.note(.synchronize, .done, now)
        plan.begin()
        #expect(plan.next(.rest(isUrgent: false), now) == .wait(because: nil))
    }

    @Test("A write that fails after each look and each attempt to make room ends the demand")
    func nothingHelps() {
        var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        settings.diskQuota = .bytes(100)
        var plan = FilePlan(settings, lookInterval: .milliseconds(5))
        let now = Self.moment(0, total: 95)
        plan.open(Self.file(10, at: now), now)
        plan.begin()
        var steps = 0
        while plan.failure == nil, steps < 50 {
            steps += 1
            let step = plan.next(.records([3, 10][...], from: 0), now)
            if case .write = step {
                plan.note(step, .wrote(FileWriter.Outcome(failure: SystemFailure(.write, EIO))), now)
            } else {
                plan.note(step, .done, now)
            }
        }
        #expect(plan.failure?.number == EIO && steps < 10)
    }

    @Test("A file that may not grow is rolled; without a record, frames shrink, or the record is given up")
    func cannotGrow() {
        var plan = Self.plan()
        let now = Self.moment(0)
        let ends = [10, 20, 30, 40]
        func next(_ file: FilePlan.File) -> FilePlan.Step {
            plan.open(file, now)
            plan.note(
                .write(records: 4, bytes: 40),
                .wrote(FileWriter.Outcome(failure: SystemFailure(.write, EFBIG))), now)
            plan.note(.examine, .done, now)
            return plan.next(.records(ends[...], from: 0), now)
        }
        #expect(next(Self.file(5, at: now)) == .roll)
        plan.note(.roll, .failed(SystemFailure(.open, EACCES)), now)
        #expect(plan.next(.records(ends[...], from: 0), now) == .examine)
        plan.note(.examine, .done, now)
        #expect(plan.next(.records(ends[...], from: 0), now) == .wait(because: EFBIG))
        #expect(next(Self.file(0, at: now)) == .never(EFBIG))
        var framed = Self.file(0, at: now)
        framed.isFramed = true
        let step = next(framed)
        if case .write(records: 2, _) = step {} else { Issue.record("\(step), not half of the records") }
    }

    @Test(
        "A lease ends with the look, with the file's time and with its size; what needs each look gets none")
    func leases() {
        var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        settings.rollingInterval = .milliseconds(3)
        settings.maximumFileSize = .bytes(100)
        var plan = FilePlan(settings, lookInterval: .milliseconds(5))
        let now = Self.moment(0)
        func open(_ change: (inout FilePlan.File) -> Void = { _ in }) {
            var file = Self.file(40, at: now)
            change(&file)
            plan.open(file, now)
        }
        open()
        #expect(plan.lease(now)?.end == .milliseconds(3))
        #expect(plan.lease(now)?.bytes == 60)
        settings.rollingInterval = nil
        plan.apply(settings, isStarted: true, now)
        #expect(plan.lease(now)?.end == .milliseconds(5))
        var journaled = now
        journaled.isJournaled = true
        #expect(plan.lease(journaled) == nil)
        #expect(plan.lease(Self.moment(1)) == nil)
        var setBack = now
        setBack.wall = now.wall + .seconds(-3601)
        #expect(plan.lease(setBack) == nil)
        for change: (inout FilePlan.File) -> Void in [
            { $0.isShared = true }, { $0.isFramed = true }, { $0.isTorn = true }, { $0.needsHeader = true },
            { $0.hasRecords = false },
        ] {
            open(change)
            #expect(plan.lease(now) == nil)
        }
        open()
        plan.headerSize = 5
        #expect(plan.lease(now) == nil)
        plan.headerSize = 0
        settings.syncPolicy = .everyBatch
        plan.apply(settings, isStarted: true, now)
        #expect(plan.lease(now) == nil)
    }
}

extension FilePlan {
    /// Takes a file as the one that was just opened.
    fileprivate mutating func open(_ file: File, _ moment: Moment) {
        self.file = file
        begin()
        note(.open, .done, moment)
    }
}

/// One seeded world of a plan.
private struct PlanWorld {
    private(set) var problem: String?
    private(set) var story: [String] = []
    private var numbers: SeededNumbers
    private var plan: FilePlan
    private let interval: Duration
    private let headerSize: Int
    private let quota: Int
    private let isShared: Bool
    /// The sizes of the finished files, oldest first.
    private var finished: [Int] = []
    private var file: FilePlan.File?
    private var wall = LogTimestamp(nanoseconds: 1_800_000_000_000_000_000)
    private var uptime = Duration.seconds(100)
    private var faultRate: Int
    private var isLocked = true
    private var written = 0
    /// The file was looked at since records were last written to it.
    private var isLookedAt = false
    private var lastLook = Duration.zero
    private var hasFailedSize = false
    private var rollsEmpty = false
    /// Records are being written.
    private var isWriting = false

    init(_ seed: UInt64) {
        var numbers = SeededNumbers(seed)
        var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        quota = numbers.pick([0, 0, 150, 400])
        isShared = numbers.chance(4)
        interval = numbers.pick([.zero, .milliseconds(5)])
        headerSize = numbers.pick([0, 0, 6])
        settings.rolling.maximumSize = numbers.pick([0, 40, 100])
        settings.rolling.interval = numbers.pick([.zero, .seconds(30)])
        settings.retention.quota = quota
        settings.isShared = isShared
        settings.fileHeader = headerSize > 0 ? "head" : nil
        settings.syncPolicy = numbers.pick([.never, .everyBatch, .interval(.seconds(1))])
        settings.minimumFreeSpace = .zero
        faultRate = numbers.pick([0, 0, 12, 4])
        plan = FilePlan(settings, lookInterval: interval)
        self.numbers = numbers
    }

    private var total: Int { finished.reduce(file?.size ?? 0, +) }
    private var moment: FilePlan.Moment {
        FilePlan.Moment(wall: wall, uptime: uptime, total: total, isLocked: isLocked)
    }

    mutating func run() {
        for _ in 0..<numbers.number(5...40) where problem == nil {
            uptime += numbers.pick([.zero, .milliseconds(2), .milliseconds(300), .seconds(40)])
            wall = wall + numbers.pick([.zero, .milliseconds(2), .milliseconds(300), .seconds(40)])
            if numbers.chance(30) { wall = wall + .seconds(numbers.pick([-9000, 9000])) }
            isLocked = !isShared || !numbers.chance(5)
            others()
            switch numbers.number(0...11) {
            case 10: perform("reopen", .reopen)
            case 11:
                rollsEmpty = numbers.chance(2)
                perform("roll", .roll(keepsEmpty: !rollsEmpty))
                rollsEmpty = false
            case 0...6: write((1...numbers.number(1...5)).map { _ in numbers.pick([4, 10, 30, 120]) })
            case 7: perform("rest", .rest(isUrgent: numbers.chance(2)))
            case 8: perform("file", .file)
            default: perform("time", .time)
            }
        }
    }

    /// What others do to the open file between two demands.
    private mutating func others() {
        guard numbers.chance(12), file != nil else { return }
        if numbers.chance(2) { file?.size += 7 } else { file?.size = 0 }
        if file?.size == 0 { file?.hasRecords = false }
        isLookedAt = false
        story.append("others: \(file?.size ?? 0) bytes")
    }

    private mutating func write(_ sizes: [Int]) {
        var ends: [Int] = []
        for size in sizes { ends.append((ends.last ?? 0) + size) }
        var index = 0
        isWriting = true
        defer { isWriting = false }
        plan.begin()
        story.append(
            "records \(sizes), \(file.map { "\($0)" } ?? "no file"), total \(total), \(moment.uptime)")
        var steps = 0
        while problem == nil, index < ends.count, plan.failure == nil {
            steps += 1
            if steps > 100 { return fail("the demand does not end") }
            let start = index == 0 ? 0 : ends[index - 1]
            let step = next(.records(ends[index...], from: start))
            switch step {
            case .write(let records, let bytes):
                check(records, bytes, of: ends[index...], from: start)
                index += append(step, sizes[index..<min(index + records, sizes.count)])
            case .complete:
                if file?.isTorn != true { return fail("completes what is whole") }
                index += append(step, sizes[index..<index + 1])
            case .never:
                let isLarge = quota > 0 && sizes[index] + headerSize > quota
                if !isLarge, !hasFailedSize { return fail("gives up a record of \(sizes[index])") }
                hasFailedSize = false
                index += 1
                plan.begin()
            default: perform(step)
            }
        }
        if plan.failure == nil, case let step = next(.records([], from: 0)), step != .wait(because: nil) {
            fail("\(step) when all is written")
        }
    }

    private mutating func next(_ demand: FilePlan.Demand) -> FilePlan.Step {
        plan.file = file
        let step = plan.next(demand, moment)
        story.append("  \(step)")
        return step
    }

    private mutating func perform(_ name: String, _ demand: FilePlan.Demand) {
        story.append(name)
        plan.begin()
        var hasSynchronized = false
        var steps = 0
        while problem == nil, plan.failure == nil {
            steps += 1
            if steps > 100 { return fail("\(name) does not end") }
            let step = next(demand)
            if step == .wait(because: nil) { return }
            if step == .synchronize {
                if hasSynchronized || plan.settings.syncPolicy == .never { return fail("synchronizes") }
                hasSynchronized = true
            }
            perform(step)
        }
    }

    /// The rules that a write keeps.
    private mutating func check(_ count: Int, _ bytes: Int, of ends: ArraySlice<Int>, from start: Int) {
        guard let file else { return fail("writes without a file") }
        let limit = plan.rolling.maximumSize
        let triesRoll = !plan.health.mayRoll(at: uptime)
        if file.isTorn || file.needsHeader { fail("writes to a file that is torn or has no header") }
        if count < 1 || count > ends.count || ends[ends.startIndex + count - 1] - start != bytes {
            fail("\(count) records of \(bytes) bytes")
        }
        let isExact = interval == .zero || isShared || headerSize > 0
        if !isLookedAt, isExact || uptime - lastLook >= interval { fail("writes blindly") }
        if isShared, file.isShared != isLocked { fail("writes to the wrong file") }
        if limit > 0, file.size + bytes > limit, file.hasRecords || count > 1, !triesRoll {
            fail("\(file.size) and \(bytes) bytes are beyond \(limit)")
        }
        if quota > 0, total + bytes > quota { fail("\(total) and \(bytes) bytes are beyond the quota") }
        isLookedAt = false
    }

    private mutating func append(_ step: FilePlan.Step, _ sizes: ArraySlice<Int>) -> Int {
        var outcome = FileWriter.Outcome(records: sizes.count, bytes: sizes.reduce(0, +))
        file?.isTorn = false
        if isFaulty {
            let kept = numbers.number(0...(sizes.count - 1))
            outcome.records = kept
            outcome.bytes = sizes.prefix(kept).reduce(0, +)
            outcome.failure = SystemFailure(.write, numbers.pick([ENOSPC, EIO, EFBIG, EBADF]))
            hasFailedSize = hasFailedSize || outcome.failure?.number == EFBIG
            if numbers.chance(3) { file?.isTorn = true }
        }
        file?.size += outcome.bytes
        if outcome.records > 0 { file?.hasRecords = true }
        written += outcome.records
        note(step, .wrote(outcome))
        if plan.counters.written != written { fail("\(plan.counters.written) of \(written) are counted") }
        return outcome.records
    }

    private var isFaulty: Bool { mutating get { faultRate > 0 && numbers.chance(faultRate) } }

    private mutating func perform(_ step: FilePlan.Step) {
        switch step {
        case .roll, .makeRoom(bytes: 1...):
            if !isLookedAt { fail("\(step) without a look") }
        default: break
        }
        if case .wait(let number?) = step {
            return note(step, .failed(SystemFailure(.write, number)))
        }
        if isFaulty {
            note(step, .failed(SystemFailure(.open, EACCES)))
            if step == .roll, plan.failure != nil { fail("stops because there is no other file") }
            return
        }
        switch step {
        case .examine:
            if numbers.chance(8) { file = nil } else if numbers.chance(4) { file?.isTorn = false }
            if numbers.chance(20) { file?.isOutgoing = true }
            looked()
        case .open:
            if let left = file { finished.append(left.size) }
            file = fresh()
            looked()
        case .roll:
            guard let old = file, !old.isTorn else { return fail("rolls what is torn, or nothing") }
            if !old.hasRecords, !old.isOutgoing, !rollsEmpty { fail("rolls an empty file") }
            finished.append(old.size)
            file = isWriting ? fresh() : nil
            looked()
        case .makeRoom(let bytes):
            while quota > 0, total + bytes > quota, !finished.isEmpty { finished.removeFirst() }
        case .header:
            if file?.needsHeader != true { fail("a second header") }
            plan.headerSize = headerSize
            while quota > 0, total + headerSize > quota, !finished.isEmpty { finished.removeFirst() }
            if quota > 0, total + headerSize > quota {
                return note(step, .failed(SystemFailure(.write, EDQUOT)))
            }
            file?.size += headerSize
            file?.needsHeader = false
        default: break
        }
        note(step, .done)
    }

    private mutating func looked() {
        isLookedAt = true
        lastLook = uptime
    }

    private func fresh() -> FilePlan.File {
        FilePlan.File(
            size: 0, hasRecords: false, needsHeader: true, isTorn: false, isShared: isShared && isLocked,
            isFramed: false, createdAt: wall)
    }

    private mutating func note(_ step: FilePlan.Step, _ outcome: FilePlan.Outcome) {
        if case .done = outcome {} else { story.append("    \(outcome)") }
        plan.file = file
        plan.note(step, outcome, moment)
    }

    private mutating func fail(_ text: String) { problem = problem ?? text }
}
