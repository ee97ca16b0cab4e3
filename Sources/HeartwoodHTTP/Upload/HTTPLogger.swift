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
/// are stored, unless ``HTTPSettings/privacy`` says otherwise.
///
/// Nothing is sent before the logger is added to a dispatcher; settings made until then hold for the first
/// request. Then what an earlier run left is sent at once. One request is in flight at a time, so that the
/// order is kept. Callers and other loggers never wait for the network. The settings are the members of
/// ``HTTPSettings``; they may be changed at any time, and take effect in order with the messages.
public final class HTTPLogger: AbstractLogger, ConfigurableLogger, @unchecked Sendable {  // owned by hooks
    // MARK: Constants (any thread)

    /// What stores and sends the messages.
    let runtime: DeliveryRuntime
    /// How long a flush waits where the settings do not say.
    private let usualFlushWait: Duration
    /// Whether it sends records that other modules store, and takes no messages.
    private let takesNoMessages: Bool

    // MARK: Settings (any thread, ordered)

    /// The settings; their members are properties of the logger.
    public let orderedSettings: Ordered<HTTPSettings>

    /// Where the requests go, as it was given.
    @Ordered var address: HTTPAddress

    // MARK: Owned by the hooks

    private var device: DeviceRecord
    /// The system's transport, where the settings name none.
    private lazy var systemTransport: any HTTPTransport = PlatformTransport()

    /// Makes a logger; nothing is connected before the first request.
    ///
    /// It sends each message's own text; set its `formatter` for another one.
    ///
    /// - Parameters:
    ///   - address: Where requests go. Without a path, the encoding's own is taken.
    ///   - settings: What is sent, when, and how much is stored.
    ///   - directory: Where unsent messages are stored; nil keeps them in memory. It belongs to this logger
    ///     alone.
    ///   - name: The logger's name.
    ///   - connectivity: Reports when there is a network; nil: there always is.
    ///   - clock: Where times come from.
    /// - Throws: `LogError` if the address is invalid, or the directory cannot be used, or another logger has
    ///   it.
    public convenience init(
        _ address: String, settings: HTTPSettings = HTTPSettings(), spool directory: String? = nil,
        name: String? = nil, connectivity: (any ConnectivityMonitor)? = nil,
        clock: any LogClock = SystemClock()
    ) throws {
        try self.init(
            address, settings: settings, name: name, connectivity: connectivity, clock: clock,
            takesNoMessages: false
        ) {
            try Spool(directory: directory, settings: settings.spoolSettings, clock: clock)
        }
    }

    /// Makes a logger with the store that `open` opens, once everything else is known to be right.
    ///
    /// With `takesNoMessages` it sends what ``store(_:)`` stores, never drops any of it, and what an earlier
    /// run left waits for the first use.
    package init(
        _ address: String, settings: HTTPSettings, name: String?, connectivity: (any ConnectivityMonitor)?,
        clock: any LogClock, takesNoMessages: Bool, open: () throws -> any UnsentStore
    ) throws {
        let address = try HTTPAddress(address, allowsInsecureHTTP: settings.allowsInsecureHTTP)
        let store = try open()
        device = DeviceRecord.started(
            in: store.directory, at: clock.now(), version: settings.appVersion, build: settings.appBuild)
        device.keep(user: settings.userName, in: store.directory)
        usualFlushWait = store.isOnDisk ? .zero : .seconds(4)
        _address = Ordered(wrappedValue: address)
        orderedSettings = Ordered(wrappedValue: settings)
        self.takesNoMessages = takesNoMessages
        let transport = settings.transport ?? PlatformTransport()
        let first = DeliverySettings(
            chosen: settings, name: name ?? "HTTPLogger", address: address, transport: transport,
            flushWait: settings.flushWait ?? usualFlushWait, neverDrops: takesNoMessages)
        runtime = DeliveryRuntime(
            store, first, clock: clock, monitor: connectivity, startsAtFirstUse: takesNoMessages)
        super.init(name: name, formatter: nil, isUnlisted: takesNoMessages)
        if settings.transport == nil { systemTransport = transport }
        runtime.belongs(to: self)
        runtime.apply(current)
    }

