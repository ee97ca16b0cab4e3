import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A database that fails as it is told, and notes what it is asked to do.
private final class NotingDatabase: AbstractDatabaseLogger<String>, @unchecked Sendable {
    struct Notes {
        var saves: [[String]] = []
        var deletes: [LogTimestamp] = []
        var lives: [String] = []
        var failsSaves = false
        var failsDeletes = false
        var attempts = 0
    }
    struct Refused: Error {}
    let notes = Locked(Notes())
    @Ordered var prefix = ""

    override func row(for message: LogMessage) -> String? {
        message.text == "leave out" ? nil : prefix + message.text
    }
    override func save(_ rows: [String]) throws {
        try notes.withLock { notes in
            notes.attempts += 1
            if notes.failsSaves { throw Refused() }
            notes.saves.append(rows)
        }
    }
    override func deleteMessages(before moment: LogTimestamp) throws {
        try notes.withLock { notes in
            notes.deletes.append(moment)
            if notes.failsDeletes { throw Refused() }
        }
    }
    override func begin() { notes.withLock { $0.lives.append("begin") } }
    override func end() { notes.withLock { $0.lives.append("end") } }

    var saves: [[String]] { notes.withLock { $0.saves } }
    var deletes: [LogTimestamp] { notes.withLock { $0.deletes } }
    var attempts: Int { notes.withLock { $0.attempts } }
    func fail(_ fails: Bool) { notes.withLock { $0.failsSaves = fails } }

    /// Waits until everything that was logged and set before has been handled, without a flush.
    func settle() { #expect(waitUntilIdle(timeout: .testLimit)) }
}

@Suite("The base of database loggers", .inTurn)
struct AbstractDatabaseLoggerTests {
    private let clock = ManualClock()
    private let dispatcher: LogDispatcher
    private let database: NotingDatabase

    init() {
        dispatcher = .forTest(clock: clock)
        database = NotingDatabase(name: "database", clock: clock)
        dispatcher.add(database)
    }

    private func log(_ range: Range<Int>) {
        for number in range { logInfo("\(number)", to: dispatcher) }
        database.settle()
    }

    private func advance(_ seconds: Int) {
        database.settle()
        clock.advance(by: .seconds(seconds))
        database.settle()
    }

    @Test("The defaults are those of the field: 500, 60 s, 7 days, 5 min, not on every save")
    func defaults() {
        #expect(database.saveThreshold == 500)
        #expect(database.saveInterval == .seconds(60))
        #expect(database.maximumAge == .seconds(7 * 24 * 3600))
        #expect(database.deleteInterval == .seconds(300))
        #expect(!database.deletesOnEverySave)
        #expect(database.unsavedLimit == .mebibytes(16))
    }

    @Test("It saves 500 at a time, and the rest when it is a minute old")
    func saves() {
        log(0..<1001)
        #expect(database.saves.map(\.count) == [500, 500])
        advance(59)
        #expect(database.saves.count == 2)
        advance(1)
        #expect(database.saves.flatMap { $0 } == (0..<1001).map { "\($0)" })
        advance(1000)
        #expect(database.saves.count == 3)
    }

    @Test(
        "It deletes with the first save, then every five minutes, what is older than seven days by the wall clock"
    )
    func deletes() {
        let start = clock.now()
        let age = Duration.seconds(-7 * 86_400)
        log(0..<500)
        #expect(database.deletes == [start + age])
        advance(299)
        #expect(database.deletes.count == 1)
        advance(1)
        advance(300)
        #expect(database.deletes == [0, 300, 600].map { start + .seconds($0) + age })
        database.maximumAge = .zero
        advance(1000)
        #expect(database.deletes.count == 3)
        database.maximumAge = .seconds(10)
        database.settle()
        #expect(database.deletes.last == clock.now() + .seconds(-10))
        database.deleteInterval = .zero
        database.settle()
        let count = database.deletes.count
        advance(1000)
        #expect(database.deletes.count == count)
        database.deleteNow()
        database.settle()
        #expect(database.deletes.count == count + 1)
        database.deletesOnEverySave = true
        log(0..<500)
        #expect(database.deletes.count == count + 2)
    }

