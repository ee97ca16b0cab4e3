import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A file engine that has lived through something behaves as a new one: the same files, reports, pauses and figures.
@Suite(.inTurn) struct UsedFileTests {
    private final class Bench: FileBench {
        let clock = ManualClock()
        let disk: SimulatedDisk
        let kernel: SimulatedKernel
        let engine: FileEngine
        private let reports = Locked<[String]>([])

        init(_ change: (inout FileSettings) throws -> Void = { _ in }) throws {
            disk = Self.makeDisk(clock)
            kernel = SimulatedKernel(disk, process: 101, user: 1000)
            var settings = FileSettings.unlimited(naming: LogFileNaming(application: "t"))
            settings.maximumFileSize = .bytes(40)
            settings.rollingInterval = .seconds(60)
            settings.syncPolicy = .interval(.seconds(5))
            settings.waitingLimit = .bytes(100)
            try change(&settings)
            engine = FileEngine(
                directory: try Directory("/logs", calls: SystemCalls(kernel: kernel)), settings: settings,
                clock: clock, report: { [reports] event in reports.withLock { $0.append("\(event)") } })
        }

        func write(_ count: Int) { for number in 0..<count { write("line \(number) ..", to: engine) } }

        /// Writes while calls fail, and lets the time of all pauses pass.
        func write(_ count: Int, failing call: SystemCall, _ error: Int32) {
            kernel.fault = { $0 == call ? error : nil }
            write(count)
            kernel.fault = { _ in nil }
            rest()
        }

        func rest() {
            for _ in 0..<20 {
                clock.advance(by: .milliseconds(300))
                engine.tick()
            }
        }

        var newest: String { names.last ?? "" }

        func round() -> [String] {
            rest()
            engine.rollNow()
            rest()
            let (before, known, old) = (engine.counters, Set(names), reports.withLock { $0.count })
            var story: [String] = []
            func note(_ what: String) {
                let delay = engine.untilTick.map { "\($0)" } ?? "-"
                story.append("\(what): \(names.filter { !known.contains($0) }.map(text)), \(delay)")
            }
            write(2)
            note("two lines")
            write(3)
            note("rolled by size")
            clock.advance(by: .seconds(30))
            engine.tick()
            note("half of its time")
            clock.advance(by: .seconds(31))
            engine.tick()
            note("over")
            write(1)
            kernel.fault = { $0 == .write ? ENOSPC : nil }
            write(1)
            note("full")
            write(9)
            kernel.fault = { _ in nil }
            clock.advance(by: .milliseconds(250))
            engine.tick()
            note("room again")
            let after = engine.counters
            story.append(
                "written \(after.written - before.written), \(after.bytes - before.bytes) bytes, dropped "
                    + "\(after.dropped - before.dropped), waiting \(after.waiting), rolls "
                    + "\(after.rolls - before.rolls), failures \(after.failures - before.failures)")
            let sizes = names.filter { $0 != "moved" }.reduce(0) { $0 + text($1).utf8.count }
            story.append("inventory \(engine.inventory.total == sizes)")
            for report in reports.withLock({ Array($0[old...]) }) {
                // These two say how many lines were dropped in total.
                let isTotal = report.hasPrefix("resumed") || report.hasPrefix("dropped")
                let text = isTotal ? report.replacing(#/\d+/#, with: "N") : report
                story.append(names.reduce(text) { $0.replacing($1, with: "FILE") })
            }
            return story
        }
    }

    /// What a file engine may have lived through.
    private let lives: KeyValuePairs<String, (inout Bench) async throws -> Void> = [
        "files that were rolled": { $0.write(12) },
        "a roll that failed": { $0.write(12, failing: .open, ENOSPC) },
        "a full disk": { $0.write(3, failing: .write, ENOSPC) },
        "dropped lines": { $0.write(30, failing: .write, EIO) },
        "a directory that cannot be looked at": { $0.write(3, failing: .status, EIO) },
        "a failed synchronization": { bench in
            bench.write(2)
            bench.kernel.fault = { $0 == .sync ? EIO : nil }
            bench.clock.advance(by: .seconds(6))
            bench.engine.tick()
            bench.kernel.fault = { _ in nil }
        },
        "a file that others removed": { bench in
            bench.write(1)
            bench.disk.removeName(bench.newest)
            bench.write(1)
        },
        "a file that others renamed": { bench in
            bench.write(1)
            bench.disk.renameByOthers(bench.newest, to: "moved")
            bench.write(1)
        },
        "a clock that was an hour behind": { bench in
            let now = bench.clock.now()
            bench.clock.setWall(now + .seconds(-3600))
            bench.write(1)
            bench.clock.setWall(now)
            bench.write(1)
        },
        "a clock that was a day ahead, and its file gone": { bench in
            let now = bench.clock.now()
            bench.clock.setWall(now + .seconds(86_400))
            bench.write(1)
            bench.clock.setWall(now)
            bench.disk.removeName(bench.newest)
            bench.write(1)
        },
        "other settings": { bench in
            let own = bench.engine.settings
            var other = own
            other.maximumFileSize = nil
            other.rollingInterval = .seconds(1)
            other.syncPolicy = .everyBatch
            other.fileHeader = "header"
            bench.engine.apply(other)
            bench.write(5)
            bench.engine.apply(own)
        },
        "a quota that was reached": { bench in
            let own = bench.engine.settings
            bench.write(12)
            var other = own
            other.diskQuota = .bytes(60)
            bench.engine.apply(other)
            bench.write(4)
            bench.engine.apply(own)
        },
        "a removal and a second attachment": { bench in
            bench.write(2)
            bench.engine.close()
            bench.engine.reopen()
        },
        "lines of another process that were forgotten": { bench in
            bench.write(1)
            bench.kernel.fault = { $0 == .write ? EIO : nil }
            bench.write(3)
            bench.kernel.fault = { _ in nil }
            bench.engine.forgetWaiting()
        },
    ]

    @Test("Whatever a file logger has lived through, its next files are as the first")
    func engine() async throws {
        try await expectAsNew({ try Bench() }, after: lives) { $0.round() }
    }

    @Test("The same with a fixed name, and with files that several processes share")
    func otherSettings() async throws {
        try await expectAsNew(
            {
                try Bench {
                    $0.naming = try LogFileNaming(application: "t", activeName: "current.log")
                }
            }, after: lives
        ) { $0.round() }
        try await expectAsNew({ try Bench { $0.isShared = true } }, after: lives) { $0.round() }
    }
}
