import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What one user of a journal leaves to the next: a slot, or the messages of several processes.
@Suite(.inTurn) struct JournalReuseTests {
    private struct Bench {
        let scratch = Scratch()
        let file: JournalFile

        init() throws {
            file = try JournalFile(
                in: try Directory(scratch.path + "/journal"), ringSize: 65_536, beginning: 0,
                now: LogTimestamp(nanoseconds: 0))
        }

        /// Has a slot used, and all others taken, so that the next logger gets it again.
        func use(_ key: String, _ body: (JournalSlot) -> Void) throws {
            let slot = try #require(file.slot(for: key, levels: 9, from: 32))
            body(slot)
            slot.end()
            for other in (0..<JournalLayout.slotCount).map({ JournalSlot(file.mapping, index: $0) })
            where !other.isKnown { other.begin(key: "file:x\(other.index)", levels: 1, from: 0) }
        }

        func intend(_ slot: JournalSlot, _ name: String, _ lines: [String], from mark: UInt64) {
            let bytes = Array(lines.joined().utf8)
            var ends: [Int] = []
            for line in lines { ends.append((ends.last ?? 0) + line.utf8.count) }
            let marks = lines.indices.map { mark + 64 * UInt64($0) }
            bytes.withUnsafeBytes {
                slot.intend(
                    .init(device: 1, inode: 2), name, size: 10, $0, from: 0, ends: ends[...],
                    marks: marks[...])
            }
        }

        func round() throws -> [String] {
            guard let slot = file.slot(for: "file:b", levels: 7, from: 64) else { return ["no slot"] }
            var story: [String] = []
            func note(_ what: String) {
                story.append(
                    "\(what): \(slot.index) \(slot.key), levels \(slot.levels), lost \(slot.lost), done "
                        + "\(slot.done), pushed \(slot.pushed), lagging \(slot.isLagging), in use "
                        + "\(slot.isInUse), known \(slot.isKnown), intent "
                        + "\(slot.intent(near: 64).map { "\($0)" } ?? "none")")
            }
            note("taken")
            intend(slot, "t.log", ["one\n", "line two\n"], from: 128)
            note("writing")
            slot.settle(upTo: 192)
            note("written")
            (slot.lost, slot.levels) = (3, 1)
            note("changed")
            slot.end()
            note("ended")
            return story
        }
    }

    @Test("A place in the journal that another logger had begins without what was missing there")
    func slots() async throws {
        try await expectAsNew(
            { try Bench() },
            after: [
                "the same logger": { try $0.use("file:b") { $0.lost = 5 } },
                "another logger with a longer name": { bench in
                    try bench.use("file:another one") { slot in
                        (slot.lost, slot.levels) = (5, 3)
                        slot.acknowledge(4096)
                    }
                },
                "a logger that ended while it was writing": { bench in
                    try bench.use("file:a") { slot in
                        bench.intend(slot, "long name.log", ["1\n", "2\n", "3\n"], from: 256)
                    }
                },
                "a logger that was too slow": { bench in
                    try bench.use("file:a") { ($0.isLagging, $0.pushed) = (true, 512) }
                },
            ]
        ) { try $0.round() }
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

    @Test("A journal that was left for another one is recovered as it was then, with nothing missing")
    func left() throws {
        let fixture = JournalFixture()
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(try fixture.makeLogger())
        // So many before that old ones are all around in the ring.
        fixture.isFull.value = false
        for number in 0..<2000 { logInfo("line \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        fixture.isFull.value = true
        for number in 2000..<2003 { logInfo("line \(number)", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        dispatcher.journal = LogJournal(directory: fixture.scratch.path + "/other")
        try fixture.die()
        fixture.end(dispatcher)
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(fixture.lines() == (0..<2003).map { "line \($0)" })
        let note = fixture.lines(withNotes: true).first { $0.hasPrefix("recovered") }
        #expect(
            note?.hasPrefix("recovered 3 messages") == true && note?.contains(";") == false, "\(note ?? "")")
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
