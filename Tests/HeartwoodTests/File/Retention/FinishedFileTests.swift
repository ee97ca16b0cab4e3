import CHeartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A finished file says so itself, by its mode; and what an engine makes of that.
@Suite(.inTurn) struct FinishedFileTests: FileBench {
    let clock = ManualClock()
    let disk: SimulatedDisk

    init() { disk = Self.makeDisk(clock) }

    private func mode(_ name: String) -> UInt32 { disk.folder?.entries[name]?.mode ?? 0 }

    @Test("A finished file loses its write permission and nothing else, and the directory has logs only")
    func marks() throws {
        let engine = try makeEngine { $0.fileMode = 0o640 }
        write("one", to: engine)
        #expect(names.map(mode) == [0o640])
        engine.rollNow()
        #expect(names.map(mode) == [0o440])
        clock.advance(by: .seconds(1))
        write("two", to: engine)
        #expect(names.map(mode) == [0o440, 0o640])
        #expect(disk.folder?.entries.keys.filter { $0.hasPrefix(".") } == [])
    }

    @Test(
        "A file that was rolled by a call is not continued by the next run, and one that was not is",
        arguments: [false, true])
    func continues(isRolled: Bool) throws {
        let first = try makeEngine()
        write("one", to: first)
        if isRolled { first.rollNow() }
        first.close()
        clock.advance(by: .seconds(1))
        write("two", to: try makeEngine(makeKernel(2)))
        #expect(names.map(text) == (isRolled ? ["one\n", "two\n"] : ["one\ntwo\n"]))
    }

    @Test("A file that loses its write permission is left; the next run continues it if it is restored")
    func marksOfOthers() throws {
        let engine = try makeEngine()
        write("one", to: engine)
        let first = names[0]
        disk.folder?.entries[first]?.mode = 0o400
        clock.advance(by: .seconds(1))
        write("two", to: engine)
        #expect(names.map(text) == ["one\n", "two\n"])
        engine.rollNow()
        engine.close()
        disk.folder?.entries[names[1]]?.mode = 0o600
        write("three", to: try makeEngine(makeKernel(2)))
        #expect(names.map(text) == ["one\n", "two\nthree\n"])
    }

    @Test(
        "Where files have no permissions, the newest alone is continued, and one that was rolled by a call within the run is not",
        arguments: [EPERM, EOPNOTSUPP])
    func withoutModes(_ number: Int32) throws {
        disk.modeRefusal = number
        let engine = try makeEngine()
        write("one", to: engine)
        engine.rollNow()
        clock.advance(by: .seconds(1))
        write("two", to: engine)
        #expect(names.map(text) == ["one\n", "two\n"])
        #expect(engine.finished == [names[0]])
        engine.close()
        let next = try makeEngine(makeKernel(2))
        write("three", to: next)
        #expect(names.map(text) == ["one\n", "two\nthree\n"])
    }

    @Test("The others that share a file leave it with the next write after one of them has finished it")
    func shared() throws {
        for refusal in [nil, EPERM] {
            disk.modeRefusal = refusal
            let engines = try (1...2).map { number in
                try makeEngine(makeKernel(Int32(number))) { $0.isShared = true }
            }
            for engine in engines { write("one", to: engine) }
            let first = try #require(names.last)
            engines[0].rollNow()
            clock.advance(by: .seconds(1))
            write("two", to: engines[0])
            write("three", to: engines[1])
            #expect(names.map(text) == ["one\none\n", "two\nthree\n"], "\(refusal ?? 0): \(first)")
            for engine in engines { engine.close() }
            for name in names { disk.removeName(name) }
        }
    }

    @Test("Loggers that share files do not continue one that is older than a finished one")
    func olderSharedFile() throws {
        let naming = LogFileNaming(application: "t")
        let old = ["2025-12-20T00:00:00Z", "2025-12-31T23:00:00Z"].map {
            naming.name(for: LogFileLabel(createdAt: moment($0)))
        }
        disk.plant(old[0], "old\n", owner: 1000)
        disk.plant(old[1], "new\n", owner: 1000, mode: 0o400)
        let engine = try makeEngine { $0.isShared = true }
        write("one", to: engine)
        #expect(old.map(text) == ["old\n", "new\n"])
        #expect(names.count == 3 && text(names[2]) == "one\n")
        #expect(mode(old[0]) == 0o400, "it has no writer")
    }

