/// Decides which connections are served when there are more of them than places.
///
/// A stranger has not shown yet that it may be here. Strangers make room for new connections, so that a
/// program that opens connections and sends nothing does not keep others out.
package struct ConnectionTable {
    /// What is to be done with a new connection.
    package enum Admission: Equatable {
        /// It is served.
        case admit
        /// It is served; this connection is to be ended instead.
        case replace(Int32)
        /// It is turned away.
        case refuse
    }

    private struct Entry {
        let descriptor: Int32
        let peer: [UInt8]
        var isTrusted = false
        /// Whether it was told to end, and takes no place any more.
        var isLeaving = false
    }

    private let limit: Int
    /// In the order of their arrival.
    private var entries: [Entry] = []

    package init(limit: Int) {
        self.limit = limit
    }

    /// All connections, also those that were told to end.
    package var descriptors: [Int32] { entries.map(\.descriptor) }

    /// Decides about a new connection from an address.
    ///
    /// Who makes room is a stranger of the address with the most strangers, and of those the one that came
    /// first.
    package mutating func admit(_ descriptor: Int32, from peer: [UInt8]) -> Admission {
        guard entries.count(where: { !$0.isLeaving }) >= limit else {
            entries.append(Entry(descriptor: descriptor, peer: peer))
            return .admit
        }
        var strangers: [[UInt8]: Int] = [:]
        for entry in entries where !entry.isTrusted && !entry.isLeaving {
            strangers[entry.peer, default: 0] += 1
        }
        let most = strangers.values.max() ?? 0
        let victim = entries.firstIndex {
            !$0.isTrusted && !$0.isLeaving && strangers[$0.peer, default: 0] == most
        }
        guard let victim else { return .refuse }
        entries[victim].isLeaving = true
        entries.append(Entry(descriptor: descriptor, peer: peer))
        return .replace(entries[victim].descriptor)
    }

    /// Says that a connection may be here: it does not make room for others.
    package mutating func trust(_ descriptor: Int32) {
        guard let index = entries.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        entries[index].isTrusted = true
    }

    /// Says that a connection is over.
    package mutating func remove(_ descriptor: Int32) {
        entries.removeAll { $0.descriptor == descriptor }
    }
}
