/// Which folder names types that another folder declares, as the sources have it.
struct LayerGraph {
    /// A name of a type that belongs to a layer above.
    struct Violation: Hashable, Comparable, CustomStringConvertible {
        let file: String
        let name: String
        let layer: String

        var description: String { "\(file) names \(name), which belongs to \(layer)" }
        static func < (left: Violation, right: Violation) -> Bool { left.description < right.description }
    }

    private struct File {
        let path: String
        let layer: String
        let declared: Set<String>
        let named: Set<String>
    }

    private let files: [File]
    private let order: [String]

    /// - Parameters:
    ///   - sources: The files' code by path; the first folder of a path is its layer, and a file without a folder belongs
    ///     to the layer `.`.
    ///   - order: The layers, the lowest first.
    init(sources: [String: [UInt8]], order: [String]) {
        self.order = order
        files = sources.map { path, code in
            let folders = path.split(separator: "/")
            let words = SwiftWords(code)
            return File(
                path: path, layer: folders.count > 1 ? String(folders[0]) : ".", declared: words.declared,
                named: words.named)
        }
    }

    /// The layers of the sources that are not in the order.
    var unknownLayers: Set<String> { Set(files.map(\.layer)).subtracting(order) }

    /// Every name of a type that belongs to a layer above, sorted.
    var violations: [Violation] {
        var owners: [String: Set<String>] = [:]
        for file in files {
            for name in file.declared { owners[name, default: []].insert(file.layer) }
        }
        var found: Set<Violation> = []
        for file in files {
            let level = order.firstIndex(of: file.layer) ?? 0
            for name in file.named.subtracting(file.declared) {
                guard let layers = owners[name], !layers.contains(file.layer) else { continue }
                for layer in layers where (order.firstIndex(of: layer) ?? 0) > level {
                    found.insert(Violation(file: file.path, name: name, layer: layer))
                }
            }
        }
        return found.sorted()
    }
}
