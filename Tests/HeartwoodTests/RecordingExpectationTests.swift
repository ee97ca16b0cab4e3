import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Expectations of recorded messages", .inTurn)
struct RecordingExpectationTests {
    private static let storage = LogCategory("storage")

    private func start() -> (LogDispatcher, RecordingLogger) {
        let (dispatcher, recorder) = (LogDispatcher.forTest(), RecordingLogger())
        dispatcher.add(recorder)
        return (dispatcher, recorder)
    }

    /// The text of the mismatch that `body` throws; nil where it throws none.
    private func mismatch(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return "\(error)" }
    }

    @Test("What was logged is found, without a flush")
    func found() throws {
        let (dispatcher, recorder) = start()
        logError(
            "the disk is full: \(17, as: "free")", category: Self.storage, metadata: ["retry": true],
            to: dispatcher)
        logInfo("retry 1", to: dispatcher)
        logInfo("retry 2 for \("ann", privacy: .private)", to: dispatcher)
        let found = try recorder.expect(.error, containing: "disk", category: Self.storage)
        #expect(found.map(\.text) == ["the disk is full: 17"])
        try recorder.expect(count: 2, .info, containing: "retry")
        try recorder.expect(count: 0, .fatal)
        try recorder.expect(with: ["free": 17, "retry": true])
        try recorder.expect(containing: "ann")
        try recorder.expectNone(above: .error)
        try recorder.expectNone(above: .warning, category: .default)
        try recorder.expectNone(.debug)
        try recorder.expectNone(containing: "tape", category: Self.storage)
        try recorder.expectOrder("disk", "retry 1", "retry 2")
        try recorder.expectOrder()
    }

    @Test("What is missing or too much is told, with all that was recorded")
    func mismatches() throws {
        let (dispatcher, recorder) = start()
        #expect(
            mismatch { try recorder.expect(.error, file: "A/B.swift", line: 7) }
                == "expected [error], found none [A/B.swift:7]\nnothing was recorded")
        logError("the disk\nis full", category: Self.storage, metadata: ["n": 1], to: dispatcher)
        let line = #line - 1
        logInfo("ok", to: dispatcher)
        let listing = """
            recorded:
              1. error [storage] the disk\\nis full {n=1}  RecordingExpectationTests:\(line)
              2. info ok  RecordingExpectationTests:\(line + 2)
            """
        #expect(
            mismatch {
                try recorder.expect(
                    .error, containing: "tape", category: Self.storage, with: ["a": 1], file: "F", line: 1)
            } == "expected [error] of “storage” containing “tape” with a=1, found none [F:1]\n\(listing)")
        #expect(
            mismatch { try recorder.expect(count: 2, containing: "o", file: "F", line: 1) }
                == "expected 2 × any level containing “o”, found 1 [F:1]\n\(listing)")
        #expect(
            mismatch { try recorder.expectNone(above: .warning, file: "F", line: 1) }
                == "expected no level above warning, found 1 [F:1]\n\(listing)")
        #expect(
            mismatch { try recorder.expectNone(containing: "ok", file: "F", line: 1) }
                == "expected no any level containing “ok”, found 1 [F:1]\n\(listing)")
        #expect(
            mismatch { try recorder.expectOrder("ok", "disk", file: "F", line: 1) }
                == "expected “disk” after “ok”, found none [F:1]\n\(listing)")
        #expect(mismatch { try recorder.expect(with: ["n": 2]) } != nil)
        #expect(mismatch { try recorder.expect(category: .default, with: ["n": 1]) } != nil)
        for index in 0..<200 { logInfo("\(index)", to: dispatcher) }
        let long = try #require(mismatch { try recorder.expect(.fatal) })
        #expect(long.contains("\n  … 102 more before these\n  103. info 100  "))
        #expect(long.contains("\n  202. info 199  "))
    }

    @Test("A level that is not there, and what the dispatcher says of itself, does not count")
    func framework() throws {
        let (dispatcher, recorder) = start()
        recorder.flightRecorder = FlightRecorder()
        logDebug("held", to: dispatcher)
        logError("error", to: dispatcher)
        try recorder.expectNone(.notice)
        try recorder.expect(count: 2)
    }

    @Test("A message is waited for, and those count that are there")
    func waiting() async throws {
        let (dispatcher, recorder) = start()
        logInfo("one", to: dispatcher)
        Thread.detachNewThread {
            for index in 0..<50 {
                sched_yield()
                logInfo("saved \(index)", to: dispatcher)
            }
        }
        try await recorder.waitFor(.info, containing: "one", within: .seconds(600))
        let found = try await recorder.waitFor(containing: "saved", count: 50, within: .seconds(600))
        #expect(found.map(\.text) == (0..<50).map { "saved \($0)" })
        recorder.removeRecords()
        await #expect(throws: RecordingMismatch.self) {
            try await recorder.waitFor(containing: "saved", within: .milliseconds(20))
        }
    }

    @Test("A wait that is in vain ends with the reason; one that is cancelled ends at once")
    func inVain() async throws {
        let (dispatcher, recorder) = start()
        logInfo("other", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        do {
            try await recorder.waitFor(.error, within: .milliseconds(50), file: "F", line: 1)
            Issue.record("it did not throw")
        } catch let error as RecordingMismatch {
            #expect(error.reason == "expected 1 × [error] within 0.05 seconds, found 0")
            #expect(error.messages.map(\.text) == ["other"])
        }
        let task = Task { try await recorder.waitFor(.error, within: .seconds(3600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
