import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// Programs that record a few events and end at once, with the defaults.
@Suite("Events of short programs", .inTurn) struct ShortRunTests {
    @Test(
        "Runs of 0.2 s, 20 of them in the second tier, deliver every event, and none twice",
        arguments: [true, false])
    func shortRuns(isScoped: Bool) async throws {
        let fixture = try Fixture(then: .ok.delayed(by: .milliseconds(50)))
        let (path, address) = (fixture.path, fixture.server.address)
        let runs = Tier.amount(3, full: 20)
        for run in 0..<runs {
            await #expect(processExitsWith: .exitCode(0)) {
                [
                    path = path as String, address = address as String, run = run as Int,
                    isScoped = isScoped as Bool
                ] in
                let store = try EventStore(address, directory: path)
                let log = try AuditLog(store)
                store.foldsReads = false
                let scope = log.beginScope(activity: "\(run)")
                for number in 0..<3 {
                    if isScoped {
                        scope.record(read: Note(id: run * 3 + number, text: ""))
                    } else {
                        log.recordEvent(activity: "\(run)", data: #"[{"id":\#(run * 3 + number)}]"#)
                    }
                }
                try scope.commit()
                usleep(200_000)
                exit(0)
            }
        }
        // What the last runs' ends did not wait for comes with the next start.
        let last = try fixture.store()
        #expect(await last.deliver(timeout: .testLimit))
        let text = fixture.server.stored.map(\.text).joined()
        let numbers = text.matches(of: /\\?"id\\?":(\d+)/).compactMap { Int($0.1) }
        #expect(numbers.sorted() == Array(0..<runs * 3))
    }

    @Test(
        "A store that is released just before the end of the program sends its events",
        arguments: [true, false])
    func released(isScoped: Bool) async throws {
        let fixture = try Fixture(then: .ok.delayed(by: .milliseconds(50)))
        let (path, address) = (fixture.path, fixture.server.address)
        for run in 0..<3 {
            await #expect(processExitsWith: .exitCode(0)) {
                [
                    path = path as String, address = address as String, run = run as Int,
                    isScoped = isScoped as Bool
                ] in
                func record() throws {
                    let log = try AuditLog(EventStore(address, directory: path))
                    // Long enough for any machine: it ends with the answer.
                    log.store.uploader.exitWait = .seconds(60)
                    if isScoped {
                        let scope = log.beginScope(activity: "run \(run)")
                        scope.record(read: Note(id: run, text: ""))
                        try scope.commit()
                    } else {
                        log.recordEvent(activity: "run \(run)")
                    }
                    // So that nothing but this function holds the store.
                    log.store.flush(timeout: .testLimit)
                }
                try record()
                exit(0)
            }
            #expect(fixture.server.stored.count == run + 1)
        }
    }

    @Test("A store that is released without a wish to wait sends nothing, and keeps its events")
    func releasedAtOnce() throws {
        let fixture = try Fixture()
        func record() throws {
            let store = try fixture.store()
            store.uploader.exitWait = .zero
            try AuditLog(store).recordEvent(activity: "kept")
            #expect(store.flush(timeout: .testLimit))
        }
        try record()
        #expect(fixture.server.requests.isEmpty)
        #expect(try fixture.stored().count == 1)
    }

    @Test("A program that ends right after its events waits for the server to take them")
    func endsAtOnce() async throws {
        let fixture = try Fixture(then: .ok.delayed(by: .milliseconds(50)))
        let (path, address) = (fixture.path, fixture.server.address)
        for run in 0..<10 {
            await #expect(processExitsWith: .exitCode(0)) {
                [path = path as String, address = address as String, run = run as Int] in
                let log = try AuditLog(EventStore(address, directory: path))
                log.recordEvent(activity: "run \(run)")
                exit(0)
            }
        }
        // A busy machine may take longer than the second that the end waits.
        #expect(fixture.server.stored.count >= 5)
    }
}
