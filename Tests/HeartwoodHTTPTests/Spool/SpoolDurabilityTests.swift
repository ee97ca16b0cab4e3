import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// With `synchronizes`, what a power cut may find: the order of the calls that make a message durable.
@Suite(.inTurn) struct SpoolDurabilityTests {
    /// Notes the calls in their order.
    private final class Order: DiskFaults {
        private let calls = Locked<[String]>([])
        func take() -> [String] {
            calls.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }
        private func note(_ call: String) -> Int32 {
            calls.withLock { $0.append(call) }
            return 0
        }
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? {
            _ = note(inPlace ? "cursor" : "write")
            return nil
        }
        func change() -> Int32 { note("name") }
        func synchronize() -> Int32 { note("sync") }
        func synchronizeNames() -> Int32 { note("sync names") }
    }

    @Test(
        "A new file's name is on the disk before its first record is written, and the record before the save returns"
    )
    func newSegment() throws {
        let directory = try TemporaryDirectory(isFast: true)
        let order = Order()
        try FaultyKernel.$faults.withValue(order) {
            let spool = try directory.openSpool(ManualClock()) { $0.synchronizes = true }
            _ = order.take()
            for expected in [["name", "sync names", "write", "sync"], ["write", "sync"]] {
                spool.append([1], time: ManualClock().now(), level: 4)
                #expect(spool.save())
                #expect(order.take() == expected)
            }
        }
    }
}
