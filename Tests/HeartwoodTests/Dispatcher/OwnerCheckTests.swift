import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

// Only debug builds check.
#if DEBUG
@Suite("What a thread owns is checked at its entrances", .inTurn) struct OwnerCheckTests {
    /// An entrance that only the thread that runs the logger may use.
    enum HookEntrance: String, CaseIterable, Codable {
        case failure, filtered, pending, mark, settled, patience, output, recovery, flush, progress

        func use(_ logger: AbstractLogger) {
            switch self {
            case .failure: logger.reportFailure("a reason")
            case .filtered: logger.countFiltered()
            case .pending: logger.reportPending()
            case .mark: _ = logger.journalMark
            case .settled: logger.noteSettled()
            case .patience: _ = logger.node.runner.readerPatience
            case .output: logger.node.runner.leaveOutputToQueue()
            case .recovery: logger.node.recovery.tryAgain(1) {}
            case .flush: _ = logger.node.flush()
            case .progress: logger.noteProgress()
            }
        }
    }

    @Test(
        "A method for hooks that is called outside of the logger's hooks ends the program",
        arguments: HookEntrance.allCases)
    func outsideOfHooks(entrance: HookEntrance) async {
        await #expect(processExitsWith: .failure) { [entrance = entrance as HookEntrance] in
            let dispatcher = LogDispatcher()
            let logger = AbstractLogger()
            dispatcher.add(logger)
            dispatcher.flush(timeout: .testLimit)
            entrance.use(logger)
        }
    }

    @Test("A hook of one logger may not use what another logger's hooks own")
    func otherLogger() async {
        await #expect(processExitsWith: .failure) {
            final class Meddler: AbstractLogger, @unchecked Sendable {
                let other: AbstractLogger
                init(_ other: AbstractLogger) {
                    self.other = other
                    super.init()
                }
                override func log(_ message: LogMessage) { other.countFiltered() }
            }
            let dispatcher = LogDispatcher()
            let other = AbstractLogger()
            dispatcher.add(other)
            dispatcher.add(Meddler(other))
            log("a message", level: .fatal, to: dispatcher)
        }
    }

    @Test(
        "What is called on a logger that belongs to no dispatcher is not checked: a test may call its hooks")
    func unattached() {
        let logger = AbstractLogger()
        for entrance in HookEntrance.allCases { entrance.use(logger) }
        #expect(logger.statistics.failed == 0)
    }

    @Test("In the hooks of the logger every entrance is open", arguments: HookEntrance.allCases)
    func insideOfHooks(entrance: HookEntrance) async {
        await #expect(processExitsWith: .exitCode(7)) { [entrance = entrance as HookEntrance] in
            let dispatcher = LogDispatcher()
            let logger = AbstractLogger()
            dispatcher.add(logger)
            logger.perform { entrance.use(logger) }
            dispatcher.flush(timeout: .testLimit)
            exit(7)
        }
    }

    /// What only the ring's consumer may do.
    enum ConsumerEntrance: String, CaseIterable, Codable {
        case record, consume, free, count, cut, close

        func use(_ ring: RecordRing) {
            switch self {
            case .record: _ = ring.record(at: 0)
            case .consume: ring.consume(upTo: 0)
            case .free: ring.free(upTo: 0)
            case .count: _ = ring.countMessages(from: 0, to: 0, for: 0)
            case .cut: _ = ring.isCut
            case .close: _ = ring.close()
            }
        }
    }

    @Test(
        "Consuming the ring without the drain's lock ends the program, and with it does not",
        arguments: ConsumerEntrance.allCases)
    func withoutLock(entrance: ConsumerEntrance) async {
        await #expect(processExitsWith: .failure) { [entrance = entrance as ConsumerEntrance] in
            entrance.use(LogDispatcher().ring)
        }
        await #expect(processExitsWith: .exitCode(7)) { [entrance = entrance as ConsumerEntrance] in
            let dispatcher = LogDispatcher()
            dispatcher.consumer.drain.withLock { _ in entrance.use(dispatcher.ring) }
            exit(7)
        }
    }
}
#endif
