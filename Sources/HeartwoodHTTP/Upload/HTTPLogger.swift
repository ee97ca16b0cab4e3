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
/// With a spool directory a message is on disk before it is sent, and goes only after the server has it: it
/// survives a dead network, server errors, `kill -9` and restarts. Every batch has an `Idempotency-Key` that
/// stays the same when it is repeated, so that a server can recognize it. Without a directory the store is
/// memory, with the same limits, and a flush waits for the delivery. Private pieces are redacted before they
/// are stored, unless ``privacy`` says otherwise.
///
/// Nothing is sent before the logger is added to a dispatcher; settings made until then hold for the first
/// request. Then what an earlier run left is sent at once. One request is in flight at a time, so that the
/// order is kept. Callers and other loggers never wait for the network. All settings may be changed at any
/// time, and take effect in order with the messages.
public final class HTTPLogger: AbstractLogger, @unchecked Sendable {  // `Ordered`, or used in hooks
    // MARK: Constants (any thread)

    /// What stores and sends the messages.
    let runtime: DeliveryRuntime
    private let transport: any HTTPTransport
    private let clock: any LogClock
    private let appVersion: String?
    private let appBuild: Int?
    /// Whether it sends records that other modules store, and takes no messages.
    private let takesNoMessages: Bool

    // MARK: Settings (any thread, ordered)

    /// All settings of a logger that sends messages to a server.
    public typealias Settings = HTTPSettings

    /// All settings as they are; the properties below are its members.
    public var settings: Settings { ordered.value(in: self) }
    private let ordered: Ordered<Settings>

    /// Changes several settings at once, which take effect together.
    ///
    /// What other threads set meanwhile is kept, and `change` is called again where they did.
    ///
    /// - Parameter change: Changes the settings; without side effects.
    public func updateSettings(_ change: (inout Settings) -> Void) { ordered.update(of: self, change) }

    /// Where the requests go, as it was given.
    @Ordered var address: HTTPAddress
    /// The body's form; a change applies to what is stored already, too.
    @OrderedMember(\Settings.encoding) public var encoding: any RemoteEncoding
    /// Changes to every request, in their order, none by default; called for each attempt, on any thread.
    @OrderedMember(\Settings.decorators) public var decorators: [RequestDecorator]
    /// Who may read private pieces, applied before a message is stored; `redact` by default.
    @OrderedMember(\Settings.privacy) public var privacy: LogPrivacyPolicy

    /// How often pending messages are sent; 60 s by default.
    @OrderedMember(\Settings.sendInterval) public var sendInterval: Duration
    /// How often while ``isInBackground``; nil, the default, means ``sendInterval``.
    @OrderedMember(\Settings.backgroundInterval) public var backgroundInterval: Duration?
    /// Whether the program is in the background, false by default; a change sends what is pending.
    @OrderedMember(\Settings.isInBackground) public var isInBackground: Bool
    /// By which part an interval is drawn longer or shorter, so that many clients spread out; 0.1 by default.
    @OrderedMember(\Settings.jitter) public var jitter: Double
    /// The points that each level brings; an error goes at once by default.
    @OrderedMember(\Settings.levelWeights) public var levelWeights: LevelWeights
    /// How many points make pending messages go at once; 10 by default, 0: points do nothing.
    @OrderedMember(\Settings.pointThreshold) public var pointThreshold: Int
    /// How many pending messages are sent at once, without waiting for the interval; 300 by default, nil: the
    /// number does nothing.
    @OrderedMember(\Settings.countThreshold) public var countThreshold: Int?
    /// The most messages in a request; 300 by default, nil: as many as ``maximumBytesPerRequest`` and the
    /// encoding allow.
    ///
    /// One batch is never wider than 32,000 messages.
    @OrderedMember(\Settings.maximumMessagesPerRequest) public var maximumMessagesPerRequest: Int?
    /// The most bytes of a request's body, before compression; 1 MiB by default.
    @OrderedMember(\Settings.maximumBytesPerRequest) public var maximumBytesPerRequest: ByteCount
    /// How long a request may stay where it is, and how long the answer may take after the request's last
    /// byte has arrived; 30 s by default.
    ///
    /// A request that moves is not ended, however slow the line is. One that stops on its way is sent again
    /// in halves.
    @OrderedMember(\Settings.requestTimeout) public var requestTimeout: Duration
    /// gzip's level, 1 to 9, for encodings that allow it; 0, the default: no compression.
    @OrderedMember(\Settings.compressionLevel) public var compressionLevel: Int
    /// A message's text is cut at this size; 64 KiB by default, 512 KiB at most.
    @OrderedMember(\Settings.maximumMessageSize) public var maximumMessageSize: ByteCount
    /// Whether sending is held, false by default; what is logged meanwhile is stored.
    @OrderedMember(\Settings.isPaused) public var isPaused: Bool
    /// Asked before each request, on the logger's queue, unless nil; false holds the sending until the next
    /// interval.
    ///
    /// It is asked once per interval then, however much is pending; ``sendNow()`` asks again.
    @OrderedMember(\Settings.sendCondition) public var sendCondition: (@Sendable () -> Bool)?

