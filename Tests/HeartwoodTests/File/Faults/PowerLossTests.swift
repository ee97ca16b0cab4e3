import CHeartwood
import CoreFixtures
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// Power cuts at every single call; ``FileDiskTests`` has those of a real file system.
@Suite(.inTurn) struct PowerLossTests {
    enum Shape: String, CaseIterable { case dated, stable, archived }

    private let archives: Void = LogArchives.register()

    @Test(
        "Whenever the power is cut, what the policy promises is there, whole and in order, also in a new directory",
        arguments: Shape.allCases)
    func everyCall(_ shape: Shape) throws {
        let naming = try LogFileNaming(application: "t", activeName: shape == .stable ? "t.log" : nil)
        let calls = try PowerLoss.sweep(looks: Tier.amount(3, full: 30)) { path, disk in
            var log = RecordLog()
            let promised = run(shape, naming, in: path + "/a/logs", disk, &log)
            return (promised: promised, lines: log.lines)
        } look: { path, call, course in
            let lines = Self.lines(path + "/a/logs", naming)
            #expect(
                lines.prefix(course.promised) == course.lines.prefix(course.promised),
                "call \(call), \(course.promised) promised")
        }
        #expect(calls > 20)
    }

    /// Writes records until the power is off; returns how many of them the disk has to have.
    private func run(
        _ shape: Shape, _ naming: LogFileNaming, in path: String, _ power: PowerLoss, _ log: inout RecordLog
    ) -> Int {
        let clock = ManualClock()
        var settings = FileSettings.unlimited(naming: naming)
        settings.rolling.maximumSize = 120
        settings.syncPolicy = .everyBatch
        guard let directory = try? Directory(path, calls: SystemCalls(kernel: FaultyKernel(power))) else {
            return 0
        }
        let engine = FileEngine(directory: directory, settings: settings, clock: clock)
        var promised = 0
        for _ in 0..<6 {
            log.write(2, to: engine)
            clock.advance(by: .seconds(1))
            engine.tick()
            if !power.isOff { promised = log.count }
            guard shape == .archived else { continue }
            for name in engine.finished where name.hasSuffix(".log") {
                let job = ArchiveJob(
                    directory: directory, name: name, stage: .gzip, cipher: nil, mode: 0o600,
                    reserve: { _ in true })
                _ = try? job.run()
            }
        }
        return promised
    }

    private static func lines(_ path: String, _ naming: LogFileNaming) -> [String] {
        guard let paths = try? LogFileReader(directory: path, naming: naming).paths() else { return [] }
        let lines = LogLineIterator(paths, key: nil)
        var all: [String] = []
        while let next = try? lines.next() { all += next.map(\.text) }
        return all
    }
}
