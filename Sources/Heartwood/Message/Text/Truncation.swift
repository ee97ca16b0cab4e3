/// Text that is cut because it is too long, and what is written in its place.
package enum Truncation {
    /// The text in the place of `omitted` bytes.
    static func mark(_ omitted: Int) -> String { "…[truncated \(omitted) bytes]" }

    /// The text, or its first `limit` bytes at most, up to a character's end, and a mark.
    package static func cut(_ text: String, to limit: Int) -> String {
        let (kept, omitted) = split(text, at: limit)
        return omitted == 0 ? text : kept + mark(omitted)
    }

    /// The first `count` bytes at most, up to a character's end, and how many bytes follow them.
    static func split(_ text: String, at count: Int) -> (kept: String, omitted: Int) {
        let utf8 = text.utf8
        guard utf8.count > count else { return (text, 0) }
        var index = utf8.index(utf8.startIndex, offsetBy: max(0, count))
        // A character may be endless: then cut it where a scalar ends.
        let nearest = utf8.index(index, offsetBy: -64, limitedBy: utf8.startIndex) ?? utf8.startIndex
        var candidate = index
        while candidate > nearest, String.Index(candidate, within: text) == nil {
            candidate = utf8.index(before: candidate)
        }
        if String.Index(candidate, within: text) != nil {
            index = candidate
        } else {
            while String.Index(index, within: text.unicodeScalars) == nil {
                index = utf8.index(before: index)
            }
        }
        let kept = text.unicodeScalars[..<index]
        return (String(kept), utf8.count - utf8.distance(from: utf8.startIndex, to: index))
    }
}
