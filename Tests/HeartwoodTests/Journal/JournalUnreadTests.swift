import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Journals of dead processes that cannot be opened for a while: a flush names them, and nothing is forgotten.
@Suite(.inTurn) struct JournalUnreadTests {
    /// What opens the journals of a fixture's dead process; fails as long as `isBroken` is true.
    private func openRecovery(
        _ fixture: JournalFixture, _ dispatcher: LogDispatcher, _ isBroken: Box<Bool>
    ) throws {
        let calls = SystemCalls { $0 == .open && isBroken.value ? .fails(EMFILE) : nil }
        let wasBroken = isBroken.value
        isBroken.value = false
        let directory = try Directory(fixture.next, calls: calls)
        isBroken.value = wasBroken
        let recovery = JournalRecovery(directory, dispatcher.diagnostics)
        dispatcher.consumer.drain.withLock { $0.recovery = recovery }
    }

    private func path(_ fixture: JournalFixture) throws -> String {
        fixture.next + "/" + (try #require(fixture.scratch.names(fixture.next).first))
    }

    @Test(
        "A journal that cannot be opened is named by each flush, and is delivered when it can be opened",
        arguments: [false, true])
    func cannotBeOpened(isListed: Bool) throws {
        let fixture = JournalFixture()
        try fixture.live([fixture.makeLogger()]) { dispatcher in
            for number in 0..<5 { logInfo("message \(number)", to: dispatcher) }
        }
        let dispatcher = fixture.makeDispatcher(fixture.scratch.path + "/own")
        let isBroken = Box(!isListed)
        try openRecovery(fixture, dispatcher, isBroken)
        isBroken.value = true
        dispatcher.add(try fixture.makeLogger())
        logInfo("of this run", to: dispatcher)
        for _ in 0..<2 {
            let result = dispatcher.flush(timeout: .testLimit)
            #expect(!result.isComplete && result.unfinished.isEmpty)
            #expect(result.journals == [try path(fixture)])
        }
        #expect(fixture.reports.value.contains { $0.text.contains("cannot read the journal") })
        isBroken.value = false
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fixture.lines() == ["of this run"] + (0..<5).map { "message \($0)" })
        #expect(fixture.scratch.names(fixture.next).isEmpty)
        dispatcher.removeAll(timeout: .testLimit)
        dispatcher.journal = nil
    }

    @Test("Where no journal can be made, each flush says so, and names what dead processes have left")
    func cannotBeMade() throws {
        let fixture = JournalFixture()
        try fixture.live([fixture.makeLogger()]) { dispatcher in logInfo("message", to: dispatcher) }
        // A journal's ring has 64 MiB at most.
        let dispatcher = fixture.makeDispatcher(fixture.next, ring: .mebibytes(128))
        dispatcher.add(try fixture.makeLogger())
        for round in 1...2 {
            let result = dispatcher.flush(timeout: .testLimit)
            #expect(!result.isComplete && result.unfinished.isEmpty)
            #expect(result.journals == [try path(fixture)])
            #expect(fixture.reports.value.count { $0.text.contains("no journal is in use") } == 1 + round)
        }
        dispatcher.journal = nil
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll(timeout: .testLimit)
        try fixture.recover([fixture.makeLogger()])
        #expect(fixture.lines() == ["message"])
    }

    @Test(
        "A journal of a dead process that is locked for a moment is not named, and is looked at again",
        arguments: [false, true])
    func locked(hasLivingNumber: Bool) throws {
        let fixture = JournalFixture()
        try fixture.live([fixture.makeLogger()]) { dispatcher in logInfo("message", to: dispatcher) }
        let path = try path(fixture)
        let file = open(path, O_RDWR | O_CLOEXEC)
        if !hasLivingNumber {
            // As if its process had been another one, which is dead.
            let size = try SystemCalls().status(file).size
            let base = try #require(MemoryMap.shared(file, size: size))
            var header = try JournalHeader(reading: UnsafeRawBufferPointer(start: base, count: size))
            header.processStart += 1
            header.write(to: base)
            munmap(base, size)
            #expect(flock(file, LOCK_EX) == 0)
        }
        let dispatcher = fixture.makeDispatcher(fixture.scratch.path + "/own")
        try openRecovery(fixture, dispatcher, Box(false))
        #expect(flock(file, LOCK_EX) == 0)
        dispatcher.add(try fixture.makeLogger())
        logInfo("of this run", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fixture.lines() == ["of this run"])
        // Children that other tests have forked may have the file open as well.
        #expect(flock(file, LOCK_UN) == 0 && close(file) == 0)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(fixture.lines() == ["of this run", "message"])
        dispatcher.removeAll(timeout: .testLimit)
        dispatcher.journal = nil
    }
}
