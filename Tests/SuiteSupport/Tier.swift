import Foundation

/// How much the tests do.
///
/// `swift test` is the first tier: deterministic, about 100 seconds on two idle processors. `HEARTWOOD_FULL=1` adds the second,
/// minutes: all of the amounts, kills by the hundred, compilers and other programs. `HEARTWOOD_LONG=1` takes hours: millions of
/// messages, a fault at every single call, hundreds of power cuts.
package enum Tier {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether the tests take hours: `HEARTWOOD_LONG` is set.
    package static let isLong = environment["HEARTWOOD_LONG"] != nil

    /// Whether the second tier runs, too: `HEARTWOOD_FULL` or `HEARTWOOD_LONG` is set.
    package static let isFull = isLong || environment["HEARTWOOD_FULL"] != nil

    /// One of two amounts of work, as the tier is.
    package static func amount<Amount>(_ first: Amount, full: Amount) -> Amount { isFull ? full : first }
}
