import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport

@testable import Heartwood

/// One seeded world: a few runs of a program with the real journal, the real file loggers and the real recovery.
///
/// No other thread works: the queues are suspended, and the world itself drains the ring and works off what waits for
/// each logger, when the seed says so. So a seed shows the same world each time.
final class JournalWorld {
    struct Figures {
        var deaths = 0
        var calls = 0
        var lines = 0
        var recovered = 0
        var cuts = 0
        var backups = 0

        mutating func add(_ other: Figures) {
            deaths += other.deaths
            calls += other.calls
            lines += other.lines
            recovered += other.recovered
            cuts += other.cuts
            backups += other.backups
        }
    }

    private let scratch = Scratch(inMemory: true)
    private var random: SeededGenerator
    private var oracle = JournalOracle()
    private var number = 0
    private(set) var figures = Figures()
    /// Counts the lines that loggers format.
    private let order = Box(0)

    /// The first two write to the same place.
    private static let places = ["a", "a", "b"]
    private static let levels: [LogLevelMask] = [.all, .error, .warning, .info, [.error, .debug], .off]
    private static let calls: [LogLevel] = [.error, .warning, .info, .debug]
    private static let start = LogTimestamp(nanoseconds: 1_767_225_600_000_000_000)

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// Plays the world; says what was wrong, if anything.
    func play() throws -> String? {
        let runs = 1 + pick(4)
        for run in 0..<runs {
            let fate = JournalFate(journal: path(run), next: path(run + 1))
            if pick(2) == 0 { fate.die(after: pick(30), part: pick(3) == 0 ? pick(60) : nil) }
            try play(JournalRun(fate, makeDispatcher(run)))
            if pick(8) == 0 { backUp(run) }
        }
        // The last run has room, and lives.
        let last = JournalRun(JournalFate(), makeDispatcher(runs))
        for logger in Self.places.indices { last.add(try makeLogger(logger, last.fate), logger, .all, 0) }
        let isComplete = last.flush()
        last.end()
        // A journal that was cut is set aside.
        let left = scratch.names(path(runs)).filter { figures.cuts == 0 || !$0.hasSuffix(".damaged") }
        if !isComplete || !left.isEmpty { return "left: \(left), complete: \(isComplete)" }
        return judge()
    }

    private func path(_ run: Int) -> String { scratch.path + "/journal\(run)" }

    private func makeDispatcher(_ run: Int) -> LogDispatcher {
        // A second for each run, so that each journal begins at a time of its own.
        let dispatcher = LogDispatcher.forTest(clock: ManualClock(Self.start + .seconds(run)))
        // Before anything is scheduled on it.
        dispatcher.consumer.queue.suspend()
        dispatcher.journal = .file(path(run))
        return dispatcher
    }

    private func makeLogger(_ logger: Int, _ fate: JournalFate) throws -> FileLogger {
        let file = try FileLogger(
            Directory(scratch.path + "/" + Self.places[logger], calls: SystemCalls { fate.decide($0) }),
            settings: FileSettings(naming: JournalFixture.naming), formatter: PrefixFormatter(logger, order),
            name: "logger \(logger)", clock: ManualClock(Self.start))
        // Before anything is scheduled on it; the run lets it go on at its end.
        file.queue.suspend()
        file.minimumFreeSpace = .zero
        file.maximumFileCount = nil
        file.rollingInterval = nil
        file.maximumFileSize = ByteCount(pick(3) == 0 ? 300 : 0)
        // Every program leaves the same out.
        file.filter = LogFilter { !$0.text.contains("SECRET") }
        return file
    }

    /// Makes a backup by hard links, which stays: of the journals, and perhaps of the logs.
    private func backUp(_ run: Int) {
        figures.backups += 1
        JournalCopy.link(path(run + 1), in: scratch.path + "/backup\(run)")
        if pick(2) == 0 { return }
        for place in Set(Self.places) {
            JournalCopy.link(scratch.path + "/" + place, in: scratch.path + "/backup\(run)-\(place)")
        }
    }

    // MARK: - A run

    private func play(_ run: JournalRun) throws {
        // Those of one place come together, in any order: one that comes alone would be the other one, renamed.
        let isThere = ["a": pick(4) > 0, "b": pick(4) > 0]
        for logger in Array(0..<Self.places.count).shuffled(using: &random)
        where isThere[Self.places[logger]] == true {
            try add(logger, to: run)
        }
        for _ in 0..<(5 + pick(25)) where !run.fate.isDead { try step(run, isThere) }
        run.fate.die()
        figures.deaths += 1
        run.end()
    }

