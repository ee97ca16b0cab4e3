import CHeartwood
import Heartwood
import HeartwoodHTTP
import Synchronization

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

    // MARK: Atomics (any thread)
    private let stopped = Flag()
    private let inputEnded = Flag()

    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// How often the files are looked at for new lines, in microseconds.
    private static let interval: UInt32 = 100_000

    /// Opens a log; nothing is read before ``start(_:)``.
    init(
        paths: [String], key: (any SecretProvider)?, redaction: RedactionRules? = nil,
        redactionNames: String? = nil
    ) {
        self.paths = paths
        self.redactionNames = redactionNames
        self.key = key
        store = LogStore(files: LogFiles(key: key, redaction: redaction))
        scans = LogScans(store, paths: paths)
        title = paths.map { String($0.split(separator: "/").last ?? "/") }.joined(separator: ", ")
    }

    /// Starts to index, and to watch for new lines.
    ///
    /// - Throws: `LogError` where a directory or a file cannot be read, or the system has no thread.
    func start() throws {
        let watcher = LogWatcher(store, key: key)
        var files: [LogIndexer.File] = []
        let arguments = try Arguments(parsing: [], options: GrepCommand.options)
        for path in paths {
            let selection = try LogSelection(arguments, operands: [path])
            // Files of several directories may have the same name.
            let isDirectory = (try? SystemCalls().status(path: path + "/.")) != nil
            let prefix = paths.count > 1 && isDirectory ? (path.split(separator: "/").last ?? "") + "/" : ""
            files += try watcher.open(prefix: String(prefix)) { try selection.files(of: path) }
        }
        let indexed = Flag()
        let (store, key, stopped, starts) = (store, key, stopped, files)
        let isStopped: @Sendable () -> Bool = { stopped.isSet.load(ordering: .relaxed) }
        let isIndexing = DetachedThread.start {
            LogIndexer(store, key: key, isStopped: isStopped).run(starts)
            indexed.isSet.store(true, ordering: .releasing)
        }
        let box = Unchecked(watcher)
        let isWatching = DetachedThread.start {
            // The first new lines may go with the last one that was there.
            while !isStopped(), store.blockCounts.back == 0, !indexed.isSet.load(ordering: .acquiring) {
                usleep(5000)
            }
            if let last = store.block(-1) { box.value.begin(with: last.facts.carry) }
            while !isStopped() {
                box.value.tick()
                usleep(ViewLog.interval)
            }
        }
        guard isIndexing, isWatching else { throw LogError(.file, "cannot start a thread for the view") }
    }

    /// Passes an object to the one thread that owns it from then on.
    private struct Unchecked<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    /// Ends the threads.
    func stop() { stopped.isSet.store(true, ordering: .relaxed) }

    /// Whether the program whose lines are shown has ended.
    var isInputEnded: Bool { inputEnded.isSet.load(ordering: .relaxed) }

    /// Says that no more lines come from the program whose lines are shown.
    func endInput() { inputEnded.isSet.store(true, ordering: .relaxed) }
}
