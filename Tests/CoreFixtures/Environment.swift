import Dispatch
import Foundation
package import Heartwood
import HeartwoodTestSupport
import SuiteSupport

/// How much a test that hammers does: everything in the second tier, a share of it in the first one and where a sanitizer
/// slows it down.
package enum Load {
    /// Whether a sanitizer watches this process.
    package static let isSanitized = Sanitizer.isActive

    /// A time in which everything that is not stuck has finished, even on a busy machine.
    package static let patience = isSanitized ? Duration.seconds(8) : .seconds(2)

    /// `count` in the second tier, a fifth of it in the first one, a twentieth under a sanitizer.
    package static func scaled(_ count: Int) -> Int {
        max(1, count / (isSanitized ? 20 : Tier.amount(5, full: 1)))
    }

    /// As `scaled`, for random input of which more is better: all of it in the second tier, a hundred times as much with `HEARTWOOD_LONG=1`.
    package static func random(_ count: Int) -> Int {
        Tier.isLong && !isSanitized ? count * 100 : scaled(count)
    }
}

/// The memory that this process occupies, in bytes.
package func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize())
}

extension LogDispatcher {
    /// A dispatcher for one test: a small ring, and troubles are only counted.
    package static func forTest(
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
    package var isBalanced: Bool { received == handled }
}

/// Calls `body` on so many threads at the same time, each with its number, and returns when all have finished.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let start = Gate()
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            start.pass()
            body(index)
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    start.waitForArrival(of: count)
    start.open()
    group.wait()
}

/// Calls `body` on a thread of its own, whose stack is printed if it does not come back.
package func onThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread {
        body()
        done.signal()
    }.start()
    done.wait()
}
