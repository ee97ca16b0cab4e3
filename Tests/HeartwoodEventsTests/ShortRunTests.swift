import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodTestSupport
import Testing

/// Programs that record a few events and end at once, with the defaults.
@Suite("Events of short programs") struct ShortRunTests {
    @Test("20 runs of 0.2 s deliver every event, and none twice", arguments: [true, false])
    func shortRuns(isScoped: Bool) async throws {
        let fixture = try Fixture(then: .ok.delayed(by: .milliseconds(50)))
        let (path, address) = (fixture.path, fixture.server.address)
        for run in 0..<20 {
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
        #expect(await last.deliver(timeout: .seconds(60)))
        let text = fixture.server.stored.map(\.text).joined()
        let numbers = text.matches(of: /\\?"id\\?":(\d+)/).compactMap { Int($0.1) }
        #expect(numbers.sorted() == Array(0..<60))
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
