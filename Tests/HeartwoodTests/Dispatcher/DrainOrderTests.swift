import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What the drain knows of places and settings, whatever order it hears of them in.
@Suite(.inTurn) struct DrainOrderTests {
    @Test("Missing messages are told at their place: with what was reserved before it, and not later")
    func gapAtItsPlace() {
        let gaps = RingGaps()
        for tail: UInt64 in [100, 100, 160] { gaps.note { tail } }
        #expect(gaps.isPending && gaps.next == 100)
        #expect(gaps.take(upTo: 99) == 0)
        #expect(gaps.take(upTo: 100) == 2)
        #expect(gaps.next == 160)
        #expect(gaps.take(upTo: 160) == 1)
        #expect(!gaps.isPending && gaps.next == nil)
    }

    @Test("Of two choices of levels the later one holds, in whatever order they arrive (promise 2)")
    func latestLevels() {
        for numbers in [[1, 2], [2, 1]] {
            let logger = RecordingLogger()
            var drain = Drain(usesTicks: false)
            drain.add(logger.node, LogLevelChoice(), at: 0)
            for number in numbers {
                let levels = number == 1 ? LogLevelMask.debug : .error
                drain.setLevels(LogLevelChoice(levels: levels, number: number), of: logger.node)
            }
            #expect(drain.recipients.map(\.choice.levels) == [.error])
        }
    }
}
