import CHeartwood
import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// Faults F1 and F2: the process dies at any system call of rolling, archiving and removing.
///
/// From the N-th call on, every call fails: what is on the disk then is what a `kill -9` at that moment leaves.
@Suite(.inTurn) struct CrashSweepTests {
    private let archives: Void = LogArchives.register()

    enum Shape: String, CaseIterable, Sendable { case dated, stable, gzip, encrypted, limited }

    @Test(
        "Whenever the process dies, the next run has every written line once, whole and in order, and no leftovers",
        arguments: Shape.allCases, [nil, 10] as [Int?])
    func sweep(_ shape: Shape, _ short: Int?) async throws {
        var last = 1
        while try await crash(shape, at: last, short: short) {
            last += 1
        }
        #expect(last > 50)
    }

    /// Lets a run die at its N-th call, and looks at what the next run makes of it.
    ///
    /// - Returns: whether the run came that far.
    private func crash(_ shape: Shape, at last: Int, short: Int?) async throws -> Bool {
        let scratch = Scratch(inMemory: true)
        let clock = ManualClock()
        let state = Locked((count: 0, isDead: false))
        let calls = SystemCalls { call in
            state.withLock { state -> SystemCalls.Fault? in
                state.count += 1
                if state.isDead { return call == .lock ? nil : .fails(EIO) }
                guard state.count >= last else { return nil }
                state.isDead = true
                if let short, call == .write { return .short(short) }
                return .fails(EIO)
            }
        }
        let naming = try LogFileNaming(application: "t", activeName: shape == .stable ? "t.log" : nil)
        var settings = FileSettings.unlimited(naming: naming)
        settings.rolling.maximumSize = shape == .encrypted ? 300 : 120
        settings.isEncrypted = shape == .encrypted
        settings.archiveKey = FixedKey()
        settings.retention.maximumCount = shape == .limited ? 3 : 0
        var log = RecordLog()
        var written = 0
        if let directory = try? Directory(scratch.logs, calls: calls) {
            let engine = FileEngine(directory: directory, settings: settings, clock: clock)
            for _ in 0..<5 {
                log.write(3, to: engine)
                for name in engine.finished { try? archive(name, shape, engine) }
            }
            written = engine.counters.written
        }
        let isDead = state.withLock { $0.isDead }
        // The next run, with a healthy disk.
        let before = log.count
        let engine = FileEngine(directory: try Directory(scratch.logs), settings: settings, clock: clock)
        try engine.start()
        for name in engine.finished { try archive(name, shape, engine) }
        log.write(2, to: engine)
        let what = "\(shape) dies at call \(last)"
        #expect(engine.isIdle && engine.counters.dropped == 0, "\(what)")
        #expect(!scratch.names(hidden: true).contains { $0.hasSuffix(".part") }, "\(what)")
        var lines: [String] = []
        let reader = LogFileReader(directory: scratch.logs, naming: naming, key: FixedKey())
        for try await line in try reader.lines() { lines.append(line.text) }
        let expected = Array(log.lines.prefix(written)) + Array(log.lines[before...])
        if shape == .limited {
            #expect(lines == Array(expected.suffix(lines.count)), "\(what)")
            #expect(lines.count >= min(expected.count, 10), "\(what)")
            #expect(scratch.names().count <= 3, "\(what)")
        } else {
            #expect(lines == expected, "\(what): \(scratch.names())")
        }
        return isDead
    }

    private func archive(_ name: String, _ shape: Shape, _ engine: FileEngine) throws {
        guard shape == .gzip || shape == .encrypted, ArchiveStage.split(name).stage == .plain else { return }
        let cipher = shape == .encrypted ? try FrameCipher(key: FixedKey().secret(named: "")) : nil
        let job = ArchiveJob(
            directory: engine.directory, name: name, stage: shape == .gzip ? .gzip : .encrypted,
            cipher: cipher,
            mode: 0o600, reserve: { _ in true })
        guard let size = try job.run() else { return }
        engine.inventory.rename(name, to: job.archiveName, stage: job.stage)
        engine.inventory.resize(job.archiveName, to: size)
    }
}
