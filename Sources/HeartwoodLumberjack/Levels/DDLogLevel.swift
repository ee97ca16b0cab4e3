/// The flags of the messages to log.
///
/// A name is a threshold, as `warning` is errors and warnings. Any other mask is made of its bits:
///
/// ```swift
/// let level = DDLogLevel(rawValue: DDLogFlag.error.rawValue | DDLogFlag.debug.rawValue)
/// ```
///
/// Heartwood's name for it is `LogLevelMask`.
public enum DDLogLevel: RawRepresentable, Hashable, Sendable {
    /// No messages.
    case off
    /// Errors.
    case error
    /// Errors and warnings.
    case warning
    /// Errors, warnings and information.
    case info
    /// All messages except the details.
    case debug
    /// All named flags.
    case verbose
    /// All flags, including custom ones.
    case all
    /// Another mask of flags.
    ///
    /// Use ``init(rawValue:)``, which finds the name of one that has.
    case mask(UInt)

    /// The bits of the flags.
    @inlinable
    public var rawValue: UInt {
        switch self {
        case .off: 0
        case .error: 0b1
        case .warning: 0b11
        case .info: 0b111
        case .debug: 0b1111
        case .verbose: 0b11111
        case .all: .max
        case .mask(let bits): bits
        }
    }

    /// Makes a level from any mask; never nil, but optional as in CocoaLumberjack.
    @inlinable
    public init?(rawValue: UInt) { self.init(mask: rawValue) }

    @inlinable
    init(mask: UInt) {
        switch mask {
        case 0: self = .off
        case 0b1: self = .error
        case 0b11: self = .warning
        case 0b111: self = .info
        case 0b1111: self = .debug
        case 0b11111: self = .verbose
        case .max: self = .all
        default: self = .mask(mask)
        }
    }

    /// Whether two levels have the same flags.
    @inlinable
    public static func == (left: DDLogLevel, right: DDLogLevel) -> Bool { left.rawValue == right.rawValue }

    /// Adds the mask to a hash.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
