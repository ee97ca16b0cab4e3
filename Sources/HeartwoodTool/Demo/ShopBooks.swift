import Heartwood
import HeartwoodEvents

/// A sale, as the shop's books have it: a typed event.
private enum Sale: String { case order, item, till, amount }

/// How many pieces of an item there are: what the stocktaking compares.
private struct Stock: EventObject {
    let id: String
    var pieces: Int
}

/// The shop's books: each sale is an event, and opening and closing are an activity with the change in stock.
struct ShopBooks: Sendable {
    private let events: EventLog<Sale>
    private let day: EventScope
    private let sold = Locked<[String: Int]>([:])

    init(_ store: EventStore) throws {
        events = try EventLog(store, metadata: ["shop": "1"])
        day = events.beginScope(activity: "stocktaking")
    }

    /// How many events there are, once the day has ended.
    var count: Int { sold.withLock { $0.values.reduce(1, +) } }

    func sell(_ item: String, order: Int, till: Int, for amount: Double) {
        events.append {
            $0[.order] = order
            $0[.item] = item
            $0[.till] = till
            $0[.amount] = amount
        }
        sold.withLock { $0[item, default: 0] += 1 }
    }

    /// Records what has become of a stock of 100 pieces each.
    func close() throws {
        let sold = sold.withLock { $0 }
        let before = sold.keys.sorted().map { Stock(id: $0, pieces: 100) }
        day.record(old: before, new: before.map { Stock(id: $0.id, pieces: 100 - sold[$0.id, default: 0]) })
        try day.commit()
    }
}
