/// Elements in their order, added at the end and taken from the beginning, both in constant time.
///
/// 1. The elements are in `places[head...]`, and all of these places are filled.
/// 2. The places before `head` are empty: elements that were taken are no longer held here.
/// 3. No more than half of the places are empty, once there are more than 64 of these.
package struct Deque<Element>: RandomAccessCollection {
    @usableFromInline var places: [Element?] = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { places.count - head }
    /// How many places the memory has room for.
    @inlinable package var capacity: Int { places.capacity }

    @inlinable package subscript(index: Int) -> Element {
        precondition(index >= 0 && head + index < places.count, "Deque index out of range")
        return places[head + index].unsafelyUnwrapped
    }

    // MARK: At the ends

    @inlinable package mutating func append(_ element: Element) { places.append(element) }

    @inlinable package mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        let element = places[head]
        places[head] = nil
        head += 1
        slide()
        return element
    }

    /// Removes the first `count` elements, of which there must be so many.
    @inlinable package mutating func removeFirst(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "Deque has fewer elements")
        for place in head..<head + count { places[place] = nil }
        head += count
        slide()
    }

    @inlinable package mutating func removeAll(keepingCapacity: Bool = false) {
        places.removeAll(keepingCapacity: keepingCapacity)
        head = 0
    }

    @inlinable mutating func slide() {
        if head == places.count {
            removeAll(keepingCapacity: true)
        } else if head > 64, head > places.count / 2 {
            places.removeSubrange(..<head)
            head = 0
        }
    }

    // MARK: In the middle, in linear time

    @inlinable package mutating func insert(_ element: Element, at index: Int) {
        precondition(index >= 0 && index <= count, "Deque index out of range")
        places.insert(element, at: head + index)
    }

    @inlinable package mutating func removeSubrange(_ range: Range<Int>) {
        precondition(range.upperBound <= count, "Deque has fewer elements")
        places.removeSubrange(head + range.lowerBound..<head + range.upperBound)
    }

    @inlinable package mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
        places.removeSubrange(..<head)
        head = 0
        try places.removeAll { try isGone($0.unsafelyUnwrapped) }
    }
}

extension Deque: Sendable where Element: Sendable {}
