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

    @Test("Strings, data and collections weigh what they hold, other values their own size")
    func sizes() {
        let text = String(repeating: "x", count: 5000)
        let values: [(any Sendable, ClosedRange<Int>)] = [
            (text, 5000...5200), (text.dropFirst(10), 4990...5300), (Data(count: 5000), 5000...5200),
            ([UInt8](repeating: 0, count: 5000), 5000...5200), ([text, text], 10_000...10_300),
            (["a": [text]], 5000...5300), (Set([text]), 5000...5200), (text as String?, 5000...5300),
            (nil as String?, 0...200), (7, 0...200), (Snapshot(), 102_400...102_600), (Reference(), 0...200),
            (0..<Int.max, 0...200),
        ]
        for (value, range) in values { #expect(range.contains(TagBox(value).weight), "\(type(of: value))") }
    }

    @Test("Promise 4: 5,000 tags of 100 KB stay within the limit of a stuck logger, and of the ring")
    func bounded() {
        let dispatcher = LogDispatcher.forTest(ring: .mebibytes(1))
        let logger = StuckLogger()
        logger.overflowPolicy = .dropOldest
        logger.backlogLimit = .mebibytes(2)
        dispatcher.add(logger)
        logInfo("first", to: dispatcher)
        logger.waitUntilStuck()
        let alive = Locked(0)
        final class Tag: MeasuredTag, Sendable {
            let alive: Locked<Int>
            init(_ alive: Locked<Int>) {
                self.alive = alive
                alive.withLock { $0 += 1 }
            }
            deinit { alive.withLock { $0 -= 1 } }
            var tagSize: ByteCount { .bytes(100_000) }
        }
        var most = 0
        for index in 0..<5000 {
            logInfo("message \(index)", tag: Tag(alive), to: dispatcher)
            most = max(most, alive.withLock { $0 })
        }
        // What the backlog holds, what is beside the ring, and batches that are kept for a part of theirs: not 5,000.
        #expect(most <= 80)
        logger.release()
        #expect(dispatcher.flush(timeout: .seconds(60)).isComplete)
        #expect(logger.statistics.isBalanced)
        #expect(logger.texts.last == "message 4999")
        #expect(dispatcher.statistics.dropped == 0)
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
            #expect(dispatcher.flush(timeout: .seconds(60)).isComplete)
        }
        #expect(logger.texts == [text, text, text])
        #expect(dispatcher.statistics.dropped == 0)
    }
}
