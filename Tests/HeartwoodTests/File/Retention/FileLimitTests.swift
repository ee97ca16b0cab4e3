import CHeartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Limits where something has changed since it was last looked at.
@Suite(.inTurn) struct FileLimitTests: FileBench {
    let clock = ManualClock()
    let disk: SimulatedDisk
    private let naming = LogFileNaming(application: "t")

    init() { disk = Self.makeDisk(clock) }

    private func makeEngine(
        calls: SystemCalls? = nil, header: @escaping () -> [UInt8] = { [] },
        _ change: (inout FileSettings) -> Void
    ) throws -> FileEngine {
        var settings = FileSettings.unlimited(naming: naming)
        change(&settings)
        let calls = calls ?? SystemCalls(kernel: makeKernel())
        return FileEngine(
            directory: try Directory("/logs", calls: calls), settings: settings, clock: clock,
            header: header)
    }

    @Test("The ages of files are looked at when the oldest comes to the limit, after an hour at the latest")
    func ageCheck() throws {
        let engine = try makeEngine { $0.maximumFileAge = .seconds(5400) }
        write("old", to: engine)
        engine.rollNow()
        #expect(engine.untilTick == .seconds(3600))
        clock.advance(by: .seconds(3600))
        engine.tick()
        #expect(engine.untilTick == .seconds(1800))
        #expect(texts == ["old\n"])
        clock.advance(by: .seconds(1801))
        engine.tick()
        #expect(names.isEmpty)
    }

    private var texts: [String] { names.map(text) }

    @Test(
        "The free space that is to be left to others is left at each write, on a disk that fills in small steps"
    )
    func freeSpace() throws {
        disk.capacity = 200_000
        let engine = try makeEngine { $0.minimumFreeSpace = .bytes(.max) }
        var least = Int.max
        for number in 0..<10_000 where engine.isIdle {
            write("line \(number) on a disk that is nearly full", to: engine)
            least = min(least, disk.capacity - disk.used)
        }
        // A hundredth of the disk at most.
        #expect(!engine.isIdle)
        #expect(least >= 2000 && least < 2200)
    }

    @Test(
        "A file that was written since it was last looked at is not removed for its age",
        arguments: [false, true])
    func writtenMeanwhile(isWritten: Bool) throws {
        let name = naming.name(for: LogFileLabel(createdAt: moment("2025-12-20T00:00:00Z")))
        let file = disk.plant(name, "old\n", owner: 1000)
        file.modified = clock.now() + .seconds(-86_400 * 8)
        let engine = try makeEngine { $0.retention.maximumAge = .seconds(86_400 * 7) }
        try engine.store.start()
        if isWritten {
            file.data += Array("new\n".utf8)
            file.modified = clock.now()
        }
        engine.applyRetention()
        #expect(texts == (isWritten ? ["old\nnew\n"] : []))
        #expect(engine.inventory.total == (isWritten ? 8 : 0))
    }

    @Test("A file that has only a header when its time is over gets its lines for the whole interval")
    func headerAlone() throws {
        // The write after that of the header fails.
        var isArmed = false
        var left = 0
        let kernel = SimulatedKernel(disk, process: 101, user: 1000)
        kernel.fault = { call in
            guard call == .write, isArmed else { return nil }
            left -= 1
            isArmed = left >= 0
            return isArmed ? nil : ENOSPC
        }
        let engine = try makeEngine(
            calls: SystemCalls(kernel: kernel),
            header: {
                (isArmed, left) = (true, 1)
                return Array("header\n".utf8)
            }
        ) { $0.rolling.interval = .seconds(100) }
        write("one", to: engine)
        #expect(texts == ["header\n"] && !engine.isIdle)
        clock.advance(by: .seconds(200))
        engine.tick()
        write("two", to: engine)
        clock.advance(by: .seconds(99))
        write("three", to: engine)
        #expect(texts == ["header\none\ntwo\nthree\n"])
        clock.advance(by: .seconds(1))
        engine.tick()
        write("four", to: engine)
        #expect(texts.count == 2)
    }

