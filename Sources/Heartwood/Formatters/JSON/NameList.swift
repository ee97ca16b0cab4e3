/// Names, each once.
///
/// Most names of one object differ in their length or in their first or last character. A bit for each such
/// combination says so without hashing; only names with the same bit are compared.
struct NameList: Sendable {
    /// Above so many names, nearly every bit is set, and a set finds a name faster.
    private static let mostInArray = 32

    private var names: [String] = []
    private var set: Set<String> = []
    private var marks: UInt64 = 0

    /// Makes an empty list.
    init() {}

    /// Makes a list of names.
    init(_ names: some Sequence<String>) {
        for name in names { insert(name) }
    }

    /// Whether the name is in the list.
    @inline(__always)
    func contains(_ name: String) -> Bool { marks & Self.mark(name) != 0 && find(name) }

    /// Adds a name; false if it is in the list already.
    @discardableResult
    mutating func insert(_ name: String) -> Bool {
        let mark = Self.mark(name)
        if marks & mark != 0, find(name) { return false }
        marks |= mark
        if names.isEmpty { names.reserveCapacity(8) }
        if names.count < Self.mostInArray { names.append(name) } else { set.insert(name) }
        return true
    }

    private func find(_ name: String) -> Bool {
        names.contains(name) || !set.isEmpty && set.contains(name)
    }

    @inline(__always)
    private static func mark(_ name: String) -> UInt64 {
        let number = name.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.isEmpty
                ? 0 : Int(bytes[0]) &* 7 &+ Int(bytes[bytes.count - 1]) &* 3 &+ bytes.count
        }
        return 1 << UInt64((number ?? 0) & 63)
    }
}
