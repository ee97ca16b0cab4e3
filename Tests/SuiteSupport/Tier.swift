import Foundation

/// How much the tests do.
package enum Tier {
    /// Whether the second tier runs, too: `HEARTWOOD_FULL` is set.
    ///
    /// The first tier is what `swift test` runs: it is deterministic, and takes less than two minutes. The second one kills
    /// processes by the hundred, starts compilers and other programs, mounts file systems, and runs simulations for long.
    package static let isFull = ProcessInfo.processInfo.environment["HEARTWOOD_FULL"] != nil

    /// One of two amounts of work, as the tier is.
    package static func amount<Amount>(_ first: Amount, full: Amount) -> Amount { isFull ? full : first }
}
