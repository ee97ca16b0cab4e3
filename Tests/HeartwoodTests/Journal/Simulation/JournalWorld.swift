import CHeartwood
import Foundation
import HeartwoodTestSupport

@testable import Heartwood

/// One seeded world: a few runs of a program with the real journal, the real file loggers and the real recovery.
///
/// A death is a copy of the journal at that moment; from then on no call of the dead run changes a file.
final class JournalWorld {
    struct Figures {
        var deaths = 0
        var calls = 0
        var lines = 0
        var recovered = 0

        mutating func add(_ other: Figures) {
            deaths += other.deaths
            calls += other.calls
            lines += other.lines
            recovered += other.recovered
        }
    }

    /// What one logger, from when it was added until it was removed or died, should have delivered.
    private struct Series {
        let logger: Int
        var wanted: [Int] = []
        /// A message whose call had not returned when the process died: it may be there.
        var perhaps: Set<Int> = []
    }

    /// What the calls of the system do in a run, and when it dies.
    private final class Fate: Sendable {
        struct State {
            var isFull = false
            var isDead = false
            /// How many calls are made before the death; nil, it is not one of them.
            var rest: Int?
            var part: Int?
            /// How many calls of the program had begun, and had returned.
            var begun = 0
            var returned = 0
            var atDeath = 0
        }

        let state = Locked(State())
        private let journal: String
        private let next: String

        init(_ journal: String, _ next: String) {
            (self.journal, self.next) = (journal, next)
        }

        func decide(_ call: SystemCall) -> SystemCalls.Fault? {
            state.withLock { state in
                if state.isDead { return [.lock, .close, .status].contains(call) ? nil : .fails(EIO) }
                if call == .write || call == .open || call == .rename || call == .truncate,
                    let rest = state.rest
                {
                    state.rest = rest - 1
                    if rest <= 0 {
                        if call == .write, let part = state.part {
                            // So much is written; the process dies before the next call.
                            state.part = nil
                            return .short(part)
                        }
                        die(&state)
                        return .fails(EIO)
                    }
                }
                return state.isFull && call == .write ? .fails(ENOSPC) : nil
            }
        }

        func die() { state.withLock { if !$0.isDead { die(&$0) } } }

        private func die(_ state: inout State) {
            state.isDead = true
            state.atDeath = state.returned
            // Other threads may be between two calls. What is the same twice in a row is the state of one moment.
            var (files, again) = (contents(), contents())
            while files != again { (files, again) = (again, contents()) }
            mkdir(next, 0o700)
            for (name, content) in files {
                _ = FileManager.default.createFile(
                    atPath: next + "/" + name, contents: content, attributes: [.posixPermissions: 0o600])
            }
        }

