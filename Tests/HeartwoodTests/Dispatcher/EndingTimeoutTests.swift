import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(.disabled(if: Load.isSanitized, "a sanitizer takes signals over"), .inTurn)
struct EndingTimeoutTests {
    @Test("The flush before a signal takes effect may take as long as the program says, not five seconds")
    func timeout() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .signal(SIGTERM)) { [path = scratch.path as String] in
            alarm(300)
            final class Slow: StuckLogger, @unchecked Sendable {
                let path: String
                init(path: String) {
                    self.path = path
                    super.init(name: "slow", formatter: nil, queue: nil)
                }
                override func log(_ message: LogMessage) {
                    super.log(message)
                    try? message.text.write(toFile: path, atomically: true, encoding: .utf8)
                }
            }
            let dispatcher = LogDispatcher()
            let logger = Slow(path: path + "/line")
            dispatcher.add(logger)
            LogDispatcher.flushOnSignals([.term], timeout: .seconds(120))
            logInfo("late", to: dispatcher)
            logger.waitUntilStuck()
            // Longer than the usual limit, so that only the one that was set can explain the line.
            Thread.detachNewThread {
                usleep(6_500_000)
                logger.release()
            }
            kill(getpid(), SIGTERM)
            for _ in 0..<200 { sleep(1) }
            _exit(99)
        }
        #expect(try String(contentsOfFile: scratch.path + "/line", encoding: .utf8) == "late")
    }
}