    @Test("Room for a line is made also while another process holds the lock of the directory")
    func roomWithoutLock() throws {
        let engine = try makeEngine {
            $0.retention.quota = 60
            $0.rolling.maximumSize = 20
        }
        for number in 10..<20 { write("line \(number) of many", to: engine) }
        let other = try Directory(
            "/logs", calls: SystemCalls(kernel: SimulatedKernel(disk, process: 102, user: 1000)))
        let lock = try other.openAgain()
        #expect(try other.calls.tryLock(lock.number))
        for number in 20..<30 {
            write("line \(number) of many", to: engine)
            #expect(engine.isIdle)
            #expect(texts.reduce(0) { $0 + $1.utf8.count } <= 60)
        }
        #expect(engine.counters.dropped == 0 && texts.last == "line 29 of many\n")
    }

    @Test("A file that others have cut to nothing begins with the header again")
    func headerAfterCut() throws {
        let engine = try makeEngine(header: { Array("header\n".utf8) }) { _ in }
        write("one", to: engine)
        #expect(texts == ["header\none\n"])
        disk.folder?.entries.first { !$0.key.hasPrefix(".") }?.value.data = []
        write("two", to: engine)
        #expect(texts == ["header\ntwo\n"])
    }

    @Test("The child of a fork announces no loss of its parent's")
    func lossOfParent() throws {
        let kernel = SimulatedKernel(disk, process: 101, user: 1000)
        let engine = try makeEngine(calls: SystemCalls(kernel: kernel)) { $0.waitingLimit = .bytes(10) }
        write("one", to: engine)
        kernel.fault = { $0 == .write ? ENOSPC : nil }
        for number in 2..<9 { write("line \(number)", to: engine) }
        #expect(engine.counters.dropped > 0)
        kernel.fault = { _ in nil }
        // As in the child of a fork: all as it was, but another process.
        engine.owner = ProcessOwner(process: 1)
        clock.advance(by: .seconds(1))
        write("child", to: engine)
        #expect(texts == ["one\n", "child\n"])
    }

    @Test("A file that was found in the directory is counted once, and as what is known of it last")
    func insertedTwice() throws {
        let label = LogFileLabel(createdAt: moment("2025-12-20T00:00:00Z"))
        let name = naming.name(for: label)
        disk.plant(name, "one\n", owner: 1000)
        let directory = try Directory(
            "/logs", calls: SystemCalls(kernel: SimulatedKernel(disk, process: 101, user: 1000)))
        let inventory = FileInventory()
        try inventory.refresh(directory, naming)
        var entry = try #require(inventory.entries.first)
        entry.size = 100
        inventory.insert(entry)
        #expect(inventory.entries.map(\.size) == [100])
        #expect(inventory.total == 100)
        inventory.remove(name)
        #expect(inventory.count == 0)
        #expect(inventory.total == 0)
        inventory.insert(entry)
        #expect(inventory.entries.map(\.name) == [name])
    }

    @Test("A file that is in use stays so when the directory is read again")
    func protected() throws {
        let name = naming.name(for: LogFileLabel(createdAt: moment("2025-12-20T00:00:00Z")))
        disk.plant(name, "one\n", owner: 1000)
        let directory = try Directory(
            "/logs", calls: SystemCalls(kernel: SimulatedKernel(disk, process: 101, user: 1000)))
        let inventory = FileInventory()
        try inventory.refresh(directory, naming)
        for isProtected in [true, false] {
            inventory.protect(name, isProtected)
            try inventory.refresh(directory, naming)
            #expect(inventory.entries.map(\.isProtected) == [isProtected])
            let plan = RetentionPlan(maximumCount: 1)
            let removals = inventory.removals(plan, now: nil, incomingFiles: 1)
            #expect(removals.map(\.name) == (isProtected ? [] : [name]))
        }
    }

    @Test("Files that another process has made since the last look go before own ones that are newer")
    func olderOfOthers() throws {
        let one = try makeEngine(makeKernel(101), activeName: "t.log")
        let other = try makeEngine(makeKernel(102), activeName: "t.log") { $0.retention.maximumCount = 1 }
        write("a", to: one)
        clock.advance(by: .seconds(1))
        write("b", to: other)
        clock.advance(by: .seconds(1))
        #expect(one.rollNow())
        write("c", to: one)
        #expect(other.rollNow())
        #expect(texts == ["c\n"])
    }
}
