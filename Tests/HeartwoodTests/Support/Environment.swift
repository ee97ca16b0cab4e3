import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Synchronization

@testable import Heartwood

/// How much a test that hammers does: everything in the second tier, a share of it in the first one and where a sanitizer
/// slows it down.
enum Load {
    /// Whether a sanitizer watches this process.
    static let isSanitized = Sanitizer.isActive

    /// A time in which everything that is not stuck has finished, even on a busy machine.
    static let patience = isSanitized ? Duration.seconds(8) : .seconds(2)

    /// `count` in the second tier, a fifth of it in the first one, a twentieth under a sanitizer.
    static func scaled(_ count: Int) -> Int {
        max(1, count / (isSanitized ? 20 : Tier.amount(5, full: 1)))
    }

    /// As `scaled`, for random input of which more is better: all of it in the second tier, a hundred times as much with `HEARTWOOD_LONG=1`.
    static func random(_ count: Int) -> Int { Tier.isLong && !isSanitized ? count * 100 : scaled(count) }
}

/// The memory that this process occupies, in bytes.
func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize())
}

extension LogDispatcher {
    /// A dispatcher for one test: a small ring, and troubles are only counted.
    static func forTest(
        ring: ByteCount = .kibibytes(64), clock: any LogClock = SystemClock()
    ) -> LogDispatcher {
        let dispatcher = LogDispatcher(ringCapacity: ring, clock: clock)
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.synchronousLevels = .off
        // Nothing is dropped because the machine is busy; tests of the ring's policies set their own.
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        return dispatcher
    }
}

extension LoggerStatistics {
    /// Promise 4 as a sum: everything that was received has become something.
    var isBalanced: Bool { received == delivered + filtered + dropped + failed }
}

extension Backpressure {
    /// Whether a logger holds callers back.
    var isHeld: Bool { holders != 0 }
    /// How many loggers do.
    var holders: Int { count.pointee.load(ordering: .relaxed) }
}
