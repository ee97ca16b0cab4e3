/// Which links of an object become full objects, by the names of the fields that they are in.
struct LinkExpansion: Equatable {
    private var fields: [String: LinkExpansion] = [:]
    /// Whether the value here is one that was named.
    private(set) var isExpanded = false

    /// Nothing is expanded.
    static let none = LinkExpansion([])

    /// Takes paths: names with points between them.
    init(_ paths: [String]) {
        for path in paths { insert(path.split(separator: ".")[...]) }
    }

    private mutating func insert(_ path: ArraySlice<Substring>) {
        guard let name = path.first else { return isExpanded = true }
        fields[String(name), default: .none].insert(path.dropFirst())
    }

    /// What holds inside of a field.
    func inside(_ field: String) -> LinkExpansion { fields[field] ?? .none }
}
