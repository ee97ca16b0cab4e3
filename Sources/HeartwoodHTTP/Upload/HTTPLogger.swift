import CHeartwood
import Dispatch
public import Heartwood

/// Sends messages to a server, in batches, and keeps what could not be sent until it can.
///
/// ```swift
/// let remote = try HTTPLogger("https://logs.example.com/ingest", spool: "/var/lib/app/spool")
/// remote.decorators = [.bearer(named: "LOG_TOKEN", from: EnvironmentSecrets())]
/// LogDispatcher.shared.add(remote, levels: .notice)
/// ```
///
/// With a spool directory a message is on disk before it is sent, and goes only after the server has it: it survives a
/// dead network, server errors, `kill -9` and restarts. Every batch has an `Idempotency-Key` that stays the same when it
/// is repeated, so that a server can recognise it. Without a directory the store is memory, with the same limits, and a
/// flush waits for the delivery. Private pieces are redacted before they are stored, unless ``privacy`` says otherwise.
///
/// One request is in flight at a time, so that the order is kept. Callers and other loggers never wait for the network.
/// All settings may be changed at any time, and take effect in order with the messages.
public final class HTTPLogger: AbstractLogger, @unchecked Sendable {  // `Ordered`, or used in hooks
    // MARK: Constants (any thread)

    let transport: any HTTPTransport
    let clock: any LogClock
    let executor = UploadExecutor()
    let monitor: (any ConnectivityMonitor)?
    let appVersion: String?
    let appBuild: Int?

    // MARK: Settings (any thread, ordered)

    /// Where the requests go, as it was given.
    @Ordered var address: HTTPAddress
    /// The body's form; a change applies to what is stored already, too.
    @Ordered public var encoding: any RemoteEncoding
    /// Changes to every request, in their order, none by default; asked anew for each attempt, on any thread.
    @Ordered public var decorators: [RequestDecorator] = []
    /// Who may read private pieces, applied before a message is stored; ``LogPrivacyPolicy/redact`` by default.
    @Ordered public var privacy = LogPrivacyPolicy.redact

    /// How often what waits is sent; 60 s by default.
    @Ordered public var interval = Duration.seconds(60)
    /// How often while ``isInBackground``; nil, the default, means ``interval``.
    @Ordered public var backgroundInterval: Duration?
    /// Whether the program is in the background, false by default; a change sends what waits.
    @Ordered public var isInBackground = false
    /// By which part an interval is drawn longer or shorter, so that many clients spread out; 0.1 by default.
    @Ordered public var jitter = 0.1
    /// The points that each level brings; an error goes at once by default.
    @Ordered public var weights = LevelWeights.standard
    /// How many points make what waits go at once; 10 by default, 0: points do nothing.
    @Ordered public var threshold = 10
    /// The most messages in a request, and as many make one go at once; 300 by default, 32,000 at most.
    @Ordered public var maximumMessagesPerRequest = 300
    /// The most bytes of a request's body, before compression; 1 MiB by default.
    @Ordered public var maximumBytesPerRequest = ByteCount.mebibytes(1)
    /// How long an exchange may take in all; 30 s by default.
    @Ordered public var timeout = Duration.seconds(30)
    /// gzip's level, 1 to 9, for encodings that allow it; 0, the default: no compression.
    @Ordered public var compressionLevel = 0
    /// A message's text is cut at this size; 64 KiB by default, 512 KiB at most.
    @Ordered public var maximumMessageSize = ByteCount.kibibytes(64)
    /// Whether sending is held, false by default; what is logged meanwhile is stored.
    @Ordered public var isPaused = false
    /// Asked before each request, on the logger's queue, unless nil; false holds the sending for an interval.
    @Ordered public var condition: (@Sendable () -> Bool)?

    /// What is done after a failed attempt.
    @Ordered public var retryPolicy: any RetryPolicy = StandardRetryPolicy()
    /// Called once when the server does not accept our credentials, to get new ones; nil by default.
    ///
    /// When it returns the request is sent again. A second refusal, or nil here, holds the sending and keeps everything.
    @Ordered public var refreshAuthorization: (@Sendable () async -> Void)?

    /// Limits of the store of unsent messages.
    @Ordered public var spoolSettings: SpoolSettings
    /// How long messages may stay in memory before they are saved; zero, the default: until the batch's end.
    ///
    /// What was not saved is lost if the process dies.
    @Ordered public var saveDelay = Duration.zero
    /// How much the files of refused messages take; 8 MiB by default.
    ///
    /// The oldest are removed to make room, and counted in ``HTTPStatistics/rejectedRemoved``; an event store removes none.
    @Ordered public var deadLetterLimit = ByteCount.mebibytes(8)
    /// How long a flush waits for the delivery; zero by default, 4 s without a spool directory.
    @Ordered public var flushWait: Duration

    /// Which facts about the device go along, where the encoding has a place for them; all by default.
    @Ordered public var deviceFacts = DeviceFacts.all
    /// A name for the user, where it may be sent; nil, the default: the one that was set last, in an earlier run too.
    ///
    /// It is kept in the spool's directory until it is set to the empty text.
    @Ordered public var userName: String?
    /// Gets a line for each step, as `[Heartwood.<name>.Sending] sending 2 logs`, on the logger's queue; nil by default.
    @Ordered public var transcript: (@Sendable (String) -> Void)?

