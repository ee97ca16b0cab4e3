import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// What is done again later, or not at all: processors that fail, exports that cannot be finished.
@Suite(.inTurn) struct ProcessorDelayTests {
    private let scratch = Scratch()
    private let clock = ManualClock()

    @Test("A processor that fails is asked again after its own delay") func delay() async throws {
        final class Failing: LogArchiveProcessor, @unchecked Sendable {
            let calls = Locked(0)
            override var retryDelay: Duration { .seconds(7) }
            override func process(_ file: LogFileInfo) throws -> Outcome {
                calls.withLock { $0 += 1 }
                throw LogError(.network, "not now")
            }
        }
        let failing = Failing()
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        logger.archiveProcessor = failing
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        logInfo("line", to: dispatcher)
        await logger.rollNow()
        await dispatcher.flush(timeout: .testLimit)
        logger.archiver.drain()
        for attempt in 1...3 {
            #expect(failing.calls.withLock { $0 } == attempt)
            clock.advance(by: .seconds(6))
            logger.archiver.drain()
            #expect(failing.calls.withLock { $0 } == attempt)
            clock.advance(by: .seconds(1))
            logger.archiver.drain()
        }
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test("An export that cannot be finished leaves no file behind") func export() async throws {
        scratch.write("2026-01-01 10:00:00.000Z info a\n", to: "a.log")
        // The next one is encrypted, and there is no key.
        let frame = EncryptedFrame.magic + [UInt8](repeating: 0, count: 100)
        _ = FileManager.default.createFile(atPath: scratch.logs + "/b.log", contents: Data(frame))
        let target = scratch.path + "/out.txt"
        await #expect(throws: LogError.self) {
            try await LogFileReader(directory: scratch.logs).export(to: target)
        }
        #expect(!FileManager.default.fileExists(atPath: target))
    }
}
