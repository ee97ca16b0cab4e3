import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What recovery makes of damage, and of journals that other processes are creating.
@Suite(.inTurn) struct JournalReaderTests {
    /// Changes the bytes of the only journal that a dead process has left.
    private func change(
        _ fixture: JournalFixture,
        _ change: (UnsafeMutableRawBufferPointer, JournalGeometry, [JournalReader.Place]) -> Void
    ) throws {
        let path = fixture.next + "/" + (try #require(fixture.scratch.names(fixture.next).first))
        var bytes = try #require(FileManager.default.contents(atPath: path))
        try bytes.withUnsafeMutableBytes { bytes in
            let header = try JournalHeader(reading: UnsafeRawBufferPointer(bytes))
            let places = try JournalReader(UnsafeRawBufferPointer(bytes), header).places
            change(bytes, header.geometry, places)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    @Test("The time of a record is computed from the clocks that were noted last, whole")
    func clocks() throws {
        let scratch = Scratch()
        let file = try JournalFile(
            in: try Directory(scratch.path + "/journal"), ringSize: 65_536,
            now: LogTimestamp(nanoseconds: 0))
        for number in 1...3 {
            let clock = JournalClock(
                ticks: UInt64(number), wall: 1000 * Int64(number), rate: Double(number) / 2)
            file.note(clock)
            #expect(try JournalReader(file.mapping.bytes, file.mapping.header).clock == clock)
        }
    }

    /// Leaves twenty messages that were not written.
    private func leave(_ fixture: JournalFixture) throws {
        let text = String(repeating: "x", count: 100)
        try fixture.live([fixture.makeLogger()]) { dispatcher in
            for number in 0..<20 { logInfo("message \(number) \(text)", to: dispatcher) }
        }
    }

    /// Leaves messages that were not written, which go over the ring's end, and whose beginning in the ring was written.
    private func leaveAroundEnd(_ fixture: JournalFixture) throws -> Int {
        let text = String(repeating: "x", count: 100)
        fixture.isFull.value = false
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(RecordingLogger())
        dispatcher.add(try fixture.makeLogger())
        for number in 0..<200 { logInfo("early \(number) \(text)", to: dispatcher) }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.drainNow()
        fixture.isFull.value = true
        let begin = dispatcher.ring.tail
        var count = 0
        while dispatcher.ring.tail / UInt64(dispatcher.ring.capacity) == begin
            / UInt64(dispatcher.ring.capacity)
        {
            logInfo("message \(count) \(text)", to: dispatcher)
            count += 1
        }
        dispatcher.flush(timeout: .testLimit)
        try fixture.die()
        fixture.end(dispatcher)
        return count
    }

    private func numbers(_ fixture: JournalFixture) -> [Int] {
        fixture.lines().filter { $0.hasPrefix("message") }.compactMap {
            $0.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
    }

    @Test(
        "What looks like the end of the ring inside of a damaged record hides no record after it",
        arguments: [RecordView.Kind.filler, .control])
    func plantedInDamage(kind: RecordView.Kind) throws {
        let fixture = JournalFixture()
        let count = try leaveAroundEnd(fixture)
        try change(fixture) { bytes, geometry, places in
            let start = geometry.offset(of: places[3].position)
            bytes.storeBytes(of: 0, toByteOffset: start, as: UInt64.self)
            let inside = start + RecordView.header + 8
            // A filler reaches to the ring's end; a control of two words would lead into the middle of the next record.
            let size = kind == .filler ? geometry.fileSize - inside : 16
            bytes.storeBytes(
                of: UInt64(size) | kind.rawValue << 32, toByteOffset: inside, as: UInt64.self)
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(count > 20 && numbers(fixture) == (0..<count).filter { $0 != 3 })
    }

    @Test("Damage in front of what a logger has written is not told to it")
    func damageBefore() throws {
        let fixture = JournalFixture()
        try leave(fixture)
        try change(fixture) { bytes, geometry, places in
            for number in [2, 12] {
                let start = geometry.offset(of: places[number].position)
                bytes.storeBytes(of: 0, toByteOffset: start, as: UInt64.self)
            }
            bytes.storeBytes(
                of: places[10].position, toByteOffset: geometry.slot(0) + JournalLayout.Slot.done,
                as: UInt64.self)
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(numbers(fixture) == (10..<20).filter { $0 != 12 })
        let note = try #require(fixture.lines(withNotes: true).first { $0.contains("recovered ") })
        #expect(note.contains("recovered 9 messages") && note.contains("; 1 was not complete"))
    }

    /// Leaves ten messages that were passed on to the logger, and more that were only published.
    private func leavePartlyPassedOn(_ fixture: JournalFixture, publishing count: Int = 10) throws {
        let dispatcher = fixture.makeDispatcher()
        dispatcher.add(RecordingLogger())
        dispatcher.add(try fixture.makeLogger())
        for number in 0..<10 { logInfo("message \(number) early", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        // What runs on the queue may still take messages, until it ends.
        dispatcher.consumer.queue.sync {}
        dispatcher.consumer.queue.suspend()
        for number in 10..<10 + count { logInfo("message \(number) late", to: dispatcher) }
        try fixture.die()
        dispatcher.consumer.queue.resume()
        fixture.end(dispatcher)
    }

    @Test(
        "What was published is recovered, whether it was passed on or not, also after a restart of the machine",
        arguments: [true, false])
    func onlyPublished(isOfThisBoot: Bool) throws {
        let fixture = JournalFixture()
        try leavePartlyPassedOn(fixture)
        try change(fixture) { bytes, _, places in
            #expect(places.map { $0.decision != nil } == (0..<20).map { $0 < 10 })
            guard !isOfThisBoot, let base = bytes.baseAddress,
                var header = try? JournalHeader(reading: UnsafeRawBufferPointer(bytes))
            else { return }
            header.boot[3] ^= 0x10
            header.write(to: base)
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(numbers(fixture) == Array(0..<20))
    }

    @Test("A record with a missing page is rejected, even if it was not passed on")
    func onePageMissing() throws {
        let fixture = JournalFixture()
        try leavePartlyPassedOn(fixture, publishing: 200)
        var missing: [Int] = []
        try change(fixture) { bytes, geometry, places in
            #expect(places.count == 210)
            for (number, place) in places.enumerated() {
                let start = geometry.offset(of: place.position)
                let page = (start / 4096 + 1) * 4096
                // Of the text, which is at the end, something must be on the second page.
                guard number >= 10, page < start + place.size - 8 else { continue }
                missing.append(number)
                for index in page..<start + place.size { bytes[index] = 0 }
            }
        }
        #expect(missing.count > 3)
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(numbers(fixture) == (0..<210).filter { !missing.contains($0) })
        let note = try #require(fixture.lines(withNotes: true).first { $0.contains("recovered ") })
        #expect(note.contains("; \(missing.count) were not complete"))
    }

    @Test("A record whose size extends over the next record does not hide it")
    func wrongSize() throws {
        let fixture = JournalFixture()
        try leavePartlyPassedOn(fixture)
        try change(fixture) { bytes, geometry, places in
            for number in [3, 15] {
                let start = geometry.offset(of: places[number].position)
                let size = UInt32(places[number].size + places[number + 1].size)
                bytes.storeBytes(of: size, toByteOffset: start, as: UInt32.self)
            }
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(numbers(fixture) == (0..<20).filter { $0 != 3 && $0 != 15 })
    }

    @Test("A record copied from another position is rejected, whether it was passed on or not")
    func elsewhere() throws {
        let fixture = JournalFixture()
        try leavePartlyPassedOn(fixture)
        try change(fixture) { bytes, geometry, places in
            func record(_ number: Int) -> Range<Int> {
                let start = geometry.offset(of: places[number].position)
                return start..<start + places[number].size
            }
            for (from, to) in [(2, 5), (12, 15)] {
                #expect(record(from).count == record(to).count)
                for (source, target) in zip(record(from), record(to)) { bytes[target] = bytes[source] }
            }
        }
        #expect(try fixture.recover([fixture.makeLogger()]))
        #expect(numbers(fixture) == (0..<20).filter { $0 != 5 && $0 != 15 })
    }

    @Test(
        "A journal that another process is creating is left alone; one that nobody creates any more is removed"
    )
    func unfinished() throws {
        let fixture = JournalFixture()
        try leave(fixture)
        let path = fixture.next + "/9-9" + JournalMapping.suffix + JournalMapping.unfinished
        let file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        #expect(file >= 0 && flock(file, LOCK_EX) == 0)
        let directory = try Directory(fixture.next)
        let diagnostics = LogDispatcher.forTest().diagnostics
        for isLocked in [true, false] {
            // Children that other tests have forked may have the file open as well.
            if !isLocked { #expect(flock(file, LOCK_UN) == 0 && close(file) == 0) }
            _ = JournalLeftovers(directory, diagnostics)
            #expect(FileManager.default.fileExists(atPath: path) == isLocked)
        }
    }
}
