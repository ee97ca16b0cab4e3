/// A part of a message's text.
public enum LogPiece: Hashable, Sendable {
    /// A piece of the literal.
    case literal(String)
    /// A value, with the name that `as:` set.
    case value(LogValue, name: String?, privacy: LogPrivacy)
}
