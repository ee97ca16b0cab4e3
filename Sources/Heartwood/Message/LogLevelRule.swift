/// A rule that sets the levels of all names that match a pattern.
public struct LogLevelRule: Hashable, Sendable {
    /// A name, in which `*` matches any number of characters.
    public var pattern: String
    /// The levels.
    public var levels: LogLevelMask

    /// Makes a rule.
    public init(_ pattern: String, _ levels: LogLevelMask) {
        self.pattern = pattern
        self.levels = levels
    }
}
