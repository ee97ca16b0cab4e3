import Heartwood

/// Lines of log files, read in pieces as they are asked for, off the caller's thread.
public struct LogLines: AsyncSequence, Sendable {
    // Used by one iterator at a time, on the reading queue.
    private let source: Locked<LogLineIterator>
    private let queue = WorkQueue("heartwood.LogFileReader")

    init(_ lines: sending LogLineIterator) {
        source = Locked(lines)
    }

    /// Begins to read, where an earlier iterator ended.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source, queue: queue) }

    /// Reads lines.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Locked<LogLineIterator>
        fileprivate let queue: WorkQueue
        private var lines: ArraySlice<LogLine> = []

        fileprivate init(source: Locked<LogLineIterator>, queue: WorkQueue) {
            self.source = source
            self.queue = queue
        }

        /// The next line; nil at the end.
        ///
        /// - Throws: `LogError` where a file cannot be read.
        public mutating func next() async throws -> LogLine? {
            if let line = lines.popFirst() { return line }
            try Task.checkCancellation()
            let (source, queue) = (source, queue)
            let more = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<[LogLine]?, any Error>) in
                queue.enqueue {
                    continuation.resume(with: Result { try source.withLock { try $0.next() } })
                }
            }
            lines = more?[...] ?? []
            return lines.popFirst()
        }
    }
}