        private func contents() -> [String: Data] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: journal)) ?? []
            let files = names.compactMap { name in
                FileManager.default.contents(atPath: journal + "/" + name).map { (name, $0) }
            }
            return Dictionary(uniqueKeysWithValues: files)
        }
    }

    private let scratch = Scratch(inMemory: true)
    private var random: SeededGenerator
    private var series: [Series] = []
    private var number = 0
    private(set) var figures = Figures()

    /// The first two write to the same place.
    private static let places = ["a", "a", "b"]
    private static let levels: [LogLevelMask] = [.all, .error, .warning, .info, [.error, .debug], .off]
    private static let calls: [LogLevel] = [.error, .warning, .info, .debug]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// Plays the world; says what was wrong, if anything.
    func play() throws -> String? {
        let runs = 1 + pick(4)
        for run in 0..<runs { try play(run: run) }
        // The last run has room, and lives.
        let fate = Fate("", "")
        let dispatcher = makeDispatcher(runs)
        for logger in 0..<JournalWorld.places.count { dispatcher.add(try makeLogger(logger, fate)) }
        let isComplete = dispatcher.flush(timeout: .seconds(60)).isComplete
        dispatcher.removeAll(timeout: .seconds(60))
        dispatcher.journal = nil
        let left = scratch.names(path(runs))
        if !isComplete || !left.isEmpty { return "left: \(left), complete: \(isComplete)" }
        return judge()
    }

    private func path(_ run: Int) -> String { scratch.path + "/journal\(run)" }

    private func makeDispatcher(_ run: Int) -> LogDispatcher {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.journal = .file(path(run))
        return dispatcher
    }

    private func makeLogger(_ logger: Int, _ fate: Fate) throws -> FileLogger {
        let file = try FileLogger(
            LogDirectory(
                scratch.path + "/" + JournalWorld.places[logger], calls: SystemCalls { fate.decide($0) }),
            naming: JournalFixture.naming, formatter: PrefixFormatter(logger), name: "logger \(logger)")
        file.minimumFreeSpace = .zero
        file.maximumFileCount = 0
        file.rollingInterval = .zero
        file.maximumFileSize = ByteCount(pick(3) == 0 ? 300 : 0)
        // Every program leaves the same out.
        file.filter = LogFilter { !$0.text.contains("SECRET") }
        return file
    }

    // MARK: - A run

    private struct Attached {
        let logger: FileLogger
        let series: Int
        var levels: LogLevelMask
    }

    private func play(run: Int) throws {
        let fate = Fate(path(run), path(run + 1))
        if pick(2) == 0 {
            fate.state.withLock { [rest = pick(30), part = pick(3) == 0 ? pick(60) : nil] in
                ($0.rest, $0.part) = (rest, part)
            }
        }
        let dispatcher = makeDispatcher(run)
        // It wants everything, so that every call is made.
        dispatcher.add(AbstractLogger(name: "all"))
        var attached: [Int: Attached] = [:]
        // Those of one place come together, in any order: one that comes alone would be the other one, renamed.
        let isThere = ["a": pick(4) > 0, "b": pick(4) > 0]
        for logger in Array(0..<JournalWorld.places.count).shuffled(using: &random)
        where isThere[JournalWorld.places[logger]] == true {
            try add(logger, fate, to: dispatcher, &attached)
        }
        for _ in 0..<(5 + pick(25)) {
            if fate.state.withLock({ $0.isDead }) { break }
            try step(fate, dispatcher, &attached, isThere)
        }
        fate.die()
        figures.deaths += 1
        end(dispatcher, attached)
    }

    private func step(
        _ fate: Fate, _ dispatcher: LogDispatcher, _ attached: inout [Int: Attached],
        _ isThere: [String: Bool]
    ) throws {
        let logger = pick(JournalWorld.places.count)
        switch pick(20) {
        case 0: fate.state.withLock { $0.isFull.toggle() }
        case 1, 2: dispatcher.flush(timeout: .seconds(60))
        case 3, 4, 5:
            let levels = JournalWorld.levels[pick(JournalWorld.levels.count)]
            attached[logger]?.logger.levels = levels
            attached[logger]?.levels = levels
        case 6:
            if let old = attached.removeValue(forKey: logger) { dispatcher.remove(old.logger) }
        case 7:
            if attached[logger] == nil, isThere[JournalWorld.places[logger]] == true {
                try add(logger, fate, to: dispatcher, &attached)
            }
        case 8: log(String(repeating: "large ", count: 4000), fate, dispatcher, attached)
        default:
            for _ in 0...pick(4) {
                log(pick(5) == 0 ? "SECRET" : "text", fate, dispatcher, attached)
            }
        }
    }

    private func add(
        _ logger: Int, _ fate: Fate, to dispatcher: LogDispatcher, _ attached: inout [Int: Attached]
    ) throws {
        let file: FileLogger
        do {
            file = try makeLogger(logger, fate)
        } catch {
            // A dead process makes nothing.
            if fate.state.withLock({ $0.isDead }) { return }
            throw error
        }
        let levels = JournalWorld.levels[pick(JournalWorld.levels.count)]
        dispatcher.add(file, levels: levels)
        attached[logger] = Attached(logger: file, series: series.count, levels: levels)
        series.append(Series(logger: logger))
    }

    private func log(_ text: String, _ fate: Fate, _ dispatcher: LogDispatcher, _ attached: [Int: Attached]) {
        let level = JournalWorld.calls[pick(JournalWorld.calls.count)]
        number += 1
        fate.state.withLock { $0.begun += 1 }
        Heartwood.log("\(number) \(text)", level: level, to: dispatcher)
        let returned = fate.state.withLock { state in
            state.returned += 1
            return !state.isDead
        }
        figures.calls += 1
        for logger in attached.values where logger.levels.contains(level) && text != "SECRET" {
            if returned {
                series[logger.series].wanted.append(number)
            } else {
                series[logger.series].perhaps.insert(number)
            }
        }
    }

    /// Ends a dead run: nothing that it does changes a file.
    private func end(_ dispatcher: LogDispatcher, _ attached: [Int: Attached]) {
        for logger in attached.values {
            logger.logger.perform { logger.logger.forgetUnwritten() }
        }
        dispatcher.removeAll(timeout: .seconds(60))
        dispatcher.journal = nil
    }

    // MARK: - The judgement

    private func judge() -> String? {
        for logger in 0..<JournalWorld.places.count {
            let found = delivered(by: logger)
            figures.lines += found.count
            var known: Set<Int> = []
            for one in series where one.logger == logger {
                known.formUnion(one.wanted)
                known.formUnion(one.perhaps)
                let members = Set(one.wanted).union(one.perhaps)
                let mine = found.filter(members.contains)
                let due = mine.filter { !one.perhaps.contains($0) }
                if due != one.wanted { return "logger \(logger): \(due) where \(one.wanted) was due" }
                if mine != mine.sorted() { return "logger \(logger): \(mine) is out of order" }
            }
            let foreign = found.filter { !known.contains($0) }
            if !foreign.isEmpty { return "logger \(logger): \(foreign) was not for it" }
        }
        return nil
    }

    /// The numbers of the messages that a logger has written, in order.
    private func delivered(by logger: Int) -> [Int] {
        let folder = scratch.path + "/" + JournalWorld.places[logger]
        let names = scratch.names(folder).filter { JournalFixture.naming.recognise($0) != nil }
        var numbers: [Int] = []
        for name in names {
            let text = (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") where line.hasPrefix("\(logger)|") {
                let words = line.dropFirst(2).split(separator: " ")
                if words.first == "recovered" {
                    figures.recovered += words.dropFirst().first.flatMap { Int($0) } ?? 0
                } else if let number = words.first.flatMap({ Int($0) }) {
                    numbers.append(number)
                }
            }
        }
        return numbers
    }
}

/// Says whose a line is.
private final class PrefixFormatter: LogFormatter, @unchecked Sendable {
    private let logger: Int
    init(_ logger: Int) { self.logger = logger }
    override func format(_ message: LogMessage) -> String? { "\(logger)|\(message.text)" }
}
