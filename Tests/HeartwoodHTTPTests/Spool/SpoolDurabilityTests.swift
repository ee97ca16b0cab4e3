import CoreFixtures
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
        /// With what the names of a directory are not put on the disk; 0 for no failure.
        let namesError = Locked<Int32>(0)
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
        func synchronizeNames() -> Int32 { note("sync names") + namesError.withLock { $0 } }
    }

    @Test(
        "The names of a new file and of the new directory are on the disk before the first record, and it before the save returns"
    )
    func newSegment() throws {
        let directory = try TemporaryDirectory(isFast: true)
        let order = Order()
        try FaultyKernel.$faults.withValue(order) {
            let spool = try directory.openSpool(ManualClock()) { $0.synchronizes = true }
            _ = order.take()
            for expected in [["name", "sync names", "sync names", "write", "sync"], ["write", "sync"]] {
                spool.append([1], time: ManualClock().now(), level: 4)
                #expect(spool.save())
                #expect(order.take() == expected)
            }
        }
    }

    @Test("The cursor's file has the state before the last one as well, so that no torn write takes both")
    func cursorSlots() throws {
        let directory = try TemporaryDirectory(isFast: true)
        let file = CursorFile(
            in: try Directory(directory.path, for: .spool, calls: SystemCalls()),
            SpoolReports(path: directory.path))
        #expect(try file.load() == nil)
        for number in UInt64(1)...5 {
            let state = BatchState(acknowledged: number)
            #expect(file.save(state, identity: [UInt8](repeating: 7, count: 16), synchronizes: false))
            let content = try directory.read("cursor")
            #expect(SpoolCursor.newest(in: content)?.state.acknowledged == number)
            let slots = [content.prefix(SpoolCursor.slotSize), content.dropFirst(SpoolCursor.slotSize)]
            let states = slots.compactMap { SpoolCursor(decoding: $0)?.state.acknowledged }
            #expect(states.sorted() == (number == 1 ? [1] : [number - 1, number]))
        }
    }

    @Test("A new partition is on the disk with the names of all new directories") func partition() throws {
        let directory = try TemporaryDirectory(isFast: true)
        let order = Order()
        try FaultyKernel.$faults.withValue(order) {
            var settings = SpoolSettings()
            settings.synchronizes = true
            let store = try PartitionedSpool(
                path: directory.path + "/a/events", partitionSize: .mebibytes(1), settings: settings,
                clock: ManualClock(), calls: FaultyKernel.calls
            ) { _ in String(repeating: "0", count: 24) }
            try store.add([1], time: ManualClock().now(), level: 4)
            store.save()
        }
        // Where `a` is, `a`, `events`, and the partition.
        #expect(order.take().count { $0 == "sync names" } == 4)
    }

    @Test(
        "A file that takes the place of another is on the disk, with its name, before the other one goes",
        arguments: [0, EIO])
    func compaction(_ namesError: Int32) throws {
        let directory = try TemporaryDirectory(isFast: true)
        let order = Order()
        try FaultyKernel.$faults.withValue(order) {
            let spool = try directory.openSpool(ManualClock()) {
                ($0.segmentCount, $0.synchronizes) = (3, true)
            }
            for number in 0..<4 {
                spool.append([UInt8(number)], time: ManualClock().now(), level: number == 2 ? 5 : 1)
                spool.save()
            }
            _ = order.take()
            order.namesError.withLock { $0 = namesError }
            #expect(spool.evict(below: 3))
            let isTold = spool.drainErrors().contains {
                "\($0)".contains("cannot sync the spool's directory")
            }
            #expect(isTold == (namesError != 0))
            // Before them, the newest file is sealed.
            #expect(order.take().suffix(6) == ["name", "write", "sync", "name", "sync names", "name"])
            let piece = try #require(spool.nextPiece(maximumCount: 9, maximumBytes: .max))
            #expect(piece.records.map(\.payload) == [[0], [1], [3]])
        }
    }
}
