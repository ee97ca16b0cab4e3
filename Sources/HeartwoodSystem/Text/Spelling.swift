/// Finds the name that a person who mistyped one probably meant.
package enum Spelling {
    /// The nearest of `names`; nil if none is near.
    ///
    /// A longer name that begins with what was typed is near, however much is missing: `--dir` for
    /// `--directory`.
    package static func nearest(to wanted: String, among names: [String]) -> String? {
        if wanted.count > 3, let longer = names.first(where: { $0.hasPrefix(wanted) }) { return longer }
        let best = names.map { (name: $0, distance: distance($0.lowercased(), wanted.lowercased())) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= max(1, min(wanted.count, best.name.count) / 2) else { return nil }
        return best.name
    }

    /// `: did you mean “--keep”?`, or nothing if there is no name.
    package static func suggestion(_ name: String?) -> String { name.map { ": did you mean “\($0)”?" } ?? "" }

    /// `: did you mean “level”?`, or the names to choose from if none is near and they are not too many.
    package static func hint(for name: String, among names: [String]) -> String {
        if let near = nearest(to: name, among: names) { return suggestion(near) }
        let visible = names.filter { !$0.isEmpty }
        return visible.isEmpty || visible.count > 30 ? "" : "; there are \(visible.joined(separator: ", "))"
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
