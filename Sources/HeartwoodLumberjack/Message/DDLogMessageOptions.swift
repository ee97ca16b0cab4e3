/// How a message keeps its texts; without effect, because texts are values in Swift.
public struct DDLogMessageOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The file's name is copied.
    public static let copyFile = DDLogMessageOptions(rawValue: 1 << 0)
    /// The function's name is copied.
    public static let copyFunction = DDLogMessageOptions(rawValue: 1 << 1)
    /// The text is not copied.
    public static let dontCopyMessage = DDLogMessageOptions(rawValue: 1 << 2)
}
