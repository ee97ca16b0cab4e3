/// A set of levels: which messages pass.
///
/// A name is a threshold, "this level and all that are more serious"; a list is just those levels:
///
/// ```swift
/// file.levels = .info  // info, notice, warning, error, fatal
/// file.levels = [.error, .debug]  // these two, and no others
/// file.levels = .warning.union([.audit])
/// ```
///
/// A threshold holds standard levels only; ``all`` holds the user's own as well.
public struct LogLevelMask: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// One bit per level, as in ``LogLevel/rawValue``.
    public let rawValue: UInt32

    /// Takes the bits of a mask.
    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Makes the set of exactly these levels.
    public init(arrayLiteral levels: LogLevel...) {
        rawValue = levels.reduce(0) { $0 | $1.rawValue }
    }

    /// Makes the set of `level` and all standard levels that are more serious.
    ///
    /// For a level of the user's own that is the level itself and what is as serious as its severity, or more.
    public init(atLeast level: LogLevel) {
        rawValue = level.rawValue | ((level.severity.rawValue << 1) - 1)
    }

    /// Makes the set of every level, the user's own included, that is as serious as `level` or more.
    init(asSeriousAs level: LogLevel) {
        rawValue = LogLevelMask(atLeast: level).rawValue | LogLevel.declared(asSeriousAs: level.severity)
    }

    /// No level at all.
    public static let off = LogLevelMask(rawValue: 0)
    /// Every level, the user's own as well.
    public static let all = LogLevelMask(rawValue: .max)
    /// `fatal` alone.
    public static let fatal = LogLevelMask(atLeast: .fatal)
    /// `error` and worse.
    public static let error = LogLevelMask(atLeast: .error)
    /// `warning` and worse.
    public static let warning = LogLevelMask(atLeast: .warning)
    /// `notice` and worse.
    public static let notice = LogLevelMask(atLeast: .notice)
    /// `info` and worse.
    public static let info = LogLevelMask(atLeast: .info)
    /// `debug` and worse.
    public static let debug = LogLevelMask(atLeast: .debug)
    /// All standard levels.
    public static let verbose = LogLevelMask(atLeast: .verbose)

    /// Whether the level is in the set.
    @inlinable
    public func contains(_ level: LogLevel) -> Bool { rawValue & level.rawValue != 0 }

    /// Whether there is no level in the set.
    public var isEmpty: Bool { rawValue == 0 }

    /// The levels of both sets.
    public func union(_ other: LogLevelMask) -> LogLevelMask {
        LogLevelMask(rawValue: rawValue | other.rawValue)
    }

    /// The levels that are in both sets.
    public func intersection(_ other: LogLevelMask) -> LogLevelMask {
        LogLevelMask(rawValue: rawValue & other.rawValue)
    }

    /// The levels of this set that are not in the other one.
    public func subtracting(_ other: LogLevelMask) -> LogLevelMask {
        LogLevelMask(rawValue: rawValue & ~other.rawValue)
    }
}

extension LogLevelMask: CustomStringConvertible {
    /// `off`, `all`, the name of a threshold, or a list of names.
    public var description: String {
        if self == .off { return "off" }
        if self == .all { return "all" }
        for level in LogLevel.standardLevels where self == LogLevelMask(atLeast: level) { return level.name }
        let names = (0...31).compactMap { LogLevel(index: $0) }.filter(contains).map(\.name)
        return "[" + names.joined(separator: ", ") + "]"
    }
}
