public import Heartwood

// Flags are levels, and levels are masks, bit by bit. Heartwood's `fatal` is an error here, and its `notice`
// information; flags of your own, from bit 5 on, are Heartwood's levels of their own, from bit 7 on.

extension LogLevel {
    /// Converts a flag to a level: the most serious one of several flags, and `info` for flags that Heartwood
    /// has no bit for.
    @inlinable
    public init(_ flag: DDLogFlag) {
        switch flag.rawValue.trailingZeroBitCount {
        case 0: self = .error
        case 1: self = .warning
        case 2: self = .info
        case 3: self = .debug
        case 4: self = .verbose
        case let bit: self = LogLevel(index: bit + 2) ?? .info
        }
    }
}

extension DDLogFlag {
    /// Converts a level of Heartwood to a flag.
    public init(heartwoodLevel level: LogLevel) {
        switch level {
        case .fatal, .error: self = .error
        case .warning: self = .warning
        case .notice, .info: self = .info
        case .debug: self = .debug
        case .verbose: self = .verbose
        default: self.init(rawValue: 1 << UInt(level.index - 2))
        }
    }
}

extension LogLevelMask {
    /// Converts a level of CocoaLumberjack to a set of Heartwood's levels.
    ///
    /// A name is a threshold here, too: levels that were declared with Heartwood pass by their severity.
    public init(_ level: DDLogLevel) {
        switch level {
        case .off: self = .off
        case .error: self = .error
        case .warning: self = .warning
        case .info: self = .info
        case .debug: self = .debug
        case .all: self = .all
        // Heartwood's `verbose` is everything, flags without names included.
        case .verbose, .mask:
            self.init(
                rawValue: LogLevel.all.reduce(0) { bits, each in
                    DDLogFlag(heartwoodLevel: each).rawValue & level.rawValue == 0
                        ? bits : bits | each.rawValue
                })
        }
    }
}

extension DDLogLevel {
    /// Converts a set of Heartwood's levels to a level of CocoaLumberjack.
    public init(heartwoodMask mask: LogLevelMask) {
        let names: [DDLogLevel] = [.off, .error, .warning, .info, .debug, .verbose, .all]
        self =
            names.first { LogLevelMask($0) == mask }
            ?? DDLogLevel(
                mask: LogLevel.all.reduce(0) { bits, each in
                    mask.rawValue & each.rawValue == 0
                        ? bits : bits | DDLogFlag(heartwoodLevel: each).rawValue
                })
    }
}

extension LogLevel {
    /// Every bit that there is.
    static var all: [LogLevel] { (0...31).compactMap(LogLevel.init(index:)) }
}

extension Duration {
    /// A number of seconds as CocoaLumberjack's settings have it: what is not positive switches the setting
    /// off.
    static func lumberjackSeconds(_ seconds: TimeInterval) -> Duration {
        // Beyond 292 years it is no limit, either.
        seconds > 0 && seconds < 9e9 ? .seconds(seconds) : .zero
    }

    /// The seconds.
    var seconds: TimeInterval {
        let parts = components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}
