import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Each runs in a process of its own, so that nothing else is in the measure.
@Suite(
    "Promise 4: bounded, memory", .enabled(if: !Load.isSanitized, "a sanitizer keeps what is freed"), .inTurn)
struct MemoryTests {
    @Test("Promise 4: a stuck logger holds its limit and little more, however many messages come in bursts")
    func burst() async {
        await #expect(processExitsWith: .success) {
            let growth = MemoryTests.growth(
                messages: Tier.amount(60_000, full: 300_000), policy: .dropOldest, pause: 0)
            if growth > 3 << 20 + 16 << 20 { fatalError("grew by \(growth >> 10) KiB") }
        }
    }

    @Test("Promise 4: the same when they come one by one, each in a batch of its own")
    func trickle() async {
        await #expect(processExitsWith: .success) {
            let growth = MemoryTests.growth(
                messages: Tier.amount(12_000, full: 60_000), policy: .dropBelow(.warning), pause: 1)
            if growth > 3 << 20 + 16 << 20 { fatalError("grew by \(growth >> 10) KiB") }
        }
    }

    @Test("Promise 4: the same when it wants few of the messages, and when it is told to keep the oldest")
    func fewOfMany() async {
        await #expect(processExitsWith: .success) {
            let growth = MemoryTests.growth(
                messages: Tier.amount(60_000, full: 300_000), policy: .dropNewest, pause: 0, levels: .error)
            if growth > 3 << 20 + 16 << 20 { fatalError("grew by \(growth >> 10) KiB") }
        }
    }

    /// By how much the process grows while one logger is stuck and another one works, with limits of 4 MiB.
    static func growth(
        messages: Int, policy: OverflowPolicy, pause: Int, levels: LogLevelMask = .all
    ) -> Int {
        final class Counting: AbstractLogger, @unchecked Sendable {}
        let dispatcher = LogDispatcher(ringCapacity: .mebibytes(1))
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.synchronousLevels = .off
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        let stuck = StuckLogger()
        stuck.backlogLimit = .mebibytes(4)
        stuck.overflowPolicy = policy
        dispatcher.add(stuck, levels: levels)
        let other = Counting()
        other.overflowPolicy = .block(upTo: .seconds(60))
        other.backlogLimit = .mebibytes(4)
        dispatcher.add(other)
        func send(_ count: Int) {
            for index in 0..<count {
                log("message \(index) of many", level: index % 100 == 0 ? .error : .info, to: dispatcher)
                if pause > 0, index % pause == 0 { dispatcher.drainNow() }
            }
        }
        // The ring, the pools and the first 4 MiB are there when the measure begins.
        send(messages / 10)
        let before = residentBytes()
        send(messages)
        _ = other.waitUntilIdle(timeout: .testLimit)
        let growth = residentBytes() - before
        let statistics = other.statistics
        precondition(statistics.delivered == statistics.received, "\(statistics)")
        return growth
    }
}