    @Test(
        "The file with the fixed active name says itself when it was created, also after its directory was copied"
    )
    func activeLabel() throws {
        let first = try makeEngine(activeName: "t.log")
        write("one", to: first)
        let created = clock.now()
        first.close()
        clock.advance(by: .seconds(3600))
        // A copy with another birth.
        let active = try #require(disk.folder?.entries["t.log"])
        disk.removeName("t.log")
        let copy = disk.plant("t.log", "one\n", owner: 1000)
        copy.attributes = active.attributes
        let second = try makeEngine(makeKernel(2), activeName: "t.log")
        write("two", to: second)
        #expect(second.rollNow())
        #expect(names == [LogFileNaming(application: "t").name(for: LogFileLabel(createdAt: created))])
    }

    @Test("Without attributes the birth of the file with the fixed active name tells when it was created")
    func activeBirth() throws {
        disk.attributeRefusal = EOPNOTSUPP
        let first = try makeEngine(activeName: "t.log")
        write("one", to: first)
        let created = clock.now()
        first.close()
        clock.advance(by: .seconds(3600))
        let second = try makeEngine(makeKernel(2), activeName: "t.log")
        write("two", to: second)
        #expect(second.rollNow())
        #expect(names == [LogFileNaming(application: "t").name(for: LogFileLabel(createdAt: created))])
    }

    @Test(
        "A network file system that locks only what is open for writing has its finished files removed and archived as well"
    )
    func locksThatNeedWriting() throws {
        disk.locksNeedWriting = true
        let engine = try makeEngine {
            $0.rolling.maximumSize = 8
            $0.retention.maximumCount = 2
        }
        for line in ["one", "two", "three", "four"] {
            clock.advance(by: .seconds(1))
            write(line + " 34", to: engine)
        }
        #expect(names.count == 2 && mode(names[0]) == 0o400)
        let held = try #require(try engine.directory.hold(names[0]))
        #expect(mode(names[0]) == 0o400)
        #expect(try Directory("/logs", calls: SystemCalls(kernel: makeKernel(2))).hold(names[0]) == nil)
        held.unlock()
    }

    @Test("Where directories have locks and files have none, files are written without, and that is told")
    func locksOfFoldersOnly() throws {
        disk.lockRefusal = ENOLCK
        disk.locksFolders = true
        let missing = Locked<[Directory.Feature]>([])
        let engine = try makeEngine(
            report: { event in
                if case .missing(let feature) = event { missing.withLock { $0.append(feature) } }
            })
        for line in ["one", "two"] { write(line, to: engine) }
        #expect(names.map(text) == ["one\ntwo\n"] && missing.withLock { $0 } == [.locks])
    }

    @Test("After the directory was replaced, the lock is that of the new one, also while it is held")
    func lockOfReplacedDirectory() throws {
        let directory = try Directory("/logs", calls: SystemCalls(kernel: makeKernel()))
        let lock = DirectoryLock(directory)
        #expect(lock.acquire())
        disk.removeFolder()
        disk.makeFolder(owner: 1000, mode: 0o700)
        try directory.reopen()
        lock.reset()
        let other = DirectoryLock(try Directory("/logs", calls: SystemCalls(kernel: makeKernel(2))))
        #expect(!other.acquire(waits: false) && other.isBusy)
        lock.release()
        other.release()
        #expect(other.acquire(waits: false))
        other.release()
        disk.removeFolder()
        disk.makeFolder(owner: 1000, mode: 0o700)
        #expect(!lock.acquire(), "nobody else uses the one that is gone")
        lock.release()
        try directory.reopen()
        #expect(lock.acquire())
    }

    @Test("A file whose write permission another program took counts as rolled, under its dated name")
    func rolledByOthers() throws {
        let rolled = Locked<[String]>([])
        let engine = try makeEngine(
            activeName: "t.log",
            report: { event in
                if case .rolled(let name) = event { rolled.withLock { $0.append(name) } }
            })
        write("one", to: engine)
        disk.folder?.entries["t.log"]?.mode = 0o400
        clock.advance(by: .seconds(1))
        write("two", to: engine)
        #expect(names.map(text) == ["one\n", "two\n"])
        #expect(rolled.withLock { $0 } == [names[0]] && engine.finished == [names[0]])
    }