    /// What is done after a failed attempt.
    @OrderedMember(\Settings.retryPolicy) public var retryPolicy: any RetryPolicy
    /// Called when the server does not accept our credentials, once until it accepts them again, to get new
    /// ones; nil by default.
    ///
    /// When it returns the request is sent again. A second refusal, or nil here, holds the sending and keeps
    /// everything.
    @OrderedMember(\Settings.refreshAuthorization) public var refreshAuthorization:
        (@Sendable () async -> Void)?

    /// Limits of the store of unsent messages.
    @OrderedMember(\Settings.spoolSettings) public var spoolSettings: SpoolSettings
    /// How long messages may stay in memory before they are saved; zero, the default: until the batch's end.
    ///
    /// What was not saved is lost if the process dies.
    @OrderedMember(\Settings.saveDelay) public var saveDelay: Duration
    /// How much the files of refused messages take; 8 MiB by default.
    ///
    /// The oldest are removed to make room, and counted in ``HTTPStatistics/rejectedRemoved``; an event store
    /// removes none.
    @OrderedMember(\Settings.deadLetterLimit) public var deadLetterLimit: ByteCount
    /// How long a flush waits for the delivery; zero by default, 4 s without a spool directory.
    @OrderedMember(\Settings.flushWait) public var flushWait: Duration
    /// How long the end of the process waits for the delivery, if that is longer than ``flushWait``; 1 s by
    /// default.
    ///
    /// What is pending is sent then, as far as the time suffices, and the server is asked for the
    /// acknowledgements that are still to come. With zero for both, no request is started at the end. The
    /// same is done when the logger's dispatcher is released, or the event store that it belongs to.
    @OrderedMember(\Settings.exitWait) public var exitWait: Duration
    /// How long a server may take to acknowledge what it has received before it is sent again; 5 min by
    /// default.
    ///
    /// It is about servers that confirm later, see ``AcknowledgingEncoding``.
    @OrderedMember(\Settings.acknowledgementTimeout) public var acknowledgementTimeout: Duration

    /// Which facts about the device go along, where the encoding has a place for them.
    ///
    /// By default ``DeviceFacts/standard``: the host's name and the id of the installation only where you say
    /// so. A logger that is made with ``SwiftyBeaverEncoding`` sends all, as that platform's clients do.
    @OrderedMember(\Settings.deviceFacts) public var deviceFacts: DeviceFacts
    /// A name for the user, where it may be sent; nil, the default: the one that was set last, in an earlier
    /// run too.
    ///
    /// It is kept in the spool's directory until it is set to the empty text.
    @OrderedMember(\Settings.userName) public var userName: String?
    /// Gets a line for each step, as `[Heartwood.<name>.Sending] sending 2 logs`, on the logger's queue; nil
    /// by default.
    @OrderedMember(\Settings.transcript) public var transcript: (@Sendable (String) -> Void)?

    // MARK: Owned by the hooks

    private var device: DeviceRecord
    /// The settings in force.
    private var chosen: HTTPSettings