    // MARK: Guarded by themselves

    let published = Locked<(figures: HTTPStatistics, oldest: LogTimestamp?)>((HTTPStatistics(), nil))
    let mailbox = Locked<[(UploadJob.Report, attachment: Int)]>([])
    let mail = Semaphore()
    let waiters = Locked<[Waiter]>([])

    // MARK: Owned by the hooks

    var spool: any UnsentStore
    var scheduler = UploadScheduler()
    var breaker = CircuitBreaker()
    var deadLetters: DeadLetterFile?
    var device: DeviceRecord
    var figures = HTTPStatistics()
    var timer: (any LogTimer)?
    /// When `timer` fires, as of the clock's `uptime`.
    var timerDue = Duration.zero
    var saveTimer: (any LogTimer)?
    var random = SystemRandomNumberGenerator()
    var isConnected = true
    var wasConnectionTold = false
    var hasRefreshedAuthorization = false
    var consecutiveFailures = 0
    var consecutiveAnswers = 0
    /// How often the store was closed; what belongs to an earlier number comes too late.
    var attachment = 0
    var inFlight: Task<Void, Never>?
    var newPoints = 0
    var newCount = 0
    var wasInBackground = false

    /// Makes a logger; nothing is connected before the first request.
    ///
    /// - Parameters:
    ///   - address: Where requests go. Without a path the encoding's own is taken.
    ///   - encoding: The body's form; a JSON array unless given.
    ///   - directory: Where unsent messages are stored; nil keeps them in memory. It belongs to this logger alone.
    ///   - name: The logger's name.
    ///   - formatter: Makes the text of each message; nil takes the message's own.
    ///   - settings: The store's limits.
    ///   - allowsInsecureHTTP: Whether plain `http` to another machine is meant.
    ///   - appVersion: The program's version, for the device's facts.
    ///   - appBuild: The program's build, for the device's facts.
    ///   - transport: What carries requests; the system's unless given.
    ///   - connectivity: Tells when there is a network; nil: there always is.
    ///   - clock: Where times come from.
    /// - Throws: `LogError` when the address cannot be used, or the directory cannot, or another logger has it.
    public convenience init(
        _ address: String, encoding: any RemoteEncoding = JSONArrayEncoding(), spool directory: String? = nil,
        name: String? = nil, formatter: LogFormatter? = nil, settings: SpoolSettings = SpoolSettings(),
        allowsInsecureHTTP: Bool = false, appVersion: String? = nil, appBuild: Int? = nil,
        transport: (any HTTPTransport)? = nil, connectivity: (any ConnectivityMonitor)? = nil,
        clock: any LogClock = SystemClock()
    ) throws {
        try self.init(
            address, encoding: encoding, name: name, formatter: formatter, settings: settings,
            allowsInsecureHTTP: allowsInsecureHTTP, appVersion: appVersion, appBuild: appBuild,
            transport: transport, connectivity: connectivity, clock: clock
        ) {
            try Spool(directory: directory, settings: settings, clock: clock)
        }
    }

    /// Makes a logger whose messages wait in the store that `open` opens, once everything else is known to be right.
    package init(
        _ address: String, encoding: any RemoteEncoding, name: String?, formatter: LogFormatter?,
        settings: SpoolSettings, allowsInsecureHTTP: Bool, appVersion: String?, appBuild: Int?,
        transport: (any HTTPTransport)?, connectivity: (any ConnectivityMonitor)?, clock: any LogClock,
        open: () throws -> any UnsentStore
    ) throws {
        let address = try HTTPAddress(address, allowsInsecureHTTP: allowsInsecureHTTP)
        spool = try open()
        device = DeviceRecord.started(
            in: spool.directory, at: clock.now(), version: appVersion, build: appBuild)
        _address = Ordered(wrappedValue: address)
        _encoding = Ordered(wrappedValue: encoding)
        _spoolSettings = Ordered(wrappedValue: settings)
        _flushWait = Ordered(wrappedValue: spool.isOnDisk ? .zero : .seconds(4))
        self.transport = transport ?? PlatformTransport.make()
        self.clock = clock
        self.appVersion = appVersion
        self.appBuild = appBuild
        monitor = connectivity
        super.init(name: name, formatter: formatter)
        deadLetters = makeDeadLetters()
        publish()
    }

    deinit { monitor?.stop() }

    /// Where the requests go: where the address names no path, to the encoding's own.
    public var endpoint: HTTPEndpoint {
        let endpoint = address.endpoint
        return endpoint.path == "/" ? endpoint.with(path: encoding.defaultPath) : endpoint
    }

    /// Sends to another address from now on, what is stored already as well.
    ///
    /// Any thread; takes effect in order with the messages.
    ///
    /// - Throws: `LogError` when the address cannot be used; then the one before stays.
    public func setAddress(_ address: String, allowsInsecureHTTP: Bool = false) throws {
        self.address = try HTTPAddress(address, allowsInsecureHTTP: allowsInsecureHTTP)
    }

