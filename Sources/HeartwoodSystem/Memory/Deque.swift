/// Elements in their order, added at the end and taken from the beginning, both in constant time.
///
/// Elements that were taken are no longer held here: places before `head` are empty until they are removed.
package struct Deque<Element> {
    @usableFromInline var places: [Element?] = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable package var count: Int { places.count - head }
    @inlinable package var isEmpty: Bool { count == 0 }
    @inlinable package var first: Element? { isEmpty ? nil : places[head] }
    @inlinable package var last: Element? { isEmpty ? nil : places[places.count - 1] }
    /// All of them, the first first.
    @inlinable package var all: [Element] { places[head...].compactMap { $0 } }

    @inlinable package mutating func append(_ element: Element) { places.append(element) }

    @inlinable package mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        let element = places[head]
        places[head] = nil
        head += 1
        if head == places.count {
            places.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64, head > places.count / 2 {
            places.removeSubrange(..<head)
            head = 0
        }
        return element
    }
}
