import Synchronization

/// The places in the order of messages where some found no room in the ring.
///
/// A place is the ring's tail at the time: what was reserved before it came before the message that is missing, and
/// what its thread logs later comes after it.
final class RingGaps: Sendable {
    // MARK: Atomics (any thread)
    private let count = Atomic<Int>(0)

    // MARK: Guarded by 'places'
    private let places = Locked<[(position: UInt64, count: Int)]>([])

    /// Whether there are places that the drain has not passed yet.
    var isPending: Bool { count.load(ordering: .sequentiallyConsistent) != 0 }

    /// Takes note that a message is missing at the ring's tail.
    func note(at tail: () -> UInt64) {
        places.withLock { places in
            let position = tail()
            if let last = places.last, last.position == position {
                places[places.count - 1].count += 1
            } else {
                places.append((position, 1))
                count.store(places.count, ordering: .sequentiallyConsistent)
            }
        }
    }

    /// The first place, if there is one.
    var next: UInt64? { isPending ? places.withLock { $0.first?.position } : nil }

    /// Takes the places up to `position` away; returns how many messages are missing there.
    func take(upTo position: UInt64) -> Int {
        if !isPending { return 0 }
        return places.withLock { places in
            let passed = places.prefix { $0.position <= position }
            places.removeFirst(passed.count)
            count.store(places.count, ordering: .sequentiallyConsistent)
            return passed.reduce(0) { $0 + $1.count }
        }
    }
}
