import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// The names of files are in the order of their lines, so that the limits keep the newest lines.
@Suite(.inTurn) struct FileOrderTests: FileBench {
    let clock = ManualClock()
    let disk: SimulatedDisk

    init() { disk = Self.makeDisk(clock) }

    /// All lines, in the order of the names of their files; that of the active file comes last.
    private var lines: [String] {
        let active = names.filter { $0 == "t.log" }
        return (names.filter { $0 != "t.log" } + active).flatMap {
            text($0).split(separator: "\n").map(String.init)
        }
    }

    @Test(
        "After two runs that overlapped, the file that the older one left is finished and not continued (promise 4)",
        arguments: [nil, "t.log"])
    func overlap(_ active: String?) throws {
        func run(_ process: Int32) throws -> FileEngine {
            clock.advance(by: .seconds(1))
            return try makeEngine(makeKernel(process), activeName: active) {
                $0.rolling.maximumSize = 40
                $0.retention.maximumCount = 4
            }
        }
        let old = try run(101)
        write("line 0", to: old)
        let new = try run(102)
        write("line 1", to: new)
        old.close()
        new.rollNow()
        new.close()
        let next = try run(103)
        write("line 2", to: next)
        #expect(lines == ["line 0", "line 1", "line 2"])
        #expect(next.finished.count == 2)
        for number in 3..<40 { write("line \(number)", to: next) }
        #expect(names.count == 4 && lines.count >= 15)
        #expect(lines == (40 - lines.count..<40).map { "line \($0)" })
    }

    @Test(
        "Wherever a process is killed while it rolls, the files of the next runs are in order, and the newest lines are kept",
        arguments: [nil, "t.log"], [0, 2])
    func killInRoll(_ active: String?, _ limit: Int) throws {
        for calls in 1..<80 {
            emptyDisk()
            var written: [String] = []
            func run(_ process: Int32, killedAfter calls: Int? = nil) throws {
                let kernel = makeKernel(process)
                clock.advance(by: .seconds(1))
                let engine = try makeEngine(kernel, activeName: active) {
                    $0.rolling.maximumSize = 40
                    $0.retention.maximumCount = limit
                }
                for _ in 0..<2 {
                    let line = "run \(process) line \(written.count)"
                    let before = engine.counters.written
                    write(line, to: engine)
                    if engine.counters.written > before { written.append(line) }
                }
                kernel.callsToLive = calls
                // Does not fit.
                write("run \(process) last", to: engine)
                if !kernel.isDead { written.append("run \(process) last") }
                if !kernel.isDead { engine.rollNow() }
                if !kernel.isDead { engine.close() }
                kernel.kill()
            }
            for process in 101...104 { try run(Int32(process), killedAfter: process == 101 ? calls : nil) }
            if limit == 0 {
                #expect(lines.filter { written.contains($0) } == written, "\(calls)")
            } else {
                let kept = lines.filter { written.contains($0) }
                #expect(kept == written.suffix(kept.count) && kept.count >= 3, "\(calls)")
            }
        }
    }

    @Test("A file that a living process writes to is left to it, though there is a newer one")
    func living() throws {
        let other = try makeEngine(makeKernel(101))
        write("one", to: other)
        clock.advance(by: .seconds(1))
        let first = try makeEngine(makeKernel(102))
        write("two", to: first)
        first.close()
        let second = try makeEngine(makeKernel(103))
        write("three", to: second)
        write("four", to: other)
        #expect(names.map(text) == ["one\nfour\n", "two\nthree\n"])
        #expect(second.finished == [])
    }

    @Test("A file that is older than one that was finished and sent away is not continued either")
    func sentAway() throws {
        let old = try makeEngine(makeKernel(101))
        write("one", to: old)
        clock.advance(by: .seconds(1))
        let new = try makeEngine(makeKernel(102))
        write("two", to: new)
        old.close()
        new.rollNow()
        new.close()
        disk.removeName(names[1])
        clock.advance(by: .seconds(1))
        write("three", to: try makeEngine(makeKernel(103)))
        #expect(names.map(text) == ["one\n", "three\n"])
    }

