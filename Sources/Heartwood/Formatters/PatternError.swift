/// An error in a pattern: what is wrong, and at which character.
///
///     The pattern has no token “tiem”: did you mean “time”?
///         {tiem} {level} {message}
///          ^
public struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The pattern as it was given.
    package let pattern: String
    /// The position of the error, in characters from 0; the length of the pattern if something is missing at
    /// the end.
    package let position: Int
    /// What is wrong and what to do, for a person.
    package let reason: String

    init(_ pattern: String, at position: Int, _ reason: String) {
        self.pattern = pattern
        self.position = min(position, pattern.count)
        self.reason = reason
    }

    /// The reason, and the pattern with a mark under the character.
    public var description: String {
        // A character of the pattern takes one column, whatever it is.
        let shown = pattern.map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined()
        return "\(reason)\n    \(shown)\n    \(String(repeating: " ", count: position))^"
    }
}
