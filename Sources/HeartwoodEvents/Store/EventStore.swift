import Dispatch
public import Heartwood
public import HeartwoodHTTP

/// Where event logs keep their events until a server has them.
///
/// ```swift
/// let store = try EventStore(
///     "https://collector.example.com/events", directory: "/var/lib/app/events",
///     settings: EventSettings(user: "anna", prefix: "audit"))
/// store.uploader.decorators = [.bearer(named: "EVENT_TOKEN", from: EnvironmentSecrets())]
/// ```
///
/// The events lie in `directory/user/prefix`, in partitions: directories of ``partitionSize`` at most. Those
/// that earlier runs have left are sent first, one after the other, and deleted. The directory belongs to one
/// store: a second one, in whatever process, is refused; logs in one process share the store.
///
/// The ``uploader`` sends, by the same rules as an `HTTPLogger` with a spool: its interval, retries, limits,
/// decorators and statistics are those of its own properties. It takes no messages, whatever its levels say,
/// and is not among the dispatcher's `loggers`: `removeAll()` does not close the store. But flushing the
/// dispatcher saves the events, and so does the end of the process, which also sends them and waits for that
/// as `uploader.exitWait` says. Storing happens on its queue.
///
/// What an earlier run left is sent from the first event on, or from the first flush or delivery, or a second
/// after the last setting was changed: settings that follow the creation at once hold for the first request.
///
/// Nothing is ever dropped to make room. When the files reach `uploader.spoolSettings.maximumBytes`, 4 GiB
/// by default, new events are refused with an error until something was sent.
public final class EventStore: Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    /// What is to be done, in this order.
    enum Operation: Sendable {
        case event(StoredEvent)
        case batch(EventBatch, Completion?)
        case failure(any Error, Completion?)

        var size: Int {
            switch self {
            case .event(let event): event.payload.count
            case .batch(let batch, _): batch.memoryBytes
            case .failure: 0
            }
        }

        /// How many events it has; what failed before it became any counts as one.
        var count: Int { if case .batch(let batch, _) = self { batch.count } else { 1 } }
    }

    // MARK: Constants (any thread)

    /// What sends the events; all its settings may be changed at any time.
    public let uploader: HTTPLogger
    /// The directory of the store's files.
    public let path: String
    let clock: any LogClock
    private let dispatcher: LogDispatcher
    private let errorHandler: (@Sendable (any Error) -> Void)?
    private let completions: WorkQueue

    // MARK: Guarded by themselves

    private let inbox = Locked(RecordInbox<Operation>())
    private let settings: Locked<(partitionSize: ByteCount, messageLevel: LogLevel?)>
    private let limits = Locked<(payload: ByteCount, foldsReads: Bool)>((.mebibytes(16), true))

    /// Opens a store; what an earlier run has left begins to be sent.
    ///
    /// - Parameters:
    ///   - address: Where events are sent.
    ///   - directory: Where the files are kept; made where it is missing.
    ///   - settings: Whose events they are, and how they are sent.
    ///   - dispatcher: Where the uploader belongs to, and where its errors are reported.
    ///   - connectivity: Tells when there is a network; nil: there always is.
    ///   - clock: Where times come from.
    /// - Throws: `LogError`: `.setting` for a prefix, user or address that cannot be used, `.inUse` when
    ///   there is such a store already, `.file` or `.unsafe` when the directory cannot be used.
    public init(
        _ address: String, directory: String, settings: EventSettings = EventSettings(),
        dispatcher: LogDispatcher = .shared, connectivity: (any ConnectivityMonitor)? = nil,
        clock: any LogClock = SystemClock()
    ) throws {
        try settings.check()
        var upload = settings.upload
        upload.spoolSettings.payloadLimit = SpoolRecord.largestPayload
        let path = directory.absolutePath() + "/" + settings.user + "/" + settings.prefix
        let completions = WorkQueue("heartwood.events.completions")
        let errorHandler = settings.errorHandler
        func open() throws -> any UnsentStore {
            let partitions = try PartitionedSpool(
                path: path, partitionSize: settings.partitionSize, settings: upload.spoolSettings,
                clock: clock
            ) { newest in
                EventID(at: clock.now(), after: newest.flatMap { EventID($0) }).description
            }
            if let errorHandler {
                partitions.onTrouble = { trouble in completions.enqueue { errorHandler(trouble) } }
            }
            return partitions
        }
        uploader = try HTTPLogger(
            address, settings: upload, name: "events.\(settings.prefix)", connectivity: connectivity,
            clock: clock, takesNoMessages: true, open: open)
        self.completions = completions
        // So that what waits for it is bounded by what is stored, also where threads are short.
        _ = completions.keepThread()
        self.path = path
        self.clock = clock
        self.dispatcher = dispatcher
        self.errorHandler = errorHandler
        self.settings = Locked((settings.partitionSize, nil))
        // An audit waits longer for a disk that takes nothing than a message does.
        uploader.overflowPolicy = .block(upTo: .seconds(10))
        dispatcher.add(uploader, levels: .off)
    }

    deinit { dispatcher.release(uploader) }

    // MARK: - Settings

    /// When a partition is full, looked at before each write; so a partition may grow beyond it by one scope.
    ///
    /// It takes effect in order with what was recorded before.
    public var partitionSize: ByteCount {
        get { settings.withLock { $0.partitionSize } }
        set {
            settings.withLock { $0.partitionSize = newValue }
            uploader.store { store in
                (store as? PartitionedSpool)?.partitionSize = newValue
                return (0, {})
            }
        }
    }

    /// The level at which each event is also logged as a message to the dispatcher, once it is stored; nil,
    /// the default: not at all.
    ///
    /// Its category is `LogCategory.events`, its metadata the event's fields, private ones too. It is subject
    /// to the dispatcher's limits like any message.
    public var messageLevel: LogLevel? {
        get { settings.withLock { $0.messageLevel } }
        set { settings.withLock { $0.messageLevel = newValue } }
    }

    /// The most bytes of an event: of a typed one as a whole, of a scope's and a custom one in `data`; 16 MiB
    /// by default, 48 MiB at most.
    ///
    /// One read and one transaction are one event up to it; what is larger becomes several, each with `part`,
    /// `of` and `first`, the key of the first part. An object or custom data larger by itself is an error of
    /// code `.invalidEvent`. The server must take requests of that size: an event larger than the uploader's
    /// `maximumBytesPerRequest` is sent alone. A change holds for what is recorded afterwards.
    public var payloadLimit: ByteCount {
        get { limits.withLock { $0.payload } }
        set { limits.withLock { $0.payload = min(max(newValue, .kibibytes(1)), .mebibytes(48)) } }
    }

    /// Whether reads of one type in a row become one event, true by default; see
    /// `EventScope.record(read:expanding:)`.
    ///
    /// A change holds for what is recorded afterwards.
    public var foldsReads: Bool {
        get { limits.withLock { $0.foldsReads } }
        set { limits.withLock { $0.foldsReads = newValue } }
    }

    // MARK: - Waiting

    /// Returns once everything recorded before is in the files.
    ///
    /// - Returns: false when that was not so in time, and at once inside of a logger.
    @discardableResult
    public func flush(timeout: Duration = .seconds(10)) -> Bool { uploader.save(timeout: timeout) }

    /// Sends what is stored, all partitions of it, and returns when the server has it.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: whether nothing is left.
    public func deliver(timeout: Duration) async -> Bool { await uploader.deliver(timeout: timeout) }

    /// Stores what was recorded, ends the sending, and frees the directory.
    ///
    /// It waits for that, for 10 s at most. What was not sent is, after the next start. What is recorded from
    /// now on fails.
    ///
    /// A store that is released without it does the same, and first sends what is pending and waits for that
    /// as `uploader.exitWait` says, 1 s by default: the process may be about to end.
    public func close() { dispatcher.remove(uploader) }

    // MARK: - Storing

    /// Has something done in its turn; waits for room as long as the store makes progress.
    func submit(_ operation: Operation) {
        uploader.counters.count(received: operation.count)
        let patience: Duration? =
            if case .block(let limit) = uploader.overflowPolicy, !AbstractLogger.isInAnyHook { limit } else {
                nil
            }
        while true {
            let limit = uploader.backlogLimit.limit
            let answer = inbox.withLock {
                $0.offer(
                    operation, weighing: operation.size, limit: limit ?? .max / 4,
                    patience: patience, at: clock.uptime())
            }
            switch answer {
            case .taken(isFirst: false): return
            case .taken(isFirst: true): return uploader.store { [self] in work($0) }
            case .wait(let pause): _ = uploader.waitUntilIdle(timeout: pause)
            case .refused:
                uploader.counters.count(dropped: operation.count)
                return finish(
                    operation,
                    LogError(
                        .full,
                        "an event was lost: \(ByteCount(limit ?? 0)) of events are waiting "
                            + "to be written, and the disk makes no progress",
                        place: path))
            }
        }
    }

    /// Stores what was submitted, on the uploader's queue; returns how many events it stored, and a closure
    /// that tells the completions.
    private func work(_ store: any UnsentStore) -> (count: Int, then: () -> Void) {
        let operations = inbox.withLock { $0.takeAll() }
        guard let partitions = store as? PartitionedSpool else { return (0, {}) }
        var count = 0
        var ended: [(Operation, (any Error)?)] = []
        for operation in operations {
            do {
                try work(operation, partitions)
                count += operation.count
                ended.append((operation, nil))
            } catch {
                uploader.counters.count(failed: operation.count)
                ended.append((operation, error))
            }
            inbox.withLock { $0.noteProgress() }
        }
        uploader.counters.count(delivered: count)
        return (count, { [self, ended] in for (operation, error) in ended { finish(operation, error) } })
    }

    private func work(_ operation: Operation, _ partitions: PartitionedSpool) throws {
        let info = UInt8(clamping: LogLevel.info.index)
        switch operation {
        case .event(let event): try partitions.add(event.payload, time: event.time, level: info)
        case .batch(let batch, _):
            try batch.seal()
            batch.rewind()
            try partitions.appendWhole(batch.count, bytes: batch.bytes) {
                let event = try batch.next()
                inbox.withLock { $0.noteProgress() }
                return (event.payload, event.time, info)
            }
        case .failure(let error, _): throw error
        }
    }

    /// Tells whoever wants to know, in order, on a queue where nothing is held up by it.
    private func finish(_ operation: Operation, _ error: (any Error)?) {
        let level = error == nil ? messageLevel : nil
        switch operation {
        case .event(let event):
            if let error { report(error, .writeFailed) }
            guard let level else { return }
            completions.enqueue { [self] in log(event, level) }
        case .batch(let batch, let completion):
            if level == nil && completion == nil && error == nil { return }
            completions.enqueue { [self] in
                if let level {
                    batch.rewind()
                    for _ in 0..<batch.count { if let event = try? batch.next() { log(event, level) } }
                }
                complete(completion, error)
            }
        case .failure(_, let completion): completions.enqueue { [self] in complete(completion, error) }
        }
    }

    private func complete(_ completion: Completion?, _ error: (any Error)?) {
        if let completion { return completion(error) }
        if let error { report(error, .writeFailed) }
    }

    private func log(_ event: StoredEvent, _ level: LogLevel) {
        guard isLogEnabled(level, category: .events, to: dispatcher), let entry = event.entry else { return }
        Heartwood.log(
            LogText(entry.text), level: level, category: .events, metadata: entry.metadata, to: dispatcher)
    }

    /// Passes an error to the error handler, or else to the diagnostics.
    func report(_ error: any Error, _ kind: LogDiagnostics.Kind) {
        if let errorHandler {
            completions.enqueue { errorHandler(error) }
        } else {
            dispatcher.diagnostics.report(kind, "\(uploader.name): \(error)", key: uploader.name)
        }
    }
}
