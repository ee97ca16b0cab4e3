import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct RecordInboxTests {
    private typealias Answer = RecordInbox<Int>.Answer

    private var inbox = RecordInbox<Int>()

    private mutating func offer(_ item: Int, at now: Duration, patience: Duration? = .seconds(10)) -> Answer {
        inbox.offer(item, weighing: 40, limit: 100, patience: patience, at: now)
    }

    /// Offers an item until it is taken or refused, looking when it is told to; returns that answer and its time.
    private mutating func wait(_ item: Int, from start: Duration, progressEvery step: Duration? = nil) -> (
        Answer, Duration
    ) {
        var now = start
        var nextStep = step.map { start + $0 }
        while true {
            let answer = offer(item, at: now)
            guard case .wait(let pause) = answer, now < start + .seconds(3600) else { return (answer, now) }
            now += pause
            if let step, let due = nextStep, due <= now {
                inbox.noteProgress()
                nextStep = due + step
            }
        }
    }

    @Test(
        "Items are taken while there is room, the first of them with a hint; one of any size where nothing waits"
    )
    mutating func room() {
        #expect(inbox.offer(0, weighing: 1000, limit: 100, patience: nil, at: .zero) == .taken(isFirst: true))
        #expect(offer(1, at: .zero, patience: nil) == .refused)
        #expect(inbox.takeAll() == [0])
        #expect(offer(1, at: .zero) == .taken(isFirst: true))
        #expect(offer(2, at: .zero) == .taken(isFirst: false))
        #expect(inbox.takeAll() == [1, 2])
        #expect(inbox.takeAll().isEmpty)
    }

    @Test("A caller waits as long as there is progress, and no longer than its patience without any")
    mutating func patience() {
        _ = (offer(1, at: .zero), offer(2, at: .zero))
        let (answer, end) = wait(3, from: .zero)
        #expect(answer == .refused && end >= .seconds(10) && end < .seconds(11))
        // The next one does not wait: nothing has moved since.
        #expect(offer(4, at: end) == .refused)
        // What moves steadily again is waited for, however long it takes.
        inbox.noteProgress()
        #expect(offer(4, at: end + .seconds(1)) == .refused)
        inbox.noteProgress()
        let (late, lateEnd) = wait(4, from: end + .seconds(2), progressEvery: .seconds(9))
        #expect(late != .refused && lateEnd > end + .seconds(3000))
    }

    @Test("When everything was taken out, callers that were refused find room again, and wait again")
    mutating func revival() {
        _ = (offer(1, at: .zero), offer(2, at: .zero))
        let (answer, end) = wait(3, from: .zero)
        #expect(answer == .refused)
        _ = inbox.takeAll()
        #expect(offer(4, at: end) == .taken(isFirst: true))
        #expect(offer(5, at: end) == .taken(isFirst: false))
        guard case .wait = offer(6, at: end) else {
            Issue.record("it does not wait")
            return
        }
    }
}