    @Test("Before the first line, `rollNow()` finishes all files that earlier runs left")
    func rollBeforeFirstLine() throws {
        let left = try [101, 102].map { try makeEngine(makeKernel($0)) }
        for (number, engine) in left.enumerated() {
            write("\(number)", to: engine)
            clock.advance(by: .seconds(1))
        }
        for engine in left { engine.close() }
        let next = try makeEngine(makeKernel(103))
        #expect(next.rollNow())
        write("three", to: next)
        #expect(names.map(text) == ["0\n", "1\n", "three\n"])
        #expect(next.finished == Array(names.prefix(2)))
    }

    @Test("A file that is not continued ends with a whole line")
    func wholeLine() throws {
        let naming = LogFileNaming(application: "t")
        let old = naming.name(for: LogFileLabel(createdAt: clock.now() + .seconds(-10)))
        let new = naming.name(for: LogFileLabel(createdAt: clock.now() + .seconds(-5)))
        disk.plant(old, "one\ntor", owner: 1000)
        disk.plant(new, "two\n", owner: 1000)
        write("three", to: try makeEngine())
        #expect(names.map(text) == ["one\n", "two\nthree\n"])
    }

    @Test(
        "A file that is continued is finished when its time is over, also in the run that continued it",
        arguments: [nil, LogCalendarBoundary.hour])
    func deadline(_ boundary: LogCalendarBoundary?) throws {
        func run() throws -> FileEngine {
            try makeEngine {
                $0.rolling = RollingPolicy(
                    interval: boundary == nil ? .seconds(3600) : .zero, boundary: boundary)
            }
        }
        let first = try run()
        write("one", to: first)
        first.close()
        clock.advance(by: .seconds(1800))
        let second = try run()
        write("two", to: second)
        #expect(names.map(text) == ["one\ntwo\n"])
        #expect(second.untilTick.map { $0 <= .seconds(1800) } == true)
        clock.advance(by: .seconds(2400))
        write("three", to: second)
        #expect(names.map(text) == ["one\ntwo\n", "three\n"])
    }

    @Test("An interval or a boundary that is changed while a file is open holds for that file")
    func changedDeadline() throws {
        let engine = try makeEngine { $0.rolling.interval = .seconds(86_400) }
        write("one", to: engine)
        var settings = engine.settings
        settings.rolling.interval = .seconds(60)
        engine.apply(settings)
        #expect(engine.untilTick.map { $0 <= .seconds(60) } == true)
        clock.advance(by: .seconds(120))
        write("two", to: engine)
        settings.rolling.interval = .zero
        settings.rolling.boundary = .hour
        engine.apply(settings)
        clock.advance(by: .seconds(3600))
        engine.tick()
        write("three", to: engine)
        #expect(names.map(text) == ["one\n", "two\n", "three\n"])
    }

    @Test("The link leads to a file that is continued, also where it was missing before")
    func link() throws {
        let scratch = Scratch(inMemory: true)
        func run(_ line: String, link: String?) throws {
            var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
            settings.currentLink = link
            let engine = FileEngine(
                directory: try Directory(scratch.logs), settings: settings, clock: clock)
            write(line, to: engine)
            engine.close()
        }
        try run("one", link: nil)
        let file = try #require(scratch.names().first)
        try run("two", link: "current")
        #expect(scratch.names().count == 2 && scratch.text("current") == "one\ntwo\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch.logs + "/current") == file)
    }

    private func run(_ process: Int32, _ change: (inout FileSettings) -> Void = { _ in }) throws -> FileEngine
    {
        try makeEngine(makeKernel(process), change)
    }

