import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What a journal says at its end: the signal, and what was released before it was written.
@Suite(.inTurn) struct JournalLastWordsTests {
    @Test(
        "The message of a fatal signal comes once, also when the recovery that brought it died right afterwards",
        arguments: [false, true])
    func signalOnce(hasCome: Bool) throws {
        let fixture = JournalFixture()
        try fixture.live([fixture.makeLogger()]) { dispatcher in
            for number in 0..<5 { logInfo("message \(number)", to: dispatcher) }
        }
        let path = fixture.next + "/" + (try #require(fixture.scratch.names(fixture.next).first))
        var bytes = try #require(FileManager.default.contents(atPath: path))
        try bytes.withUnsafeMutableBytes { bytes in
            let header = try JournalHeader(reading: UnsafeRawBufferPointer(bytes))
            let geometry = header.geometry
            let tail = bytes.load(
                fromByteOffset: geometry.counters + JournalLayout.Counters.tail, as: UInt64.self)
            // As the handler leaves it: that it is there, number, code, address, thread, time.
            let signal: [UInt64] = [1, UInt64(SIGSEGV), 1, 0x10, 7, 1_767_225_600_000_000_000]
            for (index, word) in signal.enumerated() {
                let place = geometry.marks + JournalLayout.Marks.signal + 8 * index
                bytes.storeBytes(of: word, toByteOffset: place, as: UInt64.self)
            }
            // The logger has everything, and perhaps the last message, whose mark is the one after the tail.
            bytes.storeBytes(
                of: hasCome ? tail + 8 : tail, toByteOffset: geometry.slot(0) + JournalLayout.Slot.done,
                as: UInt64.self)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(try fixture.recover([fixture.makeLogger()]))
        let told = "the process was terminated by SIGSEGV at address 0x10"
        #expect(fixture.lines() == (hasCome ? [] : [told]))
        #expect(fixture.scratch.names(fixture.next).isEmpty)
    }

    @Test(
        "What the journal has released is counted as failed where its logger is removed before it could be written"
    )
    func releasedAndRemoved() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        // The journal releases records, so that none is dropped at the ring.
        dispatcher.overflowPolicy = .block(upTo: .milliseconds(1))
        let logger = try fixture.makeLogger()
        logger.waitingLimit = .mebibytes(8)
        dispatcher.add(logger)
        let text = String(repeating: "x", count: 200)
        for number in 0..<1000 { logInfo("message \(number) \(text)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        #expect(fixture.reports.value.contains { $0.text.contains("the journal released") })
        #expect(logger.statistics.delivered == 0 && logger.statistics.waiting == 1000)
        #expect(dispatcher.remove(logger, timeout: .testLimit))
        let statistics = logger.statistics
        #expect(
            statistics.isBalanced && statistics.delivered == 0 && statistics.failed == 1000, "\(statistics)")
        fixture.end(dispatcher)
    }
}