    /// Makes a logger; nothing is connected before the first request.
    ///
    /// - Parameters:
    ///   - address: Where requests go. Without a path the encoding's own is taken.
    ///   - encoding: The body's form; a JSON array unless given.
    ///   - directory: Where unsent messages are stored; nil keeps them in memory. It belongs to this logger
    ///     alone.
    ///   - name: The logger's name.
    ///   - formatter: Makes the text of each message; nil takes the message's own.
    ///   - settings: The store's limits.
    ///   - allowsInsecureHTTP: Whether plain `http` to another machine is meant.
    ///   - appVersion: The program's version, for the device's facts.
    ///   - appBuild: The program's build, for the device's facts.
    ///   - transport: What carries requests; the system's unless given.
    ///   - connectivity: Tells when there is a network; nil: there always is.
    ///   - clock: Where times come from.
    /// - Throws: `LogError` when the address is invalid, or the directory cannot, or another logger has it.
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
            transport: transport, connectivity: connectivity, clock: clock, takesNoMessages: false
        ) {
            try Spool(directory: directory, settings: settings, clock: clock)
        }
    }

    /// Makes a logger with the store that `open` opens, once everything else is known to be right.
    ///
    /// With `takesNoMessages` it sends what ``store(_:)`` stores, never drops any of it, and what an earlier
    /// run left waits for the first use.
    package init(
        _ address: String, encoding: any RemoteEncoding, name: String?, formatter: LogFormatter?,
        settings: SpoolSettings, allowsInsecureHTTP: Bool, appVersion: String?, appBuild: Int?,
        transport: (any HTTPTransport)?, connectivity: (any ConnectivityMonitor)?, clock: any LogClock,
        takesNoMessages: Bool, open: () throws -> any UnsentStore
    ) throws {
        let address = try HTTPAddress(address, allowsInsecureHTTP: allowsInsecureHTTP)
        let store = try open()
        let transport = transport ?? PlatformTransport.make()
        device = DeviceRecord.started(
            in: store.directory, at: clock.now(), version: appVersion, build: appBuild)
        var chosen = HTTPSettings(encoding: encoding, spoolSettings: settings)
        if !store.isOnDisk { chosen.flushWait = .seconds(4) }
        self.chosen = chosen
        _address = Ordered(wrappedValue: address)
        ordered = Ordered(wrappedValue: chosen)
        self.transport = transport
        self.clock = clock
        self.appVersion = appVersion
        self.appBuild = appBuild
        self.takesNoMessages = takesNoMessages
        let first = DeliverySettings(
            chosen: chosen, name: name ?? "HTTPLogger", address: address, transport: transport,
            neverDrops: takesNoMessages)
        runtime = DeliveryRuntime(
            store, first, clock: clock, monitor: connectivity, startsAtFirstUse: takesNoMessages)
        super.init(name: name, formatter: formatter, isUnlisted: takesNoMessages)
        orderedSettings = ordered
        runtime.belongs(to: self)
        runtime.apply(current)
    }

    /// Where the requests go: where the address names no path, to the encoding's own.
    public var endpoint: HTTPEndpoint { DeliverySettings.endpoint(of: address, encoding) }

    /// Sends to another address from now on, what is stored already as well.
    ///
    /// Any thread; takes effect in order with the messages.
    ///
    /// - Throws: `LogError` when the address is invalid; then the one before stays.
    public func setAddress(_ address: String, allowsInsecureHTTP: Bool = false) throws {
        self.address = try HTTPAddress(address, allowsInsecureHTTP: allowsInsecureHTTP)
    }

    /// Counts of the messages so far: stored, acknowledged, rejected, dropped, pending; never waits.
    public var httpStatistics: HTTPStatistics { runtime.statistics }

    // MARK: - Asking

    /// Sends what is pending now, whatever the interval says; nothing before the logger was added to a
    /// dispatcher.
    ///
    /// A pause that the server asked for is kept to, and while it has failed five times in a row, so are the
    /// others.
    public func sendNow() {
        performInOrder { [runtime] in runtime.shell.wish(.sendNow) }
    }

    /// Sends what is pending, and returns when the server has all of it.
    ///
    /// The logger must belong to a dispatcher: nothing is sent before it was added.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: whether nothing is pending any more.
    public func deliver(timeout: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let waiter = DeliveryWaiter(continuation)
            performInOrder { [runtime] in runtime.deliver(waiter, timeout: timeout) }
            workIfAlone()
        }
    }

    /// As the asynchronous `deliver(timeout:)`, for callers that may wait; false at once inside of a logger.
    public func deliver(timeout: Duration) -> Bool {
        if isInHook { return false }
        let done = Semaphore()
        let result = Locked(false)
        runtime.detach { [self] in
            let isDelivered = await deliver(timeout: timeout)
            result.withLock { $0 = isDelivered }
            done.signal()
        }
        return done.wait(upTo: timeout) && result.withLock { $0 }
    }

    /// Throws everything away that is pending; it counts as dropped.
    ///
    /// Messages of a request in flight are thrown away, too, and not sent again. They count as pending until
    /// the answer comes, then as acknowledged if the server has taken them.
    public func discardUnsent() {
        performInOrder { [runtime] in runtime.shell.discard() }
    }

    // MARK: - Hooks

    /// Stores the message.
    public override func log(_ message: LogMessage) {
        if takesNoMessages { return countFiltered() }
        let text: String?
        if formatter != nil {
            guard let formatted = formatted(message) else { return }
            text = formatted
        } else if redactionForMessage != nil {
            var clear = LogBuffer()
            beginRedaction(in: &clear)
            clear.appendText(of: message, privacy: chosen.privacy)
            text = clear.text
        } else {
            text = nil
        }
        var entry = RemoteEntry(message, text: text, privacy: chosen.privacy)
        if let rules = redactionForMessage {
            entry.fields = rules.redacted(entry.fields)
            entry.metadata = rules.redacted(entry.metadata)
        }
        entry.text = Truncation.cut(entry.text, to: min(chosen.maximumMessageSize.bytes, 524_288))
        var payload = EntryCoder.encode(entry)
        if payload.count > SpoolRecord.payloadLimit {
            entry.fields = [:]
            entry.metadata = ["heartwood.dropped_fields": true]
            payload = EntryCoder.encode(entry)
        }
        let level = UInt8(clamping: entry.severity.index)
        let isStored = runtime.shell.append(
            payload, time: entry.time, level: level, mark: journalMark,
            points: chosen.levelWeights[message.level])
        if !isStored { reportFailure("the store of unsent messages is full") }
    }

    /// Saves what was stored, now at the end of the process, and sends it if it is time.
    public override func batchDidEnd() {
        runtime.stored()
        if isLastFlush { runtime.save() }
    }

    /// Saves what was stored and has it sent; waits for the delivery as long as ``flushWait`` says, and at
    /// the end of the process as long as ``exitWait`` does.
    public override func flush() { runtime.flush(isExit: isLastFlush) }

    /// Starts to watch the network, and sends at once what an earlier run has left.
    public override func didAdd() {
        apply()
        runtime.added()
    }

    /// Saves what is left, which is sent after the next start, and frees the spool's directory.
    ///
    /// Nothing new is sent. A request in flight has a second to end by itself; then it is cancelled. Without
    /// a directory the messages are sent now, and waited for as long as ``flushWait`` says.
    public override func willRemove() { runtime.removed() }

    /// Takes new settings over.
    public override func settingsDidChange() {
        device.keep(user: userName, in: runtime.shell.store.directory)
        apply()
    }

    private func apply() {
        let current = current
        chosen = current.chosen
        runtime.apply(current)
    }

    /// The settings in force; for hooks, which own what is known of the device.
    private var current: DeliverySettings {
        DeliverySettings(
            chosen: settings, name: name, address: address, transport: transport, device: deviceDictionary,
            neverDrops: takesNoMessages)
    }

    /// What requests say of this machine and program.
    var deviceDictionary: LogMetadata {
        device.dictionary(deviceFacts, version: appVersion, build: appBuild, user: userName)
    }
}

// The names before they said what they are of.
extension HTTPLogger {
    /// The name until this release.
    @available(*, deprecated, renamed: "sendInterval")
    public var interval: Duration {
        get { sendInterval }
        set { sendInterval = newValue }
    }
    /// The name until this release.
    @available(*, deprecated, renamed: "requestTimeout")
    public var timeout: Duration {
        get { requestTimeout }
        set { requestTimeout = newValue }
    }
    /// The name until this release.
    @available(*, deprecated, renamed: "pointThreshold")
    public var threshold: Int {
        get { pointThreshold }
        set { pointThreshold = newValue }
    }
    /// The name until this release.
    @available(*, deprecated, renamed: "levelWeights")
    public var weights: LevelWeights {
        get { levelWeights }
        set { levelWeights = newValue }
    }
    /// The name until this release.
    @available(*, deprecated, renamed: "sendCondition")
    public var condition: (@Sendable () -> Bool)? {
        get { sendCondition }
        set { sendCondition = newValue }
    }
}