    /// Lines while the clock is right, wrong from the second line to the fourth, and right again.
    private func runWrongClock(
        isRestarted: Bool, right: LogTimestamp = moment("2026-01-01T00:01:00Z"),
        _ change: (inout FileSettings) -> Void = { _ in }
    ) throws -> [String] {
        var advice: [String] = []
        func run(_ process: Int32) throws -> FileEngine {
            try makeEngine(makeKernel(process), change) {
                if case .advice(let text) = $0 { advice.append(text) }
            }
        }
        var engine = try run(101)
        write("0", to: engine)
        engine.rollNow()
        clock.setWall(moment("2099-01-01T00:00:00Z"))
        for number in 1..<4 {
            write("\(number)", to: engine)
            if number < 3 { engine.rollNow() }
        }
        let before = names
        clock.setWall(right)
        if isRestarted {
            engine.close()
            engine = try run(102)
        }
        for number in 4..<7 {
            engine.rollNow()
            clock.advance(by: .seconds(1))
            write("\(number)", to: engine)
        }
        #expect(names.starts(with: before.prefix { $0 != "t.log" }), "a file was renamed")
        #expect(lines == (0..<7).map { "\($0)" })
        return advice
    }

    @Test(
        "Files of a clock that was wrong once keep their names, the next ones come after them, and that is told once",
        arguments: [nil, "t.log"], [true, false])
    func wrongClock(_ active: String?, _ isRestarted: Bool) throws {
        let advice = try runWrongClock(isRestarted: isRestarted) {
            if let active, let naming = try? LogFileNaming(application: "t", activeName: active) {
                $0.naming = naming
            }
        }
        #expect(advice.count == 1 && advice[0].contains("“t 2099-01-01--00-00-00-000@0003.log” is more than"))
        for name in names where name.contains("2099") { disk.removeName(name) }
        clock.advance(by: .seconds(1))
        write("7", to: try run(103) { $0.reusesFiles = false })
        #expect(names.filter { $0 != "t.log" }.allSatisfy { $0.hasPrefix("t 2026") }, "\(names)")
    }

    @Test("Names are not said to be ahead of a clock that is not set, and neither are own ones")
    func notAhead() throws {
        #expect(try runWrongClock(isRestarted: true, right: LogTimestamp(nanoseconds: 0)) == [])
        emptyDisk()
        clock.setWall(moment("2026-01-01T00:00:00Z"))
        final class OwnNaming: LogFileNaming, @unchecked Sendable {}
        #expect(try runWrongClock(isRestarted: false) { $0.naming = OwnNaming(application: "t") } == [])
    }

    @Test(
        "A file that others made under the fixed name is after those that are finished, also where names have the day"
    )
    func madeByOthers() throws {
        let naming = try LogFileNaming(
            application: "t", template: "{app}-{date:yyyy-MM-dd}.log", activeName: "t.log")
        func run() throws -> FileEngine {
            var settings = FileSettings.unlimited(naming: naming)
            settings.retention.maximumCount = 3
            return FileEngine(
                directory: try Directory("/logs", calls: SystemCalls(kernel: makeKernel())),
                settings: settings, clock: clock)
        }
        let first = try run()
        for number in 0..<5 {
            write("\(number)", to: first)
            first.rollNow()
        }
        first.close()
        disk.plant("t.log", "", owner: 1000)
        let second = try run()
        for number in 5..<7 {
            write("\(number)", to: second)
            #expect(text("t.log") == "\(number)\n")
            second.rollNow()
        }
        #expect(names.map(text) == ["4\n", "5\n", "6\n"])
    }

    // MARK: Several processes

    /// Has the kernel fail to tell the status of a file, in these of its calls from now on.
    private func failStatus(of kernel: SimulatedKernel, at calls: ClosedRange<Int>) {
        var count = 0
        kernel.fault = {
            guard $0 == .status else { return nil }
            count += 1
            return calls.contains(count) ? EIO : nil
        }
    }

    private func emptyDisk() {
        disk.removeFolder()
        disk.makeFolder(owner: 1000, mode: 0o700)
    }

    private func makeNumbered(_ process: Int32) throws -> FileEngine {
        let naming = try LogFileNaming(
            application: "t", template: "{app}.{number:3}.log", activeName: "t.log")
        return try makeEngine(makeKernel(process)) { $0.naming = naming }
    }

