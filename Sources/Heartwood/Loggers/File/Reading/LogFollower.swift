import CHeartwood

/// Reads on in a directory or a file that is written, from one file to the next when it is rolled.
///
/// Not thread-safe: owned by whoever reads.
package final class LogFollower {
    /// Which file it is: the kernel gives the number of a removed file to the next one, so its birth counts as well.
    private struct Key: Hashable {
        let identity: FileStatus.Identity
        let birth: Int64
    }

    private let list: () throws -> [String]
    private let key: (any SecretProvider)?
    private let calls = SystemCalls()
    private var source: LogFileSource?
    private var path: String?
    private var splitter = LineSplitter()
    /// Files that were read to their end, or are being read.
    private var known: Set<Key> = []
    /// The same by their paths, so that most need not be opened to be known again.
    private var knownPaths: [String: FileStatus.Identity] = [:]
    /// The paths of logs that were met, in whatever stage.
    private var logs: Set<String> = []

    /// Begins after what was read already.
    ///
    /// `list` gives the files, oldest first, whenever it is asked; `start` is the file to continue with, and where.
    package init(
        key: (any SecretProvider)?, start: (path: String, offset: Int)?, list: @escaping () throws -> [String]
    ) throws {
        self.list = list
        self.key = key
        for path in try list() where path != start?.path { _ = isNew(path) }
        if let start {
            _ = isNew(start.path)
            try open(start.path, at: start.offset)
        }
    }

    private func open(_ path: String, at offset: Int) throws {
        source = try LogFileSource(path: path, offset: offset, key: key, isFollowed: true)
        self.path = path
    }

    /// The lines that have come since the last time.
    package func poll() throws -> [LogLine] {
        var lines: [LogLine] = []
        try poll { bytes, path in
            let file = path.split(separator: "/").last.map(String.init) ?? ""
            lines.append(LogLine(text: String(decoding: bytes, as: UTF8.self), file: file))
        }
        return lines
    }

    /// Calls `body` with each line that has come since the last time, byte for byte and without its newline, and with the path
    /// of its file.
    package func poll(_ body: (ArraySlice<UInt8>, String) -> Void) throws {
        while true {
            let next = try list().first { isNew($0) }
            // What came before the next file was seen is read to its end before that one is read.
            try readOn(body)
            guard let next else { return }
            splitter.finish { body($0, path ?? "") }
            source = nil
            try open(next, at: 0)
        }
    }

    private func readOn(_ body: (ArraySlice<UInt8>, String) -> Void) throws {
        if let path, let status = try? calls.status(path: path), status.identity == knownPaths[path],
            let source, status.size < source.position
        {
            try open(path, at: 0)  // cut to nothing by `copytruncate`
        }
        while let bytes = try source?.next() {
            splitter.feed(bytes) { body($0, path ?? "") }
        }
    }

    /// Whether a file was never met; from then on it is known.
    private func isNew(_ path: String) -> Bool {
        guard let status = try? calls.status(path: path), status.kind == .regular,
            knownPaths[path] != status.identity, let number = try? calls.openForReading(path)
        else { return false }
        let file = Descriptor(number, calls)
        knownPaths[path] = status.identity
        let isFirst = known.insert(Key(identity: status.identity, birth: hw_file_birth(file.number))).inserted
        let (log, stage, _) = ArchiveStage.split(path)
        // The archive of a log that was read while it was plain is nothing new.
        let isLogNew = logs.insert(log).inserted
        return isFirst && (isLogNew || stage == .plain)
    }
}
