import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

// Only debug builds check.
#if DEBUG
@Suite("The delivery belongs to its logger's hooks", .inTurn)
struct DeliveryOwnerTests {
    @Test("A use outside of the logger's hooks ends the program")
    func outside() async throws {
        await #expect(processExitsWith: .failure) {
            let dispatcher = LogDispatcher()
            let logger = try HTTPLogger("https://logs.example.org")
            dispatcher.add(logger)
            dispatcher.flush(timeout: .testLimit)
            logger.runtime.shell.save()
        }
    }

    @Test("A hook may use it, and so may a test of a logger that no dispatcher has")
    func inside() async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            let dispatcher = LogDispatcher()
            let logger = try HTTPLogger("https://logs.example.org")
            logger.runtime.shell.save()
            dispatcher.add(logger)
            logger.perform { logger.runtime.shell.save() }
            dispatcher.flush(timeout: .testLimit)
            exit(7)
        }
    }
}
#endif
