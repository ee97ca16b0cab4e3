import Heartwood

/// Reads the lines of files one after the other.
///
/// Not thread-safe: owned by whoever reads.
final class LogLineIterator {
    private var paths: ArraySlice<String>
    private let key: (any SecretProvider)?
    private let from: LogTimestamp?
    private let until: LogTimestamp?
    private var source: LogFileSource?
    private var name = ""
    /// Where reading starts in the first file.
    private var offset: Int
    private var splitter = LineSplitter()
    private var isWanted: Bool
    /// What was wrong with files, by their names.
    private(set) var damages: [(file: String, damage: String)] = []

    init(
        _ paths: [String], offset: Int = 0, key: (any SecretProvider)? = nil, from: LogTimestamp? = nil,
        until: LogTimestamp? = nil
    ) {
        self.paths = paths[...]
        self.key = key
        self.offset = offset
        self.from = from
        self.until = until
        isWanted = from == nil
    }

    /// The next lines, one at least; nil at the end of the last file.
    func next() throws -> [LogLine]? {
        var lines: [LogLine] = []
        while lines.isEmpty {
            guard let source else {
                guard let path = paths.popFirst() else { return nil }
                defer { offset = 0 }
                guard let opened = try LogFileSource.opening(path, offset: offset, key: key) else { continue }
                source = opened.source
                name = String(opened.path.split(separator: "/").last ?? "")
                continue
            }
            if let bytes = try source.next() {
                splitter.feed(bytes) { add($0, to: &lines) }
            } else {
                splitter.finish { add($0, to: &lines) }
                if let damage = source.damage { damages.append((name, damage)) }
                self.source = nil
            }
        }
        return lines
    }

    private func add(_ bytes: ArraySlice<UInt8>, to lines: inout [LogLine]) {
        let line = LogLine(text: String(decoding: bytes, as: UTF8.self), file: name)
        if from != nil || until != nil, let moment = line.moment {
            isWanted = from.map { moment >= $0 } ?? true
            if let until, moment >= until { isWanted = false }
        }
        if isWanted { lines.append(line) }
    }
}