    @Test("A file of another user is no reason to leave one's own")
    func otherUser() throws {
        let name = LogFileNaming(application: "t").name(
            for: LogFileLabel(createdAt: moment("2026-01-02T00:00:00Z")))
        let first = try makeEngine()
        write("one", to: first)
        first.close()
        disk.plant(name, "theirs\n", owner: 1001, mode: 0o644, isForeign: true)
        write("two", to: try makeEngine(makeKernel(2)))
        #expect(text(names[0]) == "one\ntwo\n" && names.count == 2)
    }

    @Test("A file that was processed is not continued, even if its write permission was restored")
    func processed() throws {
        let first = try makeEngine()
        write("one", to: first)
        first.close()
        disk.folder?.entries[names[0]]?.attributes[FileInventory.processedAttribute] = []
        clock.advance(by: .seconds(1))
        write("two", to: try makeEngine(makeKernel(2)))
        #expect(names.map(text) == ["one\n", "two\n"] && mode(names[0]) == 0o400)
    }

    // MARK: Directories of earlier versions

    @Test("What the catalogue of an earlier version says the files are told, and it goes with its lock")
    func formerCatalogue() throws {
        let naming = try LogFileNaming(application: "t", activeName: "t.log")
        let labels = ["2025-12-20T00:00:00Z", "2025-12-31T22:00:00Z", "2025-12-31T23:00:00Z"].map {
            LogFileLabel(createdAt: moment($0))
        }
        let old = labels.prefix(2).map { naming.name(for: $0) }
        for name in old { disk.plant(name, "old\n", owner: 1000) }
        disk.plant("t.log", "active\n", owner: 1000)
        let marks = labels.map { "\($0.createdAt?.nanoseconds ?? 0) 1 0" }
        disk.plant(
            ".t.catalogue",
            """
            heartwood catalogue 1
            finished \(marks[1])
            active \(marks[2])
            open \(old[0])
            processed \(old[1])

            """, owner: 1000)
        disk.plant(".t.lock", "..", owner: 1000)
        let engine = try makeEngine(activeName: "t.log")
        try engine.store.start()
        #expect(disk.folder?.entries.keys.sorted() == (old + ["t.log"]).sorted())
        #expect([old[0], old[1], "t.log"].map(mode) == [0o600, 0o400, 0o600])
        #expect(disk.folder?.entries[old[1]]?.attributes[FileInventory.processedAttribute] == [])
        #expect(engine.inventory.newest == labels[2])
        FormerCatalogue.takeOver(engine.store)
        #expect(engine.inventory.newest == labels[2], "once more it changes nothing")
    }

    @Test("An active file keeps the name that it says, whatever an old catalogue says of an earlier one")
    func formerActive() throws {
        let first = try makeEngine(activeName: "t.log")
        write("one", to: first)
        let label = try #require(first.inventory.newest)
        first.close()
        disk.plant(
            ".t.catalogue", "heartwood catalogue 1\n \nactive 0 1 0\nfinished x 1 0\n", owner: 1000)
        let next = try makeEngine(makeKernel(2), activeName: "t.log")
        try next.store.start()
        #expect(next.inventory.newest == label && disk.folder?.entries.keys.sorted() == ["t.log"])
    }

    @Test(
        "A catalogue stays until the files that another logger holds are told as well; what is not ours stays"
    )
    func formerCatalogueLater() throws {
        let name = LogFileNaming(application: "t").name(
            for: LogFileLabel(createdAt: moment("2025-12-20T00:00:00Z")))
        disk.plant(name, "old\n", owner: 1000)
        let text = "heartwood catalogue 1\nfinished \(moment("2025-12-20T00:00:00Z").nanoseconds) 1 0\n"
        disk.plant(".t.catalogue", text, owner: 1000)
        disk.plant(".t.lock", "theirs", owner: 0, isForeign: true)
        let holder = try Directory("/logs", calls: SystemCalls(kernel: makeKernel(2)))
        let held = try #require(try holder.hold(name))
        try makeEngine().store.start()
        #expect(disk.folder?.entries[".t.catalogue"] != nil && mode(name) == 0o600)
        held.unlock()
        try makeEngine().store.start()
        #expect(disk.folder?.entries[".t.catalogue"] == nil && mode(name) == 0o400)
        #expect(disk.folder?.entries[".t.lock"] != nil && disk.violations == [])
    }
}
