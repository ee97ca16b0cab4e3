import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What one user of a journal leaves to the next: a slot, or the messages of several processes.
@Suite(.inTurn) struct JournalReuseTests {
    @Test("A place in the journal that another logger had begins without what was missing there")
    func slots() throws {
        let scratch = Scratch()
        let file = try JournalFile(
            in: try LogDirectory(scratch.path + "/journal"), ringSize: 65_536, beginning: 0,
            now: LogTimestamp(nanoseconds: 0))
        for key in ["file:a", "file:a", "file:b"] {
            let slot = try #require(file.slot(for: key, levels: 7, from: 64))
            #expect(slot.index == 0 && slot.key == key)
            #expect(slot.lost == 0 && slot.done == 64 && slot.levels == 7)
            slot.lost = 5
            slot.acknowledge(128)
            slot.end()
            // The next one that needs a place gets this one: all others are taken.
            let others = (1..<JournalLayout.slotCount).map { JournalSlot(file.mapping, index: $0) }
            for other in others where !other.isInUse {
                other.begin(key: "file:x\(other.index)", levels: 1, from: 0)
            }
        }
    }

    @Test("What several dead processes have left is recovered in the order in which they lived")
    func order() throws {
        let fixture = JournalFixture()
        let runs = 6
        for run in 0..<runs {
            fixture.isFull.value = true
            try fixture.live([try fixture.makeLogger()]) { dispatcher in
                for number in 0..<3 { logInfo("run \(run) line \(number)", to: dispatcher) }
            }
        }
        #expect(fixture.scratch.names(fixture.next).count == runs)
        #expect(try fixture.recover([try fixture.makeLogger()]))
        #expect(
            fixture.lines() == (0..<runs).flatMap { run in (0..<3).map { "run \(run) line \($0)" } })
    }

    @Test("What a logger left that was removed and added again is recovered in the order of its two times")
    func addedAgain() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(RecordingLogger())
        for time in 0..<3 {
            let logger = try fixture.makeLogger()
            dispatcher.add(logger)
            for number in 0..<3 { logInfo("time \(time) line \(number)", to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
            if time < 2 { dispatcher.remove(logger, timeout: .testLimit) }
        }
        try fixture.die()
        fixture.end(dispatcher)
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(
            fixture.lines() == (0..<3).flatMap { time in (0..<3).map { "time \(time) line \($0)" } })
    }
}
