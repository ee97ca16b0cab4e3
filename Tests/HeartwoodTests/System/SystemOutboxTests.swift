import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("What waits for a socket", .inTurn)
struct SystemOutboxTests {
    /// The same in the simplest way.
    private struct Model {
        var frames: [(bytes: [UInt8], messages: Int, announced: Int)] = []
        var sentOfFirst = 0
        var unannounced = 0

        var size: Int { frames.reduce(0) { $0 + $1.bytes.count } }

        mutating func trim(to limit: Int) -> Int {
            if size <= limit { return 0 }
            var dropped = 0
            let goal = sentOfFirst > 0 ? limit / 8 * 7 : limit
            while size > goal, frames.count > 1 {
                let frame = frames.remove(at: sentOfFirst > 0 ? 1 : 0)
                dropped += frame.messages
                unannounced += frame.messages + frame.announced
            }
            return dropped
        }
    }

    @Test("It does as a list of frames would, in any order of steps", arguments: 0..<Tier.amount(4, full: 20))
    func model(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var outbox = SystemOutbox()
        var model = Model()
        for step in 0..<2000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4:
                let count = Int.random(in: 1...(step % 50 == 0 ? 20_000 : 300), using: &generator)
                let frame = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let missing = step % 20 == 0 ? 3 : 0
                frame.withUnsafeBytes { outbox.append($0, isNote: missing > 0, announcing: missing) }
                model.frames.append((frame, missing > 0 ? 0 : 1, missing))
            case 4 where !model.frames.isEmpty && model.sentOfFirst == 0:
                #expect(outbox.removeFirst() == model.frames.removeFirst().messages)
            case 5, 6:
                let rest = model.size - model.sentOfFirst
                if rest == 0 { break }
                let count = Int.random(in: 1...rest, using: &generator)
                let bytes = outbox.withRest(upTo: count) { Array($0) }
                #expect(
                    bytes
                        == Array(model.frames.flatMap(\.bytes)[model.sentOfFirst..<model.sentOfFirst + count])
                )
                outbox.advance(by: count)
                model.sentOfFirst += count
                while let first = model.frames.first, first.bytes.count <= model.sentOfFirst {
                    model.sentOfFirst -= first.bytes.count
                    model.frames.removeFirst()
                }
            case 7:
                outbox.restartFirst()
                model.sentOfFirst = 0
            case 8:
                let limit = Int.random(in: 0...5000, using: &generator)
                #expect(outbox.trim(to: limit) == model.trim(to: limit))
            default:
                if model.unannounced == 0 || model.frames.isEmpty { break }
                let note: [UInt8] = [1, 2, 3]
                note.withUnsafeBytes { outbox.announce($0) }
                model.frames.insert((note, 0, model.unannounced), at: model.sentOfFirst > 0 ? 1 : 0)
                model.unannounced = 0
            }
            #expect(outbox.count == model.frames.count)
            #expect(outbox.size == model.size)
            #expect(outbox.unannounced == model.unannounced)
            #expect(outbox.messages == model.frames.reduce(0) { $0 + $1.messages })
            if let first = model.frames.first { #expect(outbox.withFirst { Array($0) } == first.bytes) }
        }
        #expect(outbox.removeAll() == model.frames.reduce(0) { $0 + $1.messages })
        #expect(outbox.isEmpty)
    }
}
