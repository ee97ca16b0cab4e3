public import Heartwood

/// How many points a message of each level brings; enough points, and pending messages are sent at once.
public struct LevelWeights: Sendable, Equatable {
    private var points: [Int: Int]

    /// Sets the points of some levels; all others bring none.
    public init(_ weights: [LogLevel: Int]) {
        points = Dictionary(uniqueKeysWithValues: weights.map { ($0.key.index, $0.value) })
    }

    /// The points of a level; a custom level without points has those of the level it is as serious as.
    package subscript(level: LogLevel) -> Int { points[level.index] ?? points[level.severity.index] ?? 0 }

    /// An error goes now, everything else waits for the interval: `fatal` and `error` bring 10, the others
    /// nothing.
    public static let standard = LevelWeights([.fatal: 10, .error: 10])

    /// SwiftyBeaver's points: 10 for `error` and `fatal`, 8 for `warning`, 5 for `info` and `notice`, 1 for
    /// `debug`.
    public static let swiftyBeaver = LevelWeights([
        .fatal: 10, .error: 10, .warning: 8, .notice: 5, .info: 5, .debug: 1,
    ])
}