    @Test(
        "Where the status of a file that is there cannot be read for a moment, what comes next is after it all the same"
    )
    func unreadable() throws {
        for failing in 0..<30 {
            emptyDisk()
            let first = try run(101)
            write("one", to: first)
            first.rollNow()
            first.close()
            clock.setWall(clock.now() + .seconds(-86_400))
            let kernel = makeKernel(102)
            let second = try makeEngine(kernel)
            failStatus(of: kernel, at: failing...failing)
            write("two", to: second)
            clock.advance(by: .seconds(2))
            second.tick()
            #expect(lines == ["one", "two"], "\(failing)")
        }
    }

    @Test("Where the newest file cannot be read for a moment, no older one is continued")
    func unreadableNewest() throws {
        for failing in 0..<30 {
            emptyDisk()
            let left = try [run(101), run(102)]
            for (engine, line) in zip(left, ["one", "two"]) {
                clock.advance(by: .seconds(1))
                write(line, to: engine)
            }
            left.forEach { $0.close() }
            let kernel = makeKernel(103)
            let next = try makeEngine(kernel)
            failStatus(of: kernel, at: failing...failing)
            write("three", to: next)
            clock.advance(by: .seconds(2))
            next.tick()
            #expect(lines == ["one", "two", "three"], "\(failing)")
        }
    }

    @Test("A log of which others have an archive is kept")
    func foreignArchive() throws {
        let first = try run(101)
        write("one", to: first)
        first.rollNow()
        disk.plant(names[0] + ".gz", owner: 0, isForeign: true)
        write("two", to: try run(102))
        #expect(lines == ["one", "two"])
    }

    @Test("The active file gets no name of which there is an archive")
    func archivedName() throws {
        let engine = try makeNumbered(101)
        write("one", to: engine)
        disk.plant("t.001.log.gz", owner: 1000)
        engine.rollNow()
        #expect(names == ["t.001.log.gz", "t.002.log"])
    }

    @Test("What the active file was created as is forgotten when it gets another label")
    func changedLabel() throws {
        disk.plant("t.001.log", kind: .directory, owner: 1000)
        let engine = try makeNumbered(101)
        write("one", to: engine)
        engine.rollNow()
        disk.removeName("t.001.log")
        disk.plant("t.log", "theirs\n", owner: 1000)
        let other = try makeNumbered(102)
        other.rollNow()
        #expect(names == ["t.002.log", "t.003.log"])
    }

    @Test("A logger that comes to write with all others, and was to begin a new file, goes on in theirs")
    func joining() throws {
        let all = try makeEngine(makeKernel(101)) { $0.isShared = true }
        write("one", to: all)
        let alone = try run(102)
        alone.rollNow()
        var settings = alone.settings
        settings.isShared = true
        alone.apply(settings)
        write("two", to: alone)
        #expect(names.map(text) == ["one\ntwo\n"])
    }

    @Test("Where one finishes the file of all, each that has written to it puts it on the disk")
    func syncOfAll() throws {
        let kernel = makeKernel(101)
        var count = 0
        kernel.fault = {
            count += $0 == .sync ? 1 : 0
            return nil
        }
        let engine = try makeEngine(kernel) {
            $0.isShared = true
            $0.syncPolicy = .interval(.seconds(60))
        }
        write("one", to: engine)
        #expect(count == 0)
        try makeEngine(makeKernel(102)) { $0.isShared = true }.rollNow()
        write("two", to: engine)
        #expect(count == 1 && names.count == 2)
    }

    @Test(
        "What all write to is finished for all by one that has not opened it, and all go on in the same file")
    func sharedRoll() throws {
        let engines = try [101, 102].map { try makeEngine(makeKernel($0)) { $0.isShared = true } }
        write("one", to: engines[0])
        clock.advance(by: .seconds(1))
        #expect(engines[1].rollNow())
        write("two", to: engines[1])
        write("three", to: engines[0])
        write("four", to: engines[1])
        #expect(names.map(text) == ["one\n", "two\nthree\nfour\n"])
    }

