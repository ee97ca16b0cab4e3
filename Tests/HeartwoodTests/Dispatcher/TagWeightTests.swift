import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("The weight of tags", .inTurn)
struct TagWeightTests {
    private struct Snapshot: MeasuredTag {
        var tagSize: ByteCount { .kibibytes(100) }
    }

    private final class Reference: Sendable {}

    private struct Unmeasured: Sendable {
        var text: String
    }

    /// Has 5,000 tags logged for a logger that is stuck; returns how many of them were in memory at the same time at most.
    private func mostAlive(_ dispatcher: LogDispatcher, _ makeTag: (Locked<Int>) -> any Sendable) -> Int {
        let logger = StuckLogger()
        logger.overflowPolicy = .dropOldest
        logger.backlogLimit = .mebibytes(2)
        dispatcher.add(logger)
        logInfo("first", to: dispatcher)
        logger.waitUntilStuck()
        let alive = Locked(0)
        var most = 0
        for index in 0..<5000 {
            logInfo("message \(index)", tag: makeTag(alive), to: dispatcher)
            most = max(most, alive.withLock { $0 })
        }
        logger.release()
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(logger.statistics.isBalanced)
        #expect(logger.texts.last == "message 4999")
        #expect(dispatcher.statistics.dropped == 0)
        return most
    }

    @Test(
        "Promise 4: tags that do not say their size count what the dispatcher is told, 4 KiB unless changed")
    func unmeasured() {
        final class Tag: Sendable {
            let alive: Locked<Int>
            init(_ alive: Locked<Int>) {
                self.alive = alive
                alive.withLock { $0 += 1 }
            }
            deinit { alive.withLock { $0 -= 1 } }
        }
        let dispatcher = LogDispatcher.forTest(ring: .mebibytes(1))
        #expect(dispatcher.unmeasuredTagSize == .kibibytes(4))
        // 2 MiB of the backlog and 1 MiB beside the ring, batches that are kept for a part of theirs, and what a thread that was
        // interrupted is about to free; without weights it were all 5,000.
        #expect(mostAlive(dispatcher) { Tag($0) } <= 2000)
        let told = LogDispatcher.forTest(ring: .mebibytes(1))
        told.unmeasuredTagSize = .bytes(100_000)
        #expect(mostAlive(told) { Tag($0) } <= 200)
    }

    @Test("Strings, data and collections weigh what they hold, other values their own size")
    func sizes() {
        let text = String(repeating: "x", count: 5000)
        let values: [(any Sendable, ClosedRange<Int>)] = [
            (text, 5000...5200), (text.dropFirst(10), 4990...5300), (Data(count: 5000), 5000...5200),
            ([UInt8](repeating: 0, count: 5000), 5000...5200), ([text, text], 10_000...10_300),
            (["a": [text]], 5000...5300), (Set([text]), 5000...5200), (text as String?, 5000...5300),
            (nil as String?, 0...200), (7, 0...200), (Snapshot(), 102_400...102_600), (0..<Int.max, 0...200),
            (Reference(), 4096...4300), (Unmeasured(text: text), 4096...4300), (true, 0...200),
        ]
        for (value, range) in values {
            #expect(range.contains(TagBox(value, unmeasured: 4096).weight), "\(type(of: value))")
        }
    }

    @Test("Promise 4: 5,000 tags of 100 KB stay within the limit of a stuck logger, and of the ring")
    func bounded() {
        let dispatcher = LogDispatcher.forTest(ring: .mebibytes(1))
        final class Tag: MeasuredTag, Sendable {
            let alive: Locked<Int>
            init(_ alive: Locked<Int>) {
                self.alive = alive
                alive.withLock { $0 += 1 }
            }
            deinit { alive.withLock { $0 -= 1 } }
            var tagSize: ByteCount { .bytes(100_000) }
        }
        // What the backlog holds, what is beside the ring, and batches that are kept for a part of theirs: not 5,000.
        #expect(mostAlive(dispatcher) { Tag($0) } <= 200)
    }

    @Test("A large message with a heavy tag of its own finds room where nothing else is held")
    func ownTag() {
        let dispatcher = LogDispatcher.forTest(ring: .kibibytes(64))
        dispatcher.overflowPolicy = .dropNewest
        let logger = RecordingLogger()
        dispatcher.add(logger)
        let text = String(repeating: "x", count: 40_000)
        for _ in 0..<3 {
            logInfo("\(text)", tag: String(repeating: "y", count: 40_000), to: dispatcher)
            #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        }
        #expect(logger.texts == [text, text, text])
        #expect(dispatcher.statistics.dropped == 0)
    }
}
