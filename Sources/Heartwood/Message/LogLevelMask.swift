/// A set of levels, which selects messages.
///
/// A name is a threshold, "this level and all that are more serious"; a list is just those levels:
///
/// ```swift
/// file.levels = .info  // info, notice, warning, error, fatal
/// file.levels = [.error, .debug]  // these two, and no others
/// file.levels = .warning.union([.audit])
/// ```
///
/// A threshold also holds custom levels, by their ``LogLevel/severity``: `.info` lets a level of severity
/// `notice` pass and one of severity `debug` not, whether it was declared before or after the mask was made.
/// A list holds only the levels that it names, and what is named decides: `.info.subtracting([.audit])`
/// leaves out that one level.
public struct LogLevelMask: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The standard levels, and the custom ones that were named and pass.
    @usableFromInline let named: UInt32
    /// The custom levels that were named; whether they pass says `named`.
    private let decided: UInt32
    /// Custom levels that were not named pass if the index of their severity is below this.
    private let reach: UInt8

    private init(named: UInt32, decided: UInt32, reach: UInt8) {
        (self.named, self.decided, self.reach) = (named, decided, reach)
    }

    /// One bit per level in the set, as in ``LogLevel/rawValue``, including the custom levels that are
    /// declared so far.
    ///
    /// A mask made from these bits is a list: it does not include custom levels that are declared later.
    public var rawValue: UInt32 {
        switch reach {
        case 0: named
        case 7: named | ~(decided | LogLevelMask.standard)
        default: named | (LogLevel.declared(asSeriousAs: Int(reach) - 1) & ~decided)
        }
    }

    private static let standard: UInt32 = 0x7F

    /// Makes a set from the bits of its levels.
    public init(rawValue: UInt32) {
        if rawValue == .max { self = .all } else { self.init(listing: rawValue) }
    }

    private init(listing bits: UInt32) {
        self.init(named: bits, decided: bits & ~LogLevelMask.standard, reach: 0)
    }

    /// Makes a set of exactly these levels.
    public init(arrayLiteral levels: LogLevel...) {
        self.init(listing: levels.reduce(0) { $0 | $1.rawValue })
    }

    /// Makes a set of `level` and all levels that are at least as serious.
    ///
    /// For a custom level, the set contains the level itself and all levels that are at least as serious as
    /// its severity.
    public init(atLeast level: LogLevel) {
        let severity = level.severity
        self.init(
            named: level.rawValue | ((severity.rawValue << 1) - 1),
            decided: level.rawValue & ~LogLevelMask.standard, reach: UInt8(severity.index + 1))
    }

    /// No levels.
    public static let off = LogLevelMask(named: 0, decided: 0, reach: 0)
    /// All levels, including custom ones.
    public static let all = LogLevelMask(named: LogLevelMask.standard, decided: 0, reach: 7)
    /// The level `fatal` only.
    public static let fatal = LogLevelMask(atLeast: .fatal)
    /// The level `error` and more serious ones.
    public static let error = LogLevelMask(atLeast: .error)
    /// The level `warning` and more serious ones.
    public static let warning = LogLevelMask(atLeast: .warning)
    /// The level `notice` and more serious ones.
    public static let notice = LogLevelMask(atLeast: .notice)
    /// The level `info` and more serious ones.
    public static let info = LogLevelMask(atLeast: .info)
    /// The level `debug` and more serious ones.
    public static let debug = LogLevelMask(atLeast: .debug)
    /// All levels; the same as ``all``.
    public static let verbose = LogLevelMask.all

    /// Whether the level is in the set.
    @inlinable
    public func contains(_ level: LogLevel) -> Bool {
        named & level.rawValue != 0 || (level.rawValue > 0x7F && includes(custom: level))
    }

    /// Whether a custom level passes that is not among those that were named and do.
    @usableFromInline
    func includes(custom level: LogLevel) -> Bool {
        decided & level.rawValue == 0 && level.severity.index < Int(reach)
    }

    /// Whether the set contains no level.
    public var isEmpty: Bool { named == 0 && reach == 0 }

    /// Returns the levels that are in at least one of the sets.
    public func union(_ other: LogLevelMask) -> LogLevelMask {
        combined(with: other, reach: max(reach, other.reach)) { $0 || $1 }
    }

    /// Returns the levels that are in both sets.
    public func intersection(_ other: LogLevelMask) -> LogLevelMask {
        combined(with: other, reach: min(reach, other.reach)) { $0 && $1 }
    }

    /// Returns the levels of this set that are not in the other one.
    public func subtracting(_ other: LogLevelMask) -> LogLevelMask {
        // Less a threshold, what is left is a list.
        combined(with: other, reach: other.reach == 0 ? reach : 0) { $0 && !$1 }
    }

    /// Combines two sets level by level; for custom levels that are not declared yet, `reach` holds.
    private func combined(
        with other: LogLevelMask, reach: UInt8, _ passes: (Bool, Bool) -> Bool
    ) -> LogLevelMask {
        var (named, decided): (UInt32, UInt32) = (0, 0)
        let said = self.decided | other.decided
        for level in (0...31).compactMap(LogLevel.init(index:)) {
            let isIn = passes(contains(level), other.contains(level))
            if level.index < 7 {
                if isIn { named |= level.rawValue }
            } else if said & level.rawValue != 0
                || (level.isDeclared && isIn != (level.severity.index < Int(reach)))
            {
                decided |= level.rawValue
                if isIn { named |= level.rawValue }
            }
        }
        return LogLevelMask(named: named, decided: decided, reach: reach)
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
