import CHeartwood
public import Heartwood

/// Reads the lines of a directory's log files, across rolled, compressed and encrypted ones, in their order.
///
/// ```swift
/// let reader = LogFileReader(directory: logs)
/// for try await line in try reader.lines(from: yesterday) where line.level == .error { print(line.text) }
/// ```
///
/// It needs no logger, and disturbs none that writes. A value without state: every call reads the directory
/// again.
public struct LogFileReader: Sendable {
    /// The path of the directory.
    package let directory: String
    /// Which files are read; nil for all that look like logs.
    package let naming: LogFileNaming?
    /// Where the key of encrypted files comes from.
    package let key: (any SecretProvider)?

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory.
    ///   - naming: Reads the files of this naming only. Without one, all are read whose names end in `.log`,
    ///     and `current`, `syslog` and `messages`, plain, compressed (`.gz`) or encrypted (`.hwe`). Their
    ///     rotated files are read too, with a number (`shop.log.1`, `shop.1.log`) or a date
    ///     (`shop.log-20261120`, `shop.log.2026-11-20`, `shop-2026-11-20.log`, and `@….s` of multilog).
    ///     The numbers and dates in the names give the order of the files of one log. Where modification
    ///     times contradict them, the first times in the files decide. Different logs go by modification
    ///     times.
    ///   - key: Where the key of encrypted files comes from.
    public init(directory: String, naming: LogFileNaming? = nil, key: (any SecretProvider)? = nil) {
        self.directory = directory.absolutePath()
        self.naming = naming
        self.key = key
    }

    /// The files, the oldest first.
    ///
    /// - Returns: the files, with nothing known of which is written at the moment.
    /// - Throws: `LogError` where the directory cannot be read.
    public func files() throws -> [LogFileInfo] { try list(opens: true) }

    /// What takes a file whose place is not certain, as its times have no moment and those of others
    /// contradict the names; and a line of it.
    package typealias DoubtfulFile = (String, TimeDoubt, UnsafeRawBufferPointer) -> Void

    /// The paths of the files, the oldest first.
    package func paths(doubtful: @escaping DoubtfulFile = { _, _, _ in }) throws -> [String] {
        try list(opens: false, doubtful: doubtful).map(\.path)
    }

    private func list(
        opens: Bool, doubtful: @escaping DoubtfulFile = { _, _, _ in }
    ) throws -> [LogFileInfo] {
        let opened = try Directory(directory, policy: .init(acceptsShared: true), isMade: false)
        if let naming { return try LogFileInfo.list(opened, of: naming, opens: opens) }
        var names: [String: RotatedName] = [:]
        let files = try LogFileInfo.list(opened, opens: opens) { log in
            names[log] = RotatedName(log)
            return names[log] != nil
        } label: { log, modified in
            names[log]?.label ?? LogFileLabel(createdAt: modified)
        }
        let recognizer = LineRecognizer()
        var doubts: [(path: String, doubt: TimeDoubt, line: [UInt8])] = []
        let order = LogFileOrder { file in
            LogFileStart.time(of: file.path, key: key, recognizer) {
                doubts.append((file.path, $0, Array($1)))
            }
        }
        let sorted = order.sorted(files) { names[$0] }
        guard !doubts.isEmpty else { return sorted }
        let byName = LogFileOrder { _ in nil }.sorted(files) { names[$0] }
        if sorted.map(\.path) != byName.map(\.path) {
            for (path, doubt, line) in doubts { line.withUnsafeBytes { doubtful(path, doubt, $0) } }
        }
        return sorted
    }

    /// Lines of all files in their order, read as they are asked for.
    ///
    /// A line without a time of its own, as the second line of a stack trace, counts as of the time of the
    /// line before.
    ///
    /// - Parameters:
    ///   - from: The first moment; nil for the beginning.
    ///   - until: The moment before which lines are wanted; nil for the end.
    /// - Returns: the lines, once; a sequence of its own for each call.
    /// - Throws: `LogError` where the directory cannot be read. A file that cannot be read ends the
    ///   sequence so.
    public func lines(from: LogTimestamp? = nil, until: LogTimestamp? = nil) throws -> LogLines {
        LogLines(LogLineIterator(try paths(), key: key, from: from, until: until))
    }

    /// The last lines of all files, oldest first.
    ///
    /// Plain files are read from their ends, so that large ones cost no more than small ones; compressed and
    /// encrypted ones are read whole. Reads on the caller's thread.
    ///
    /// - Parameter count: how many lines at most.
    /// - Returns: the lines; fewer where there are not so many.
    /// - Throws: `LogError` where a file cannot be read.
    public func lastLines(_ count: Int) throws -> [LogLine] {
        var parts: [[LogLine]] = []
        var missing = max(0, count)
        for path in try paths().reversed() where missing > 0 {
            // Of a file that cannot be opened any more the reader knows what has become of it.
            let offset = (try? LogTail.start(of: path, lines: missing))??.offset ?? 0
            let reader = LogLineIterator([path], offset: offset, key: key)
            var lines: [LogLine] = []
            while let next = try reader.next() {
                lines += next
                if lines.count > 2 * missing + 10_000 { lines.removeFirst(lines.count - missing) }
            }
            lines.removeFirst(max(0, lines.count - missing))
            parts.append(lines)
            missing -= lines.count
        }
        return Array(parts.reversed().joined())
    }

    /// Writes the lines of a time range into one new file.
    ///
    /// - Parameters:
    ///   - path: The new file; it must not exist.
    ///   - from: The first moment; nil for the beginning.
    ///   - until: The moment before which lines are wanted; nil for the end.
    /// - Returns: how many lines were written.
    /// - Throws: `LogError` where a file cannot be read or the new one not be written; then there is no new
    ///   one.
    @discardableResult
    public func export(to path: String, from: LogTimestamp? = nil, until: LogTimestamp? = nil) async throws
        -> Int
    {
        let lines = try lines(from: from, until: until)
        let (folder, name) = path.folderAndName
        let target = try Directory(folder, policy: .init(acceptsShared: true))
        let file: Descriptor
        do throws(SystemFailure) { file = try target.create(name) } catch {
            throw LogError(.file, "Cannot create the output file", place: path, cause: error.number)
        }
        var count = 0
        do {
            var buffer: [UInt8] = []
            for try await line in lines {
                buffer += Array(line.text.utf8)
                buffer.append(UInt8(ascii: "\n"))
                count += 1
                if buffer.count > 1 << 16 { try LogFileReader.write(&buffer, file, target.calls) }
            }
            try LogFileReader.write(&buffer, file, target.calls)
        } catch {
            _ = try? target.remove(name)
            guard let failure = error as? SystemFailure else { throw error }
            throw LogError(.file, "Cannot write the output", place: path, cause: failure.number)
        }
        return count
    }

    private static func write(_ buffer: inout [UInt8], _ file: Descriptor, _ calls: SystemCalls) throws {
        try calls.writeAll(file.number, buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
