import CHeartwood
import Dispatch
import Heartwood
import HeartwoodEvents
import Synchronization

extension LogCategory {
    static let payments = LogCategory("payments")
    static let stock = LogCategory("stock")
}

/// A small shop with three tills, each on a queue of its own, whose only purpose is to log.
final class Shop: Sendable {
    /// How many messages were logged, by level: what should arrive.
    struct Tally {
        var levels = [Int](repeating: 0, count: 7)

        /// The messages of these levels.
        func count(_ mask: LogLevelMask) -> Int {
            LogLevel.standardLevels.reduce(0) { $0 + (mask.contains($1) ? levels[$1.index] : 0) }
        }
    }

    static let tills = 3
    private static let goods = ["oak desk", "ash chair", "maple shelf", "walnut bowl", "birch stool"]
    private static let customers = ["anna", "bruno", "chiara", "dmitri", "emil"]

    /// What private data in this shop looks like: only the console may show it.
    static let privateMark = "@customers.example"

    private let customersPerTill: Int
    private let pause: Duration
    private let books: ShopBooks
    private let tallies = Locked([Tally](repeating: Tally(), count: Shop.tills))

    /// Makes a shop that is open for about `duration` and writes its sales into `books`.
    init(openFor duration: Duration, books: ShopBooks, customersPerTill: Int = 70) {
        self.books = books
        self.customersPerTill = customersPerTill
        pause = duration / customersPerTill
    }

    /// Serves all customers, and returns when the last has gone.
    ///
    /// - Returns: what was logged.
    func open(halfTime: @escaping @Sendable () -> Void) -> Tally {
        var total = Tally()
        log(&total, .notice, "the shop opens with \(Shop.tills, as: "tills") tills", .default)
        DetachedThread.perform(Shop.tills, threads: Shop.tills) { till in
            DispatchQueue(label: "till \(till + 1)").sync { self.serve(at: till, halfTime) }
        }
        log(&total, .notice, "the shop closes", .default)
        for tally in tallies.withLock({ $0 }) {
            for index in total.levels.indices { total.levels[index] += tally.levels[index] }
        }
        return total
    }

    private func serve(at till: Int, _ halfTime: () -> Void) {
        var tally = Tally()
        var dice = Dice(seed: UInt64(till + 1))
        withLogContext(["till": .integer(Int64(till + 1))]) {
            for number in 0..<customersPerTill {
                if till == 0, number == customersPerTill / 2 { halfTime() }
                serve(order: till * 1000 + number, &dice, &tally)
                usleep(UInt32(clamping: pause.nanoseconds / 1000))
            }
        }
        tallies.withLock { [tally] in $0[till] = tally }
    }

    private func serve(order: Int, _ dice: inout Dice, _ tally: inout Tally) {
        let item = Shop.goods[dice.roll(Shop.goods.count)]
        let email = Shop.customers[dice.roll(Shop.customers.count)] + Shop.privateMark
        let amount = Double(dice.roll(40_000) + 900) / 100
        books.sell(item, order: order, till: order / 1000 + 1, for: amount)
        log(&tally, .verbose, "order \(order, as: "order"): looking for \(item, as: "item")", .stock)
        for shelf in 1...dice.roll(3) + 1 {
            let way = shelf * 7 % 5
            log(
                &tally, .debug,
                "order \(order, as: "order"): shelf \(shelf, as: "shelf") is \(way, as: "metres") m away",
                .stock)
        }
        switch dice.roll(40) {
        case 0:
            log(
                &tally, .error,
                """
                order \(order, as: "order"): card of \(email, as: "customer", privacy: .private) \
                was declined
                """,
                .payments)
        case 1...3:
            log(&tally, .warning, "only \(dice.roll(3) + 1, as: "left") of \(item, as: "item") left", .stock)
        case 4...16:
            log(
                &tally, .info,
                """
                order \(order, as: "order"): \(email, as: "customer", privacy: .private) pays \
                \(amount, as: "amount", format: .fixed(2)) EUR
                """, .payments)
        default: log(&tally, .debug, "order \(order, as: "order") is paid in cash", .payments)
        }
    }

    private func log(
        _ tally: inout Tally, _ level: LogLevel, _ text: @autoclosure () -> LogText, _ category: LogCategory,
        function: StaticString = #function, line: UInt = #line
    ) {
        tally.levels[level.index] += 1
        Heartwood.log(text(), level: level, category: category, function: function, line: line)
    }

    /// The same numbers in every run.
    private struct Dice {
        var state: UInt64
        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
    }
}

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
