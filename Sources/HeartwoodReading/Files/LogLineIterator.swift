import Heartwood

/// Reads the lines of files one after the other.
///
/// Not thread-safe: owned by the one who reads.
final class LogLineIterator {
    private let reader: LogBlockReader
    private let from: LogTimestamp?
    private let until: LogTimestamp?
    private var isWanted: Bool

    init(
        _ paths: [String], offset: Int = 0, key: (any SecretProvider)? = nil, from: LogTimestamp? = nil,
        until: LogTimestamp? = nil
    ) {
        reader = LogBlockReader(paths, offset: offset, key: key)
        self.from = from
        self.until = until
        isWanted = from == nil
    }

    /// What was wrong with files, by their names.
    var damages: [(file: String, damage: String)] { reader.damages }

    /// The next lines, one at least; nil at the end of the last file.
    func next() throws -> [LogLine]? {
        var lines: [LogLine] = []
        while lines.isEmpty {
            guard let block = try reader.next() else { return nil }
            let name = block.path.folderAndName.name
            LogBlockReader.forEachLine(of: block.bytes) { range in
                let bytes = UnsafeRawBufferPointer(rebasing: block.bytes[range])
                let line = LogLine(text: String(decoding: bytes, as: UTF8.self), file: name)
                if from != nil || until != nil, let moment = line.moment {
                    isWanted = from.map { moment >= $0 } ?? true
                    if let until, moment >= until { isWanted = false }
                }
                if isWanted { lines.append(line) }
            }
        }
        return lines
    }
}
