import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("The numbers of rows", .inTurn)
struct RowIndexTests {
    @Test("A row keeps its number while blocks are found in front of it and come after it")
    func keepsNumbers() throws {
        var index = RowIndex()
        index.addBack(3)
        index.addFront(2)
        let last = try #require(index.place(of: -1))
        #expect(last == (-1, 2))
        index.addBack(5)
        index.addFront(4)
        index.replaceLastFront(7)
        #expect(try #require(index.place(of: -1)) == last)
        #expect(try #require(index.place(of: -4)) == (-2, 4))
        #expect(try #require(index.place(of: 1)) == (0, 1))
        #expect(try #require(index.place(of: 8)) == (1, 6))
        #expect(index.first == -8 && index.end == 9)
        #expect(index.place(of: -9) == nil && index.place(of: 9) == nil)
    }

    @Test(
        "Every row is found in its block, whatever sizes blocks have, empty ones included", arguments: 0..<20)
    func findsAll(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var index = RowIndex()
        var back: [Int] = []
        var front: [Int] = []
        for _ in 0..<60 {
            let count = Int.random(in: 0...4, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                back.append(count)
                index.addBack(count)
            case 1:
                front.append(count)
                index.addFront(count)
            default:
                guard !front.isEmpty else { continue }
                front[front.count - 1] = count
                index.replaceLastFront(count)
            }
        }
        var row = -back.reduce(0, +)
        #expect(index.first == row)
        for block in -back.count..<front.count {
            let count = block < 0 ? back[-block - 1] : front[block]
            #expect(index.count(ofBlock: block) == count)
            #expect(index.firstRow(ofBlock: block) == row)
            for place in 0..<count {
                let found = try #require(index.place(of: row))
                #expect(found == (block, place), "row \(row)")
                row += 1
            }
        }
        #expect(index.end == row)
    }
}