    /// What became of the messages so far; never waits.
    public var httpStatistics: HTTPStatistics {
        var (figures, oldest) = published.withLock { $0 }
        figures.oldestUnsentAge = oldest.map { max(.zero, clock.now() - $0) }
        return figures
    }

    // MARK: - Hooks

    /// Stores the message.
    public override func log(_ message: LogMessage) {
        let text: String?
        if formatter != nil {
            guard let formatted = formatted(message) else { return }
            text = formatted
        } else {
            text = nil
        }
        var entry = RemoteEntry(message, text: text, privacy: privacy)
        if let rules = redactionForMessage {
            if text == nil { entry.text = rules.redacted(entry.text) }
            entry.fields = rules.redacted(entry.fields)
            entry.metadata = rules.redacted(entry.metadata)
        }
        entry.text = Self.cut(entry.text, to: min(maximumMessageSize.bytes, 524_288))
        var payload = EntryCoder.encode(entry)
        if payload.count > SpoolRecord.payloadLimit {
            entry.fields = [:]
            entry.metadata = ["heartwood.dropped_fields": true]
            payload = EntryCoder.encode(entry)
        }
        let level = UInt8(clamping: entry.severity.index)
        if spool.append(payload, time: entry.time, level: level, mark: journalMark) {
            newPoints += weights[message.level]
            newCount += 1
        } else {
            noteFailure("the store of unsent messages is full")
        }
    }

    /// Saves what was stored, and sends it if it is time.
    public override func batchDidEnd() {
        guard newCount > 0 else { return publish() }
        tell(.appending, "appending logs")
        if saveDelay <= .zero {
            save()
        } else if saveTimer == nil {
            saveTimer = clock.schedule(after: saveDelay, on: queue) { [weak self] in
                guard let self else { return }
                perform { self.save() }
            }
        }
        scheduler.stored(points: newPoints, at: clock.uptime(), random: draw(), schedule)
        newPoints = 0
        newCount = 0
        pump()
    }

    /// Saves what was stored and has it sent; waits for the delivery as long as ``flushWait`` says.
    public override func flush() {
        save()
        ask(.flush)
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: max(.zero, flushWait).nanoseconds))
        while scheduler.isInFlight, DispatchTime.now() < deadline {
            _ = mail.wait(until: deadline)
            collect()
        }
    }

    /// Begins to watch the network, and to send what an earlier run has left.
    public override func didAdd() {
        reopen()
        monitor?.start { [weak self] isConnected in
            guard let self else { return }
            perform { self.connectivityChanged(isConnected) }
        }
        if spool.pending > 0 { scheduler.stored(points: 0, at: clock.uptime(), random: draw(), schedule) }
        pump()
    }

    /// Saves what is left, which is sent after the next start, and frees the spool's directory.
    ///
    /// A request that is on its way has a second to end by itself; then it is cancelled.
    public override func willRemove() {
        flush()
        monitor?.stop()
        guard spool.isOnDisk else { return }
        for mayCancel in [true, false] where scheduler.isInFlight {
            let deadline = DispatchTime.now() + 1
            while scheduler.isInFlight, mail.wait(until: deadline) { collect() }
            if mayCancel { inFlight?.cancel() }
        }
        stopLooking()
        saveTimer?.cancel()
        save()
        attachment += 1
        scheduler = UploadScheduler()
        deadLetters = nil
        spool.close()
        publish()
    }

    /// Opens the store again, when the logger was removed and is added anew.
    private func reopen() {
        guard spool.isClosed else { return }
        spool.settings = spoolSettings
        do {
            spool = try spool.reopened()
        } catch {
            diagnostics.report(
                .setting, "\(name): unsent messages are kept in memory only: \(error)", key: name)
            spool = spool.reopenedInMemory()
        }
        deadLetters = makeDeadLetters()
    }

    /// The file of refused messages; that of a store that never drops anything has no limit.
    private func makeDeadLetters() -> DeadLetterFile? {
        spool.directory.map { DeadLetterFile(in: $0, limit: spool.keepsEverything ? nil : deadLetterLimit) }
    }

    /// Takes new settings over.
    public override func settingsDidChange() {
        spool.settings = spoolSettings
        device.keep(user: userName, in: spool.directory)
        if !spool.keepsEverything { deadLetters?.limit = deadLetterLimit }
        scheduler.settingsChanged(at: clock.uptime(), random: draw(), schedule)
        if isInBackground != wasInBackground {
            wasInBackground = isInBackground
            ask(.flush)
        } else {
            pump()
        }
    }

    private static func cut(_ text: String, to limit: Int) -> String {
        let count = text.utf8.count
        guard count > limit else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: max(0, limit))
        while end > text.startIndex, end.samePosition(in: text) == nil { end = text.utf8.index(before: end) }
        let kept = text[..<end]
        return kept + "…[truncated \(count - kept.utf8.count) bytes]"
    }

    var deviceDictionary: LogMetadata {
        device.dictionary(deviceFacts, version: appVersion, build: appBuild, user: userName)
    }
}
