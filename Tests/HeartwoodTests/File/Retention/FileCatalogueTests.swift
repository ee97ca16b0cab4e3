import CHeartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What the catalogue of a directory says, and what an engine makes of it.
@Suite(.inTurn) struct FileCatalogueTests: FileBench {
    let clock = ManualClock()
    let disk: SimulatedDisk

    init() { disk = Self.makeDisk(clock) }

    @Test(
        "The label of an active file goes from the catalogue when the file is finished, so that the next one has its own time"
    )
    func activeLabel() throws {
        let first = try makeEngine(activeName: "t.log")
        write("one", to: first)
        #expect(FileCatalogue(text: text(".t.catalogue")).active != nil)
        #expect(first.rollNow())
        #expect(FileCatalogue(text: text(".t.catalogue")).active == nil)
        first.close()
        let name = try #require(names.first)
        clock.advance(by: .seconds(3600))
        // Another program puts a file in the place of the active one.
        disk.plant("t.log", "two\n", owner: 1000)
        let second = try makeEngine(activeName: "t.log")
        second.rollNow()
        #expect(names.count == 2 && names.first == name && !names[1].contains("@"))
        #expect(text(names[1]) == "two\n")
    }

    @Test("Where the catalogue cannot be replaced, that is told, and no temporary file of it stays")
    func temporaryFile() throws {
        let kernel = SimulatedKernel(disk, process: 101, user: 1000)
        let reports = Locked<[String]>([])
        let engine = try makeEngine(kernel, report: { event in reports.withLock { $0.append("\(event)") } })
        write("one", to: engine)
        kernel.fault = { $0 == .rename ? EIO : nil }
        engine.rollNow()
        write("two", to: engine)
        #expect(!engine.isSaved)
        #expect(reports.withLock { $0.contains { $0.contains(".t.catalogue") } })
        #expect(disk.folder?.entries.keys.filter { $0.hasSuffix(".new") } == [])
        kernel.fault = { _ in nil }
        clock.advance(by: .seconds(1))
        engine.tick()
        #expect(engine.isSaved)
    }

    @Test("Loggers that share files do not continue one that is older than the newest finished one")
    func olderSharedFile() throws {
        let naming = LogFileNaming(application: "t")
        let labels = ["2025-12-20T00:00:00Z", "2025-12-31T23:00:00Z"].map {
            LogFileLabel(createdAt: moment($0))
        }
        let old = labels.map { naming.name(for: $0) }
        disk.plant(old[0], "old\n", owner: 1000)
        disk.plant(old[1], "new\n", owner: 1000)
        var catalogue = FileCatalogue()
        catalogue.finished = labels[1]
        catalogue.open = [old[0]]
        disk.plant(".t.catalogue", catalogue.text, owner: 1000)
        let engine = try makeEngine { $0.isShared = true }
        write("one", to: engine)
        #expect(old.map(text) == ["old\n", "new\n"])
        #expect(names.count == 3 && text(names[2]) == "one\n")
        #expect(FileCatalogue(text: text(".t.catalogue")).isFinished(old[0], labels[0]))
    }
}
