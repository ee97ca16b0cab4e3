/// A name in which `*` stands for any characters, also none.
package struct NamePattern: Hashable, Sendable {
    let text: String
    /// The text between the stars.
    private let parts: [[UInt8]]

    package init(_ text: String) {
        self.text = text
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(
            Array.init)
    }

    /// A pattern that is a name, stars and all.
    init(exactly name: String) {
        text = name
        parts = [Array(name.utf8)]
    }

    /// How many bytes are no stars: the more, the more particular the pattern is.
    var weight: Int { parts.reduce(0) { $0 + $1.count } }

    func matches(_ name: String) -> Bool { matches(Array(name.utf8)[...]) }

    package func matches(_ name: ArraySlice<UInt8>) -> Bool {
        guard let first = parts.first, let last = parts.last else { return name.isEmpty }
        if parts.count == 1 { return name.elementsEqual(first) }
        guard name.count >= first.count + last.count, name.starts(with: first),
            name.suffix(last.count).elementsEqual(last)
        else { return false }
        // Each part at the first place after the one before: if any choice fits, this one does.
        var rest = name.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