    private func step(_ run: JournalRun, _ isThere: [String: Bool]) throws {
        let logger = pick(Self.places.count)
        switch pick(24) {
        case 0:
            run.fate.fill(!run.fate.isFull, until: pick(2) == 0 ? pick(6) : nil)
            oracle.isOrdered = false
        case 1, 2: run.flush()
        case 3, 4, 5: run.setLevels(Self.levels[pick(Self.levels.count)], of: logger)
        case 6: run.remove(logger)
        case 7: if isThere[Self.places[logger]] == true { try add(logger, to: run) }
        case 8: log(String(repeating: "large ", count: 4000), run)
        case 9, 10, 11: run.workOff(logger)
        case 12: run.dispatcher.drainNow()
        case 13 where pick(12) == 0: cutJournal(run)
        default:
            for _ in 0...pick(4) { log(pick(5) == 0 ? "SECRET" : "text", run) }
        }
    }

    private func add(_ logger: Int, to run: JournalRun) throws {
        if run.has(logger) { return }
        let file: FileLogger
        do {
            file = try makeLogger(logger, run.fate)
        } catch {
            // A dead process makes nothing.
            if run.fate.isDead { return }
            throw error
        }
        run.add(file, logger, Self.levels[pick(Self.levels.count)], oracle.begin(logger))
    }

    private func log(_ text: String, _ run: JournalRun, isSure: Bool = true) {
        let level = Self.calls[pick(Self.calls.count)]
        number += 1
        figures.calls += 1
        Heartwood.log("\(number) \(text)", level: level, to: run.dispatcher)
        if text == "SECRET" { return }
        for series in run.series(wanting: level) {
            oracle.want(number, in: series, isSure: isSure && !run.fate.isDead)
        }
    }

    /// Another program empties the journal; messages may be lost until there is a new one.
    private func cutJournal(_ run: JournalRun) {
        guard !run.hasLeftSomething, !run.fate.isFull, run.flush(), !run.fate.isDead,
            case .active(let path) = run.dispatcher.journalStatus
        else { return }
        figures.cuts += 1
        truncate(path, pick(2) == 0 ? 0 : 300_000)
        let before = run.dispatcher.journalStatus
        // The caller finds no room, until the drain has noticed it.
        run.dispatcher.consumer.queue.resume()
        log("noticed", run, isSure: false)
        waitUntil {
            run.dispatcher.drainNow()
            return run.dispatcher.journalStatus != before
        }
        // What has been scheduled meanwhile comes to its end.
        run.dispatcher.consumer.queue.sync {}
        run.dispatcher.consumer.queue.suspend()
    }

    // MARK: - The judgement

    private func judge() -> String? {
        var lines: [[JournalOracle.Line]] = Self.places.map { _ in [] }
        for place in Set(Self.places).sorted() {
            let folder = scratch.path + "/" + place
            for name in scratch.names(folder) where JournalFixture.naming.recognize(name) != nil {
                if let complaint = read(folder + "/" + name, &lines) { return "\(name): \(complaint)" }
            }
        }
        for logger in Self.places.indices {
            figures.lines += lines[logger].count
            if let complaint = oracle.judge(lines[logger], of: logger) { return complaint }
        }
        return nil
    }

    /// Reads a file's lines, which are whole and in the order in which they were written.
    private func read(_ path: String, _ lines: inout [[JournalOracle.Line]]) -> String? {
        var text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        if let last = text.last, last != "\n" {
            // What has a second name elsewhere is not cut.
            guard let status = try? SystemCalls().status(path: path), status.links > 1 else {
                return "the last line is torn"
            }
            text = text.lastIndex(of: "\n").map { String(text[...$0]) } ?? ""
        }
        var last = [Int](repeating: 0, count: Self.places.count)
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "|", maxSplits: 2)
            guard parts.count == 3, let logger = Int(parts[0]), let order = Int(parts[1]) else {
                return "\(line.prefix(60)) is not a line"
            }
            if order <= last[logger] { return "\(line.prefix(60)) is after \(last[logger])" }
            last[logger] = order
            let words = parts[2].split(separator: " ")
            if words.first == "recovered" {
                figures.recovered += words.dropFirst().first.flatMap { Int($0) } ?? 0
                if words.contains("missing") || words.contains("complete;") { return String(parts[2]) }
            } else if let number = words.first.flatMap({ Int($0) }), words.count > 1 {
                lines[logger].append(JournalOracle.Line(number: number, order: order))
            } else {
                return "\(line.prefix(60)) was not logged"
            }
        }
        return nil
    }
}

/// Says whose a line is, and which of all lines.
private final class PrefixFormatter: LogFormatter, @unchecked Sendable {
    private let logger: Int
    private let order: Box<Int>

    init(_ logger: Int, _ order: Box<Int>) { (self.logger, self.order) = (logger, order) }

    override func format(_ message: LogMessage) -> String? {
        order.update { $0 += 1 }
        return "\(logger)|\(order.value)|\(message.text)"
    }
}