    @Test("Settings take effect at once, with what waits already, and in order with the messages")
    func settings() {
        database.saveThreshold = 0
        log(0..<2000)
        #expect(database.saves.isEmpty)
        database.saveThreshold = 1000
        database.settle()
        #expect(database.saves.map(\.count) == [2000])
        database.prefix = "a"
        logInfo("1", to: dispatcher)
        database.prefix = "b"
        logInfo("2", to: dispatcher)
        database.saveNow()
        database.settle()
        #expect(database.saves.last == ["a1", "b2"])
        logInfo("3", to: dispatcher)
        advance(30)
        database.saveInterval = .seconds(20)
        database.settle()
        #expect(database.saves.last == ["b3"])
    }

    @Test("A flush and the removal save; hooks come in their order")
    func flushes() {
        logInfo("one", to: dispatcher)
        logInfo("leave out", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(database.saves == [["one"]])
        logInfo("two", to: dispatcher)
        dispatcher.removeAll()
        #expect(database.saves == [["one"], ["two"]])
        #expect(database.notes.withLock { $0.lives } == ["begin", "end"])
        #expect(database.statistics.filtered == 1)
        #expect(database.statistics.isBalanced)
        #expect(clock.pendingTimers == 0)
    }

    @Test("A logger that nobody uses any more is freed, timers and all")
    func freed() {
        weak var freed: NotingDatabase?
        do {
            let dispatcher = LogDispatcher.forTest(clock: clock)
            let database = NotingDatabase(clock: clock)
            freed = database
            dispatcher.add(database)
            logInfo("one", to: dispatcher)
            database.settle()
            dispatcher.removeAll()
        }
        waitUntil { freed == nil }
    }

    @Test("What cannot be saved stays in order and is tried again, after pauses and at every flush")
    func failures() {
        database.fail(true)
        log(0..<600)
        #expect(database.attempts == 1)
        #expect(dispatcher.flush(timeout: .testLimit).unfinished == ["database"])
        #expect(database.attempts == 2)
        advance(1)
        #expect(database.attempts == 2)
        advance(1)
        #expect(database.attempts == 3)
        log(600..<1300)
        #expect(database.attempts == 3)
        database.fail(false)
        advance(4)
        #expect(database.saves == [(0..<1300).map { "\($0)" }])
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(dispatcher.diagnostics.totals[.writeFailed] == 3)
        #expect(database.statistics.delivered == 1300)
        log(1300..<1800)
        #expect(database.saves.map(\.count) == [1300, 500])
    }

    @Test("A delete that fails is reported, loses no save, and waits for its next time")
    func failingDeletes() {
        database.notes.withLock { $0.failsDeletes = true }
        log(0..<500)
        #expect(database.saves.map(\.count) == [500])
        #expect(database.deletes.count == 1)
        #expect(dispatcher.diagnostics.totals[.writeFailed] == 1)
        advance(299)
        #expect(database.deletes.count == 1)
        advance(1)
        #expect(database.deletes.count == 2)
    }

    @Test("Promise 4: what cannot be saved is bounded, and the log says where how many are missing")
    func bounded() {
        database.unsavedLimit = .kibibytes(8)
        database.fail(true)
        log(0..<500)
        let failed = database.statistics.failed
        #expect(failed > 400 && failed < 500)
        database.fail(false)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let kept = 500 - failed
        let saved: [String] = database.saves.flatMap { $0 }
        #expect(saved == (0..<kept).map { "\($0)" } + ["\(failed) messages dropped here"])
        log(500..<501)
        dispatcher.flush(timeout: .testLimit)
        #expect(database.saves.last == ["500"])
        #expect(database.statistics.isBalanced)
        // A quarter of the limit is saved without being asked.
        let saves = database.saves.count
        log(0..<100)
        #expect(database.saves.count > saves)
    }

    @Test("What cannot be saved when the logger is removed counts as failed")
    func lost() {
        database.fail(true)
        log(0..<3)
        dispatcher.removeAll()
        #expect(database.statistics.failed == 3)
        #expect(database.statistics.delivered == 0)
    }
}
