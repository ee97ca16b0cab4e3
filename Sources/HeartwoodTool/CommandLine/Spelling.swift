/// Finds what the user may have meant.
enum Spelling {
    /// The word of `candidates` that is nearest to `word`, if one is near enough to be meant.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let scored = candidates.map { ($0, distance(word, $0)) }
        guard let best = scored.min(by: { $0.1 < $1.1 }) else { return nil }
        // What begins alike is meant, however much is missing: --dir for --directory.
        if let longer = candidates.first(where: { word.count > 3 && $0.hasPrefix(word) }) { return longer }
        return best.1 <= max(1, word.count / 3) ? best.0 : nil
    }

    /// `: did you mean “--keep”?`, or nothing.
    static func suggestion(_ word: String?) -> String { word.map { ": did you mean “\($0)”?" } ?? "" }

    /// How many letters must be added, left out or changed to get from one word to the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (line, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in right.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
