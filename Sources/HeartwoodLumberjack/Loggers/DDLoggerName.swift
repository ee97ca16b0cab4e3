/// The name of a logger, in statistics and reports.
public struct DDLoggerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name of ``DDOSLogger``.
    public static let os = DDLoggerName("cocoa.lumberjack.osLogger")
    /// The name of ``DDFileLogger``.
    public static let file = DDLoggerName("cocoa.lumberjack.fileLogger")
    /// The name of ``DDTTYLogger``.
    public static let tty = DDLoggerName("cocoa.lumberjack.ttyLogger")
    /// The name of the logger for the Apple System Log, which does not exist anymore.
    public static let asl = DDLoggerName("cocoa.lumberjack.aslLogger")
}