    /// Where the requests go: where the address names no path, to the encoding's own.
    public var endpoint: HTTPEndpoint { DeliverySettings.endpoint(of: address, settings.encoding) }

    /// Sends to another address from now on, what is stored already as well.
    ///
    /// Any thread; takes effect in order with the messages.
    ///
    /// - Throws: `LogError` if the address is invalid, or plain `http` to another machine while
    ///   ``HTTPSettings/allowsInsecureHTTP`` is false; then the one before stays. Once that setting is true,
    ///   it holds for every later address.
    public func setAddress(_ address: String) throws {
        self.address = try HTTPAddress(address, allowsInsecureHTTP: settings.allowsInsecureHTTP)
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
        performInOrder { [runtime] in runtime.shell.handle(.sendNow) }
    }

    /// Sends what is pending, and returns when the server has all of it.
    ///
    /// The logger must belong to a dispatcher: nothing is sent before it was added.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: whether nothing is pending.
    public func deliver(timeout: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            performInOrder { [runtime] in runtime.deliver(timeout: timeout, continuation) }
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

    /// Removes all pending messages, and counts them as dropped.
    ///
    /// Messages of a request in flight are not sent again. They count as pending until the response comes,
    /// then as acknowledged if the server has accepted them.
    public func removeAllPending() {
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
            clear.appendText(of: message, privacy: runtime.settings.chosen.privacy)
            text = clear.text
        } else {
            text = nil
        }
        var entry = RemoteEntry(message, text: text, privacy: runtime.settings.chosen.privacy)
        if let rules = redactionForMessage {
            entry.fields = rules.redacted(entry.fields)
            entry.metadata = rules.redacted(entry.metadata)
        }
        entry.text = Truncation.cut(
            entry.text, to: min(runtime.settings.chosen.maximumMessageSize.bytes, 524_288))
        var payload = EntryCoder.encode(entry)
        if payload.count > SpoolRecord.payloadLimit {
            entry.fields = [:]
            entry.metadata = ["heartwood.dropped_fields": true]
            payload = EntryCoder.encode(entry)
        }
        let level = UInt8(clamping: entry.severity.index)
        let isStored = runtime.shell.append(
            payload, time: entry.time, level: level, mark: journalMark,
            points: runtime.settings.chosen.levelWeights[message.level])
        if !isStored { reportFailure("the store of unsent messages is full") }
    }

    /// Saves what was stored, now at the end of the process, and sends it if it is time.
    public override func batchDidEnd() {
        runtime.stored()
        if isLastFlush { runtime.save() }
    }

    /// Saves what was stored and has it sent; waits for the delivery as long as ``HTTPSettings/flushWait``
    /// says, and at the end of the process as long as ``HTTPSettings/exitWait`` does.
    public override func flush() { runtime.flush(isExit: isLastFlush) }

    /// Starts to watch the network, and sends at once what an earlier run has left.
    public override func didAdd() {
        runtime.apply(current)
        runtime.added()
    }

    /// Saves what is left, which is sent after the next start, and frees the spool's directory.
    ///
    /// Nothing new is sent. A request in flight has a second to end by itself; then it is cancelled. Without
    /// a directory the messages are sent now, and waited for as long as ``HTTPSettings/flushWait`` says.
    public override func willRemove() { runtime.removed() }

    /// Takes new settings over.
    public override func settingsDidChange() {
        device.keep(user: settings.userName, in: runtime.shell.store.directory)
        runtime.apply(current)
    }

    /// The settings in force; for hooks, which own what is known of the device.
    private var current: DeliverySettings {
        let settings = settings
        return DeliverySettings(
            chosen: settings, name: name, address: address, transport: settings.transport ?? systemTransport,
            device: deviceDictionary, flushWait: settings.flushWait ?? usualFlushWait,
            neverDrops: takesNoMessages)
    }

    /// What requests say of this machine and program.
    var deviceDictionary: LogMetadata {
        let settings = settings
        return device.dictionary(
            settings.deviceFacts, version: settings.appVersion, build: settings.appBuild,
            user: settings.userName)
    }
}
