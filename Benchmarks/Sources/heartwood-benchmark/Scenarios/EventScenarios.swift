import Foundation
import HeartwoodEvents
import HeartwoodHTTP
import Heartwood

/// What a single read in a scope costs, with 1,000, 30,000 and 1,000,000 of them: the same, where nothing is copied.
struct EventReadsScenario: Scenario {
    let name = "event-reads"
    let unit = "ns/read"

    private struct Order: EventObject {
        var id: Int
        var text: String
    }

    func run() throws -> [Measurement] {
        try [1000, 30_000, 1_000_000].map { count in
            Measurement(part: "\(count)", value: try measure(count))
        }
    }

    private func measure(_ count: Int) throws -> Double {
        try withTemporaryDirectory { path in
            let store = try EventStore("http://127.0.0.1:1/", directory: path, dispatcher: LogDispatcher())
            store.uploader.isPaused = true
            store.uploader.exitWait = .zero
            defer { store.close() }
            let scope = try AuditLog(store).beginScope(activity: "reading")
            let start = now()
            for number in 0..<count { scope.record(read: Order(id: number, text: "an order")) }
            let nanoseconds = Double(now() - start) / Double(count)
            try scope.commit()
            try check(store.flush(timeout: .seconds(60)), "the events are not stored")
            try check(store.uploader.httpStatistics.stored > 0, "there are no events")
            return nanoseconds
        }
    }
}
