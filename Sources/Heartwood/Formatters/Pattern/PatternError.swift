/// A pattern that cannot be understood: what is wrong, and at which character.
///
///     The pattern has no token “tiem”: did you mean “time”?
///         {tiem} {level} {message}
///          ^
public struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The pattern as it was given.
    public let pattern: String
    /// The character that is wrong, counted from 0; the number of characters where something is missing at the end.
    public let position: Int
    /// What is wrong and what to do, for a person.
    public let reason: String

    init(_ pattern: String, at position: Int, _ reason: String) {
        self.pattern = pattern
        self.position = min(position, pattern.count)
        self.reason = reason
    }

    /// The reason, the pattern, and a mark under the character.
    public var description: String {
        // A character of the pattern takes one column, whatever it is.
        let shown = pattern.map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined()
        return "\(reason)\n    \(shown)\n    \(String(repeating: " ", count: position))^"
    }
}

/// Finds the name that a person who misspelt one probably meant.
enum Spelling {
    /// The nearest of `names`; nil where none is near.
    static func nearest(to wanted: String, in names: [String]) -> String? {
        let best = names.map { (name: $0, distance: distance($0.lowercased(), wanted.lowercased())) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= max(1, min(wanted.count, best.name.count) / 2) else { return nil }
        return best.name
    }

    /// How many characters must be changed, added, removed or swapped with their neighbor.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        var rows = [Array(0...right.count)]
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let change = left[row - 1] == right[column - 1] ? 0 : 1
                var cost = min(
                    rows[row - 1][column] + 1, current[column - 1] + 1, rows[row - 1][column - 1] + change)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1]
                {
                    cost = min(cost, rows[row - 2][column - 2] + 1)
                }
                current.append(cost)
            }
            rows.append(current)
        }
        return rows[left.count][right.count]
    }
}
