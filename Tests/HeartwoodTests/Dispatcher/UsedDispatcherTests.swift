import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A dispatcher and a logger that have lived through something behave as new ones.
@Suite(.inTurn) struct UsedDispatcherTests {
    private final class Bench {
        let scratch = Scratch()
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        var journal: String { scratch.path + "/journal" }

        init() { dispatcher.diagnostics.interval = .zero }

        func add() { dispatcher.add(logger, levels: .info) }

        func log(_ count: Int, _ level: LogLevel = .info) {
            for number in 0..<count { Heartwood.log("message \(number)", level: level, to: dispatcher) }
        }

        func round() -> [String] {
            let reports = Locked<[String]>([])
            dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
            let (known, before) = (logger.messages.count, logger.statistics)
            let (accepted, dropped) = (dispatcher.statistics.accepted, dispatcher.statistics.dropped)
            var story: [String] = []
            log(1)
            dispatcher.journal = LogJournal(directory: journal)
            if case .active = dispatcher.journalStatus { story.append("the journal is active") }
            add()
            log(3)
            log(1, .debug)
            log(1, .error)
            logInfo("to itself", metadata: ["n": 1], to: dispatcher)
            story.append("flushed \(dispatcher.flush(timeout: .testLimit).isComplete)")
            for _ in 0..<3 { logInfo("same", to: dispatcher) }
            story.append("journals \(scratch.names(journal).count)")
            dispatcher.remove(logger, timeout: .testLimit)
            dispatcher.journal = nil
            log(2)
            story.append("flushed \(dispatcher.flush(timeout: .testLimit).isComplete)")
            story.append("journals \(scratch.names(journal).count)")
            for message in logger.messages[known...] {
                story.append("\(message.level) \(message.text) \(message.metadata)")
            }
            let after = logger.statistics
            story.append(
                "received \(after.received - before.received), delivered \(after.delivered - before.delivered), "
                    + "filtered \(after.filtered - before.filtered), dropped \(after.dropped - before.dropped)"
            )
            story.append(
                "accepted \(dispatcher.statistics.accepted - accepted), dropped "
                    + "\(dispatcher.statistics.dropped - dropped)")
            return story + reports.withLock { $0 }
        }
    }

    @Test("Whatever a dispatcher and its logger have lived through, the next messages are as the first")
    func used() async throws {
        try await expectAsNew(
            { Bench() },
            after: [
                "a logger that stays until the end": { bench in
                    bench.add()
                    bench.log(2000)
                    bench.dispatcher.removeAll(timeout: .testLimit)
                },
                "other levels": { bench in
                    bench.dispatcher.levels = .error
                    bench.add()
                    bench.log(5)
                    bench.dispatcher.levels = .all
                    bench.dispatcher.remove(bench.logger, timeout: .testLimit)
                },
                "synchronous calls": { bench in
                    bench.dispatcher.synchronousLevels = .all
                    bench.add()
                    bench.log(5)
                    bench.dispatcher.synchronousLevels = .off
                    bench.dispatcher.remove(bench.logger, timeout: .testLimit)
                },
                "messages that were dropped": { bench in
                    let gate = Gate()
                    bench.add()
                    bench.logger.overflowPolicy = .dropNewest
                    bench.logger.backlogLimit = .kibibytes(8)
                    bench.logger.perform { gate.pass() }
                    bench.log(500)
                    bench.dispatcher.drainNow()
                    gate.open()
                    bench.dispatcher.remove(bench.logger, timeout: .testLimit)
                    bench.logger.overflowPolicy = .block(upTo: .milliseconds(250))
                    bench.logger.backlogLimit = .mebibytes(4)
                },
                "a flush and a removal that did not wait": { bench in
                    let gate = Gate()
                    bench.add()
                    bench.logger.perform { gate.pass() }
                    bench.log(5)
                    bench.dispatcher.flush(timeout: .zero)
                    let reports = Locked<[String]>([])
                    bench.dispatcher.diagnostics.handler = { report in
                        reports.withLock { $0.append(report.text) }
                    }
                    #expect(!bench.dispatcher.remove(bench.logger, timeout: .zero))
                    #expect(!bench.dispatcher.add(bench.logger))
                    #expect(reports.withLock { $0.last?.contains("is still being removed") } == true)
                    gate.open()
                    #expect(bench.logger.waitUntilIdle(timeout: .testLimit))
                },
                "repeated messages that were left out": { bench in
                    bench.logger.duplicateSuppression = DuplicateSuppression(interval: .seconds(60))
                    bench.add()
                    for _ in 0..<5 { logInfo("same", to: bench.dispatcher) }
                    bench.dispatcher.remove(bench.logger, timeout: .testLimit)
                    bench.logger.duplicateSuppression = nil
                },
                "a flight recorder": { bench in
                    bench.logger.flightRecorder = FlightRecorder()
                    bench.dispatcher.add(bench.logger, levels: .all)
                    bench.log(5, .debug)
                    bench.log(1, .error)
                    bench.log(5, .debug)
                    bench.dispatcher.remove(bench.logger, timeout: .testLimit)
                    bench.logger.flightRecorder = nil
                },
                "metadata, a filter and a formatter": { bench in
                    bench.dispatcher.metadata = ["m": 1]
                    bench.logger.filter = .contexts([7])
                    bench.logger.formatter = LogFormatter { _ in nil }
                    bench.add()
                    bench.log(5)
                    bench.dispatcher.remove(bench.logger, timeout: .testLimit)
                    bench.dispatcher.metadata = [:]
                    (bench.logger.filter, bench.logger.formatter) = (nil, nil)
                },
                "a journal that others removed": { bench in
                    bench.dispatcher.journal = LogJournal(directory: bench.journal)
                    let before = bench.dispatcher.journalStatus
                    try FileManager.default.removeItem(atPath: bench.journal)
                    bench.add()
                    waitUntil {
                        bench.log(1)
                        bench.dispatcher.flush(timeout: .testLimit)
                        return bench.dispatcher.journalStatus != before
                    }
                    bench.dispatcher.remove(bench.logger, timeout: .testLimit)
                    bench.dispatcher.journal = nil
                },
            ]
        ) { $0.round() }
    }
}
