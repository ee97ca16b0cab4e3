/// The severity of a message: one bit.
///
/// Bits 0 to 4 have names, bits 5 to 29 are free for flags of your own. Heartwood's name for it is
/// `LogLevel`.
public struct DDLogFlag: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes flags from their bits.
    @inlinable
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An operation failed.
    @inlinable public static var error: DDLogFlag { DDLogFlag(rawValue: 1 << 0) }
    /// Something may fail soon, or the program worked around a problem.
    @inlinable public static var warning: DDLogFlag { DDLogFlag(rawValue: 1 << 1) }
    /// What the program does, for the people who operate it.
    @inlinable public static var info: DDLogFlag { DDLogFlag(rawValue: 1 << 2) }
    /// How the program works, for its developers.
    @inlinable public static var debug: DDLogFlag { DDLogFlag(rawValue: 1 << 3) }
    /// Every detail, such as single steps and raw values.
    @inlinable public static var verbose: DDLogFlag { DDLogFlag(rawValue: 1 << 4) }

    /// The flags that a level includes.
    public static func from(_ logLevel: DDLogLevel) -> DDLogFlag { DDLogFlag(logLevel) }

    /// The flags that a level includes.
    public init(_ logLevel: DDLogLevel) { self.init(rawValue: logLevel.rawValue) }

    /// Returns the level with exactly these flags, or else the level of the most detailed flag; `off` without
    /// a named flag.
    public func toLogLevel() -> DDLogLevel {
        let exact = DDLogLevel(mask: rawValue)
        if case .mask = exact {} else { return exact }
        for level in [DDLogLevel.verbose, .debug, .info, .warning]
        where rawValue & (level.rawValue + 1) >> 1 != 0 {
            return level
        }
        return contains(.error) ? .error : .off
    }
}
