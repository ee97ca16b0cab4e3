import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("The lines of a block", .inTurn)
struct LogBlockTests {
    @Test("A set of lines answers as a sorted list does", arguments: 0..<50)
    func lineSet(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...400, using: &random)
        var set = seed % 5 == 0 ? LineSet(first: limit) : LineSet()
        var expected = seed % 5 == 0 ? Set(0..<limit) : []
        for _ in 0..<Int.random(in: 0...300, using: &random) {
            let line = Int.random(in: 0..<limit, using: &random)
            if Bool.random(using: &random) {
                set.insert(line)
                expected.insert(line)
            } else {
                set.remove(line)
                expected.remove(line)
            }
        }
        let sorted = expected.sorted()
        #expect(set.count == sorted.count && Array(set.lines) == sorted)
        for line in 0...(limit + 130) {
            #expect(set.contains(line) == expected.contains(line))
            #expect(set.next(from: line) == sorted.first { $0 >= line })
            #expect(set.last(upTo: line) == sorted.last { $0 <= line })
            #expect(set.rank(of: line) == sorted.count { $0 < line })
            #expect(set.line(at: line) == (line < sorted.count ? sorted[line] : nil))
        }
        #expect(set.last(upTo: -1) == nil && set.next(from: .max) == nil && !set.contains(.max))
    }

    @Test("Lines come from their texts in the order that was given; those of a text that is gone stay")
    func order() {
        var order = LineOrder(lines: 2)
        order.append(text: 1, lines: 300)
        order.append(text: 0, lines: 1)
        var both = LineOrder(lines: 1)
        both.append(order, first: 200)
        var runs: [[Int]] = []
        both.forEachRun { runs.append([$0, $1]) }
        #expect(runs == [[0, 1], [200, 2], [201, 300], [200, 1]])

        let long = Array((0..<300).map { "b\($0)\n" }.joined().utf8)
        let short = Array("a0\n\0\0a1\na2".utf8)
        let whole = BlockText(
            [.init(part: 7, offset: 10, bytes: short), .init(part: 8, offset: 0, bytes: long)], order)
        #expect(whole.isWhole && whole.lines.count == 303)
        #expect(whole[1].map(Array.init) == Array("a1".utf8) && whole.lines[1].offset == 15)
        #expect(whole[302].map(Array.init) == Array("a2".utf8) && whole[303] == nil)
        let part = BlockText(
            [.init(part: 7, offset: 10, bytes: nil), .init(part: 8, offset: 0, bytes: long)], order)
        #expect(!part.isWhole && part.lines.count == 303 && part[1] == nil && part[302] == nil)
        #expect(part[2].map(Array.init) == Array("b0".utf8) && part.lines[302].part == 7)
        #expect(Array(part.lines(at: [3, 0]).lines) == Array(whole.lines(at: [6, 9]).lines))
        // A text with fewer lines than it had when the order was made.
        let cut = BlockText(
            [.init(part: 7, offset: 0, bytes: short), .init(part: 8, offset: 0, bytes: Array("b".utf8))],
            order)
        #expect(cut.lines.count == 303 && cut[3] == nil && cut[302].map(Array.init) == Array("a2".utf8))
    }
}