    @Test(
        "After the file that all write to was removed, all go on in the same file", arguments: [true, false])
    func sharedRemoval(_ withDirectory: Bool) throws {
        let engines = try [101, 102, 103].map { try makeEngine(makeKernel($0)) { $0.isShared = true } }
        for engine in engines.prefix(2) { write("one", to: engine) }
        clock.advance(by: .seconds(1))
        if withDirectory {
            emptyDisk()
        } else {
            disk.removeName(names[0])
        }
        for engine in engines + engines { write("two", to: engine) }
        #expect(names.map(text) == [String(repeating: "two\n", count: 6)])
    }

    @Test(
        "The active file keeps its place among those that other processes made meanwhile, also where its name is taken"
    )
    func takenName() throws {
        disk.plant("t.001.log", kind: .directory, owner: 1000)
        let active = try makeNumbered(101)
        write("one", to: active)
        let other = try makeNumbered(102)
        write("two", to: other)
        active.rollNow()
        #expect(names == ["t.001.log", "t.001@pid101.log", "t.002@pid102.log"])
        write("three", to: active)
        active.rollNow()
        #expect(names.map(text) == ["", "one\n", "two\n", "three\n"])
    }

    @Test("A new file is after one that could not be continued and has just got its name")
    func putAside() throws {
        disk.plant("t.002.log", kind: .directory, owner: 1000)
        let engine = FileEngine(
            directory: try Directory("/logs", calls: SystemCalls(kernel: makeKernel())),
            settings: try makeNumbered(101).settings, clock: clock,
            beginning: { FileBeginning(isJSON: false) })
        write("one", to: engine)
        engine.rollNow()
        disk.plant("t.log", "{}\n", owner: 1000)
        write("two", to: engine)
        #expect(engine.writer?.label.number == 4)
        engine.rollNow()
        #expect(names.map(text) == ["one\n", "", "{}\n", "two\n"])
    }

    @Test("One that has not looked for long gives the active file the label that it has now")
    func outdated() throws {
        let (writing, waiting) = try (makeNumbered(101), makeNumbered(102))
        write("one", to: writing)
        waiting.rollNow()
        writing.rollNow()
        write("two", to: writing)
        writing.close()
        disk.removeName("t.001.log")
        waiting.rollNow()
        #expect(names == ["t.002.log"])
    }

    @Test("The file after an active one that others removed, and whose writer has not noticed, is after that")
    func removedActive() throws {
        let unknowing = try makeNumbered(101)
        write("zero", to: unknowing)
        unknowing.rollNow()
        write("one", to: unknowing)
        disk.removeName("t.log")
        let next = try makeNumbered(102)
        write("two", to: next)
        unknowing.rollNow()
        next.rollNow()
        #expect(names == ["t.001.log", "t.003.log"])
    }

    @Test(
        "A file that others put in the place of the active one keeps its name, also where that could not be seen"
    )
    func replacedActive() throws {
        for failing in 0..<40 {
            emptyDisk()
            let kernel = makeKernel()
            let engine = try makeEngine(kernel, activeName: "t.log")
            write("one", to: engine)
            disk.renameByOthers("t.log", to: "kept")
            disk.plant("t.log", "theirs\n", owner: 1000, isForeign: true).isImmutable = true
            failStatus(of: kernel, at: failing...failing + 2)
            engine.rollNow()
            #expect(text("t.log") == "theirs\n" && disk.violations == [], "\(failing)")
        }
    }

    @Test("Limits that are lowered see that the open file was removed, and that its name is another's by now")
    func reusedName() throws {
        let unknowing = try run(101)
        write("one", to: unknowing)
        disk.removeName(names[0])
        let other = try run(102)
        for line in ["two", "three", "four"] {
            write(line, to: other)
            other.rollNow()
        }
        var settings = unknowing.settings
        settings.retention.maximumCount = 2
        unknowing.apply(settings)
        #expect(names.map(text) == ["three\n", "four\n"])
    }
}
