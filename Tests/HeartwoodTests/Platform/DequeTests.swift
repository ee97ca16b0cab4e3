import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("A queue of elements in their order", .inTurn)
struct DequeTests {
    private final class Element {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test("It does as an array would, in any order of steps", arguments: 0..<20)
    func model(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var deque = Deque<Int>()
        var model: [Int] = []
        for step in 0..<3000 {
            // Mostly growing, then mostly shrinking, so that the places in front are given back many times.
            let grows = step % 1000 < 600
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<(grows ? 7 : 3):
                deque.append(step)
                model.append(step)
            case 7, 8:
                #expect(deque.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            case 9:
                let count = Int.random(in: 0...model.count, using: &generator) / (grows ? 8 : 1)
                deque.removeFirst(count)
                model.removeFirst(count)
            case 10:
                let index = Int.random(in: 0...model.count, using: &generator)
                deque.insert(-step, at: index)
                model.insert(-step, at: index)
            case 11 where step % 10 == 0:
                deque.removeAll { $0 % 7 == 3 }
                model.removeAll { $0 % 7 == 3 }
            case 11:
                let start = Int.random(in: 0...model.count, using: &generator)
                let end = Int.random(in: start...min(model.count, start + 5), using: &generator)
                deque.removeSubrange(start..<end)
                model.removeSubrange(start..<end)
            default:
                deque.removeAll(where: { $0 == model.last })
                if let last = model.last { model.removeAll { $0 == last } }
            }
            #expect(deque.count == model.count)
            #expect(deque.first == model.first)
            #expect(deque.last == model.last)
            if step % 20 == 0 { #expect(Array(deque) == model) }
        }
        deque.removeAll()
        #expect(deque.isEmpty)
    }

    @Test("What was taken is released at once, and what is left is not")
    func releases() {
        var deque = Deque<Element>()
        weak var first: Element?
        weak var second: Element?
        weak var third: Element?
        do {
            let elements = (0..<3).map(Element.init)
            (first, second, third) = (elements[0], elements[1], elements[2])
            for element in elements { deque.append(element) }
        }
        #expect(deque.popFirst()?.number == 0)
        #expect(first == nil)
        #expect(second?.number == 1)
        deque.removeFirst(1)
        #expect(second == nil)
        #expect(third?.number == 2)
    }

    @Test("A queue that is never empty keeps no more places than twice its elements need")
    func staysSmall() {
        var deque = Deque<Int>()
        for number in 0..<100 { deque.append(number) }
        for number in 100..<100_000 {
            deque.append(number)
            _ = deque.popFirst()
        }
        #expect(Array(deque) == Array(99_900..<100_000))
        #expect(deque.capacity < 1000)
    }

    @Test("A copy keeps its elements when the original is changed")
    func copies() {
        var deque = Deque<Int>()
        for number in 0..<5 { deque.append(number) }
        let copy = deque
        deque.removeFirst(4)
        deque.append(9)
        #expect(Array(copy) == [0, 1, 2, 3, 4])
        #expect(Array(deque) == [4, 9])
        #expect(Array(copy[2...]) == [2, 3, 4])
    }
}
