import CHeartwood
import Heartwood
import HeartwoodHTTP

/// The log that a page shows: its index, the thread that makes it, and the thread that adds what comes.
final class ViewLog: Sendable {
    // MARK: Constants (any thread)
    let paths: [String]
    let store: LogStore
    let scans: LogScans
    /// What was given to `--redact`; nil without it.
    let redactionNames: String?
    /// What the page is called.
    let title: String
    /// Tells this run from others: its rows have numbers of their own.
    let run = Hexadecimal.encode(RandomBytes.make(8))
    private let key: (any SecretProvider)?

    // MARK: Guarded by themselves
    private let stopped = Locked(false)
    private let inputEnded = Locked(false)

    /// Opens a log; nothing is read before ``start(_:)``.
    init(
        paths: [String], key: (any SecretProvider)?, redaction: RedactionRules? = nil,
        redactionNames: String? = nil
    ) {
        self.paths = paths
        self.redactionNames = redactionNames
        self.key = key
        // Files of several directories may have the same name.
        let directories = paths.count > 1 ? paths.filter(LogSelection.isDirectory) : []
        @Sendable func name(of path: String) -> String {
            let (folder, name) = path.folderAndName
            let isIn = directories.contains { $0 == folder || $0 == folder + "/" }
            return isIn ? folder.folderAndName.name + "/" + name : name
        }
        let files = LogFiles(key: key, redaction: redaction, name: name) {
            try ViewLog.selection(of: paths).presentFiles()
        }
        store = LogStore(files: files)
        scans = LogScans(store, paths: paths)
        title = paths.map { String($0.split(separator: "/").last ?? "/") }.joined(separator: ", ")
    }

    /// Starts to index, and to watch for new lines.
    ///
    /// - Throws: `LogError` where a directory or a file cannot be read, or the system has no thread.
    func start() throws {
        let selection = try ViewLog.selection(of: paths)
        // What is missing at the beginning is an error, and later it is not.
        for path in paths { _ = try selection.files(of: path) }
        // Owned by the thread that watches, once that has started.
        nonisolated(unsafe) let watcher = try LogWatcher(store, key: key, directories: selection.directories)
        let files = watcher.open()
        let indexed = Locked(false)
        let (store, stopped) = (store, stopped)
        let isStopped: @Sendable () -> Bool = { stopped.withLock { $0 } }
        let isIndexing = DetachedThread.start {
            LogIndexer(store, isStopped: isStopped).run(files)
            indexed.withLock { $0 = true }
        }
        let isWatching = DetachedThread.start {
            // The first new lines may go with the last one that was there.
            while !isStopped(), store.blockCounts.back == 0, !indexed.withLock({ $0 }) {
                usleep(5000)
            }
            if let last = store.block(-1) { watcher.begin(with: last.facts.carry) }
            while !isStopped() {
                watcher.tick()
                watcher.wait()
            }
        }
        guard isIndexing, isWatching else { throw LogError(.file, "cannot start a thread for the view") }
    }

    private static func selection(of paths: [String]) throws -> LogSelection {
        try LogSelection(try Arguments(parsing: [], options: GrepCommand.options), operands: paths)
    }

    /// Ends the threads.
    func stop() { stopped.withLock { $0 = true } }

    /// Whether the program whose lines are shown has ended.
    var isInputEnded: Bool { inputEnded.withLock { $0 } }

    /// Says that no more lines come from the program whose lines are shown.
    func endInput() { inputEnded.withLock { $0 = true } }
}
