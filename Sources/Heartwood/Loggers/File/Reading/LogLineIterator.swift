import Dispatch

private let readingQueue = DispatchQueue(label: "heartwood.LogFileReader", attributes: .concurrent)

/// Reads the lines of files one after the other.
///
/// Not thread-safe: owned by whoever reads.
package final class LogLineIterator {
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
    package private(set) var damages: [(file: String, damage: String)] = []

    package init(
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
    package func next() throws -> [LogLine]? {
        var lines: [LogLine] = []
        while lines.isEmpty {
            guard let source else {
                guard let path = paths.popFirst() else { return nil }
                name = String(path.split(separator: "/").last ?? "")
                do {
                    source = try LogFileSource(path: path, offset: offset, key: key)
                    offset = 0
                } catch let error as LogError where error.code == .file && error.cause == 2 {
                    continue  // removed by the retention limits, or archived, since the list was made
                }
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

/// Lines of log files, read in pieces as they are asked for, off the caller's thread.
public struct LogLines: AsyncSequence, Sendable {
    /// A line.
    public typealias Element = LogLine

    // Used by one iterator at a time, on the reading queue.
    private let source: Locked<LogLineIterator>

    init(_ lines: sending LogLineIterator) {
        source = Locked(lines)
    }

    /// Begins to read, where an earlier iterator ended.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Reads lines.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Locked<LogLineIterator>
        private var lines: ArraySlice<LogLine> = []

        fileprivate init(source: Locked<LogLineIterator>) {
            self.source = source
        }

        /// The next line; nil at the end.
        ///
        /// - Throws: ``LogError`` where a file cannot be read.
        public mutating func next() async throws -> LogLine? {
            if let line = lines.popFirst() { return line }
            try Task.checkCancellation()
            let source = source
            let more = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<[LogLine]?, any Error>) in
                readingQueue.async {
                    continuation.resume(with: Result { try source.withLock { try $0.next() } })
                }
            }
            lines = more?[...] ?? []
            return lines.popFirst()
        }
    }
}
