import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A journal with a key: nothing that was logged is in its files in clear, and all of it is recovered with the key alone.
@Suite(.inTurn) struct JournalSecretTests {
    private static let other = FixedKey(text: String(repeating: "0e", count: 32))

    /// All bytes of a directory's files, as text.
    private func content(_ fixture: JournalFixture, _ directory: String) throws -> String {
        try fixture.scratch.names(directory).map { name in
            let data = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
            return String(decoding: data, as: UTF8.self)
        }.joined()
    }

    /// What a run that dies leaves: small messages, values, one that crosses pages, and a large one; several rounds of the
    /// ring have been written before.
    private func live(_ fixture: JournalFixture) throws -> [String] {
        let dispatcher = fixture.makeDispatcher(key: FixedKey())
        fixture.isFull.value = false
        dispatcher.add(try fixture.makeLogger())
        let padding = String(repeating: "secret ", count: 30)
        for number in 0..<2000 { logInfo("written \(number) \(padding)", to: dispatcher) }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        fixture.isFull.value = true
        let long = String(repeating: "secret ", count: 5_000)
        for number in 0..<50 {
            logInfo("left \(number) \(padding)", metadata: ["a": "secret"], to: dispatcher)
        }
        logInfo("left \(long)", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        // What the drain has not reached.
        dispatcher.consumer.queue.suspend()
        logInfo("the last secret", to: dispatcher)
        try fixture.die()
        dispatcher.consumer.queue.resume()
        fixture.end(dispatcher)
        return (0..<50).map { "left \($0) \(padding)" } + ["left \(long)", "the last secret"]
    }

    private func recover(_ fixture: JournalFixture, _ key: FixedKey?) throws -> Bool {
        let dispatcher = fixture.makeDispatcher(fixture.next, key: key)
        let logger = try fixture.makeLogger()
        logger.maximumMessageSize = nil
        dispatcher.add(logger)
        let result = dispatcher.flush(timeout: .testLimit)
        dispatcher.removeAll(timeout: .testLimit)
        dispatcher.journal = nil
        return result.isComplete
    }

    @Test("Nothing that was logged is in the files of a journal with a key; with it, all is recovered")
    func recovered() throws {
        let fixture = JournalFixture()
        let left = try live(fixture)
        #expect(fixture.scratch.names(fixture.next).contains { $0.hasSuffix(".large") })
        let text = try content(fixture, fixture.next)
        // Not the single words: names of source files and categories, other tests' too, are in clear.
        for clear in ["secret secret", "last secret", "left 1"] { #expect(!text.contains(clear)) }
        #expect(text.contains("HWJOURN1"))
        let written = fixture.lines().count
        #expect(try recover(fixture, FixedKey()))
        #expect(Array(fixture.lines().dropFirst(written)) == left)
        #expect(fixture.scratch.names(fixture.next).isEmpty)
    }

    @Test(
        "Without the key, or with another, a journal stays, is named, and is recovered when the key is there")
    func withoutKey() throws {
        let fixture = JournalFixture()
        let left = try live(fixture)
        let written = fixture.lines().count
        for key in [nil, Self.other] {
            #expect(try !recover(fixture, key))
            #expect(fixture.lines().count == written)
        }
        #expect(fixture.reports.value.contains { $0.text.contains("set the key that it was made with") })
        #expect(fixture.reports.value.contains { $0.text.contains("encrypted with another key") })
        #expect(try recover(fixture, FixedKey()))
        #expect(Array(fixture.lines().dropFirst(written)) == left)
    }

    @Test("A key that cannot be one leaves the process without a journal, which the status says")
    func badKey() {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher(key: FixedKey(text: "short"))
        guard case .unavailable(let reason) = dispatcher.journalStatus else {
            Issue.record("\(dispatcher.journalStatus)")
            return
        }
        #expect(reason.code == .secret && fixture.scratch.names(fixture.journal).isEmpty)
    }

    @Test("A journal with a key that is cut, or changed for one without, delivers what its loggers still get")
    func changed() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher(key: FixedKey())
        let logger = RecordingLogger()
        dispatcher.add(logger)
        dispatcher.flush(timeout: .testLimit)
        dispatcher.consumer.queue.suspend()
        defer { dispatcher.consumer.queue.resume() }
        var expected: [String] = []
        func log(_ text: String) {
            for number in 0..<20 {
                logInfo("\(text) \(number)", to: dispatcher)
                expected.append("\(text) \(number)")
            }
        }
        log("first")
        let before = dispatcher.journalStatus
        #expect(dispatcher.consumer.drain.withLock { _ in dispatcher.ring.leaveFile() })
        dispatcher.drainNow()
        waitUntil { dispatcher.journalStatus != before }
        log("second")
        dispatcher.journal = .file(fixture.scratch.path + "/plain")
        log("third")
        dispatcher.journal = .file(fixture.journal, key: FixedKey())
        log("fourth")
        dispatcher.journal = nil
        log("fifth")
        dispatcher.drainNow()
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(logger.messages.map { "\($0.text)" } == expected)
    }
}
