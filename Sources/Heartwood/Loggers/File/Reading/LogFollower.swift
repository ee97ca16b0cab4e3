import CHeartwood

/// Reads on in a directory or a file that is written, from one file to the next when it is rolled.
///
/// Not thread-safe: owned by whoever reads.
package final class LogFollower {
    private let list: () throws -> [String]
    private let key: (any SecretProvider)?
    private let calls = SystemCalls()
    private var source: LogFileSource?
    private var path: String?
    private var identity: FileStatus.Identity?
    private var offset = 0
    private var splitter = LineSplitter()
    /// Files that were read to their end.
    private var done: Set<FileStatus.Identity> = []
    /// The paths of logs that were met, in whatever stage.
    private var seen: Set<String> = []

    /// Begins behind what was read already.
    ///
    /// `list` gives the files, oldest first, whenever it is asked; `start` is the file to go on with, and where.
    package init(
        key: (any SecretProvider)?, start: (path: String, offset: Int)?, list: @escaping () throws -> [String]
    ) throws {
        self.list = list
        self.key = key
        for path in try list() where path != start?.path {
            if let status = try? calls.status(path: path) { done.insert(status.identity) }
            seen.insert(ArchiveStage.split(path).log)
        }
        if let start { try open(start.path, at: start.offset) }
    }

    private func open(_ path: String, at offset: Int) throws {
        source = try LogFileSource(path: path, offset: offset, key: key)
        self.path = path
        seen.insert(ArchiveStage.split(path).log)
        self.offset = offset
        identity = try? calls.status(path: path).identity
    }

    /// The lines that have come since the last time.
    package func poll() throws -> [LogLine] {
        var lines: [LogLine] = []
        while true {
            let hasNext = try nextPath()
            // What came before the next file was seen is read to its end before that one is begun.
            try readOn(&lines)
            guard let next = hasNext else { return lines }
            splitter.finish { lines.append(line($0)) }
            if let identity { done.insert(identity) }
            source = nil
            try open(next, at: 0)
        }
    }

    private func readOn(_ lines: inout [LogLine]) throws {
        if let path, let status = try? calls.status(path: path), status.identity == identity,
            status.size < offset
        {
            try open(path, at: 0)  // cut to nothing by `copytruncate`
        }
        while let bytes = try source?.next() {
            offset += bytes.count
            splitter.feed(bytes) { lines.append(line($0)) }
        }
    }

    /// The first file that was not read yet.
    private func nextPath() throws -> String? {
        for candidate in try list() {
            guard let status = try? calls.status(path: candidate), status.kind == .regular else { continue }
            if status.identity == identity || done.contains(status.identity) { continue }
            let (log, stage, _) = ArchiveStage.split(candidate)
            // The archive of a file that was read while it was plain is nothing new.
            if stage != .plain, seen.contains(log) {
                done.insert(status.identity)
                continue
            }
            return candidate
        }
        return nil
    }

    private func line(_ bytes: ArraySlice<UInt8>) -> LogLine {
        LogLine(
            text: String(decoding: bytes, as: UTF8.self),
            file: path.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "")
    }
}
