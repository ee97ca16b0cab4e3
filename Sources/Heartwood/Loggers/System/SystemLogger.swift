import Dispatch
import Synchronization

/// Writes messages to the system log: journald or syslog, on this or another host, or Apple's unified log.
///
/// ```swift
/// let system = SystemLogger()  // journald, else /dev/log; on Apple's systems the unified log
/// LogDispatcher.shared.add(system, levels: .notice)
/// let collector = SystemLogger(.tcp(host: "logs.example.org", port: 601))
/// LogDispatcher.shared.add(collector, levels: .info)
/// ```
///
/// - **journald** gets each message's text, level, place and fields as fields of an entry: `journalctl
///   ORDER=17` finds them. Named pieces and metadata get the journal's kind of name: letters of ASCII become
///   large, everything else but digits becomes `_`; what would begin with a digit or `_`, be empty, or be one
///   of the journal's or Heartwood's own names, gets `FIELD_` in front; names end after 64 bytes. A field
///   `message_id` that is a UUID becomes `MESSAGE_ID`. `LOG_TIME` is when it was logged. A message too large
///   for a datagram goes as a sealed file in memory.
/// - **syslog** gets lines in the form that the ``Destination`` asks for. Nothing in a message can forge
///   another one.
/// - **The unified log** gets the text, with the level and category; what is private is redacted in it, for
///   the system shows it to everybody. Its part is not tested by Heartwood's own tests, which run on Linux.
///
/// The ``AbstractLogger/formatter``, nil unless set, writes only the text; the header and the fields are not
/// affected.
///
/// **Without a receiver**, messages wait in memory, ``SystemSettings/waitingLimit`` bytes of them, and the
/// daemon is tried again after ``SystemSettings/pauses``. One attempt (to find a host, to connect, to send)
/// keeps the queue for ``SystemSettings/sendTimeout`` at most, and between two attempts nothing waits. What
/// is more than the limit is dropped, the oldest first; it counts as failed, is reported to the diagnostics,
/// and told in the log, where it is missing. A datagram that was accepted by the kernel counts as delivered;
/// so does what a stream has taken: if the peer dies at that moment, it may be lost, and the message that
/// had gone in part goes to the next one again, as a whole.
///
/// The settings are the members of ``SystemSettings``. They may be read and set at any time, on any thread;
/// they take effect in order with the messages.
public final class SystemLogger: AbstractLogger, ConfigurableLogger, @unchecked Sendable {  // owned by hooks
    /// The settings; their members are properties of the logger.
    public let orderedSettings: Ordered<SystemSettings>

    // MARK: Atomics (any thread)
    private let cut = Atomic<Int>(0)

    // MARK: Constants (any thread)
    private let sockets: SystemSockets

    // MARK: Owned by the hooks
    private var settingsInEffect = SystemSettings()
    private var routeInEffect: SystemRoute?
    private var destinationInEffect: Destination?
    private var outbox = SystemOutbox()
    private var frame = LogBuffer()
    private var plan = RetryPlan(GrowingPause(first: .milliseconds(100), longest: .seconds(10), jitter: 0.5))
    private var timer: (any LogTimer)?

    /// Makes a logger, which opens its socket at the first message.
    ///
    /// - Parameters:
    ///   - destination: Where messages go.
    ///   - name: Its name in statistics.
    ///   - formatter: What makes the text of messages; without one it is the message's own.
    public convenience init(
        _ destination: Destination = .automatic, name: String = "system", formatter: LogFormatter? = nil
    ) {
        self.init(destination, name: name, formatter: formatter, sockets: SystemSockets())
    }

    /// Makes a logger that looks for the system's sockets elsewhere.
    init(_ destination: Destination, name: String, formatter: LogFormatter?, sockets: SystemSockets) {
        self.sockets = sockets
        var settings = SystemSettings()
        settings.destination = destination
        orderedSettings = Ordered(wrappedValue: settings)
        super.init(name: name, formatter: formatter)
        apply()
    }

    /// The number of messages that were cut, or lost their fields, because of
    /// ``SystemSettings/maximumMessageSize``.
    package var cutMessages: Int { cut.load(ordering: .relaxed) }

    // MARK: - Settings

    /// Applies changed settings.
    public override func settingsDidChange() { apply() }

    private func apply() {
        let settings = orderedSettings.inEffect
        settingsInEffect = settings
        let destination = settings.destination
        if let old = destinationInEffect, old != destination {
            abandon("the destination was changed")
        }
        var style = SystemRoute.Style()
        style.options.facility = settings.facility
        style.options.program = settings.program
        style.options.host = settings.host
        style.options.privacy = settings.privacy
        style.limit = settings.maximumMessageSize.limit
        let new = SystemRoute(
            destinationInEffect == destination ? settled(destination) : destination, style, sockets)
        // The connection stays where only the style of messages has changed.
        switch (routeInEffect, new) {
        case (.journal(_, let connection), .journal(let entry, let other))
        where connection.peer == other.peer:
            routeInEffect = .journal(entry, connection)
        case (.syslog(_, let connection), .syslog(let frame, let other))
        where connection.peer == other.peer:
            routeInEffect = .syslog(frame, connection)
        default: routeInEffect = new
        }
        destinationInEffect = destination
        let pause = GrowingPause(
            first: settings.pauses.lowerBound, longest: settings.pauses.upperBound,
            jitter: plan.pause.jitter)
        if plan.pause != pause { plan = RetryPlan(pause) }
    }

    /// What was found for an automatic destination stays, until the destination is set again.
    private func settled(_ destination: Destination) -> Destination {
        if destination != .automatic { return destination }
        switch routeInEffect?.connection?.peer {
        case .journal(let path): return .journal(socket: path)
        case .local(let path, _): return .local(socket: path)
        default: return destination
        }
    }

    // MARK: - Messages

    /// Queues the message, and sends the queue if it is long.
    public override func log(_ message: LogMessage) {
        leaveParent()
        guard append(message) else { return }
        // What the framework says of itself counts as no message; what it says is missing stays so if it is
        // dropped.
        let isNote = message.sequence == 0 && message.file.isEmpty
        var missing = 0
        if isNote, case .integer(let count)? = message.metadata["dropped"] { missing = Int(count) }
        frame.withUnsafeBytes { outbox.append($0, isNote: isNote, announcing: missing) }
        frame.shrink(to: 64 * 1024)
        if outbox.size >= 64 * 1024 { send() }
    }

    /// Writes the message into `frame`; false where it is left out, or was written already.
    private func append(_ message: LogMessage) -> Bool {
        frame.removeAll()
        frame.redaction = redactionForMessage
        switch routeInEffect {
        case .journal(let entry, _):
            return entry.append(message, to: &frame) { appendText(of: message, to: &$0, asLine: false) }
        case .syslog(let syslog, _):
            let (isWanted, isCut) = syslog.append(message, to: &frame) {
                appendText(of: message, to: &$0, asLine: true)
            }
            if isCut { cut.add(1, ordering: .relaxed) }
            return isWanted
        case .unifiedLog(let log):
            guard appendText(of: message, to: &frame, asLine: false) else { return false }
            log.write(frame.text, level: message.level, category: message.category.name)
            noteWritten(frame.count)
            return false
        case nil: return false
        }
    }

    private func appendText(of message: LogMessage, to output: inout LogBuffer, asLine: Bool) -> Bool {
        let start = output.count
        if hasFormatter {
            guard formatted(message, into: &output) else { return false }
            if asLine { output.makeLine(from: start) }
        } else {
            let privacy = settingsInEffect.privacy
            output.appendText(of: message, privacy: privacy, escaping: asLine ? .escape : .none)
        }
        return true
    }

    // MARK: - Sending

    /// Sends the queued messages.
    public override func batchDidEnd() { send() }

    /// Sends the queued messages, at once even after a failure; marks the flush as incomplete if some are
    /// left.
    public override func flush() {
        send(atOnce: true)
        if !outbox.isEmpty { reportPending() }
    }

    /// Sends the queued messages, and closes the socket; messages that are left count as failed.
    public override func willRemove() {
        abandon("the logger was removed")
        timer = nil
        routeInEffect?.connection?.close()
    }

    private func send(atOnce: Bool = false) {
        guard !outbox.isEmpty, let connection = routeInEffect?.connection else { return }
        let clock: any LogClock = node.dispatcher?.clock ?? SystemClock()
        if atOnce || plan.mayTry(at: clock.uptime()) {
            let deadline = SystemClock().uptime() + settingsInEffect.sendTimeout
            if outbox.unannounced > 0, connection.open(for: &outbox, until: deadline) == nil {
                announceLoss()
            }
            settle(connection.send(&outbox, until: deadline), connection.peer, clock)
        }
        let dropped = outbox.trim(to: settingsInEffect.waitingLimit.bytes)
        if dropped > 0 {
            reportDeferredFailure(
                of: dropped,
                "messages were dropped: \(connection.peer.name) accepts "
                    + "none, and the waiting limit is reached"
            )
        }
        noteWaiting(outbox.messages)
    }

    /// Takes note of how an attempt went, and of when the next one is.
    private func settle(
        _ outcome: SystemConnection.Outcome, _ peer: SystemConnection.Peer, _ clock: any LogClock
    ) {
        noteWritten(outcome.bytes)
        if outcome.tooLong > 0 {
            reportDeferredFailure(
                of: outcome.tooLong, "a message was too long for a datagram to \(peer.name)")
        }
        if outcome.refused > 0 {
            reportDeferredFailure(
                of: outcome.refused, "\(peer.name) refused a message: no process is listening")
        }
        if outcome.frames > 0 { plan.succeed() }
        guard let trouble = outcome.trouble else {
            plan.succeed()
            timer = nil
            return
        }
        let pause = plan.fail(at: clock.uptime(), random: .random(in: 0...1))
        if case .gone(let reason) = trouble {
            diagnostics.report(
                .writeFailed,
                "\(name): cannot reach \(peer.name): \(reason); messages are kept, will try again",
                key: "\(name) peer", count: 0)
        }
        timer = clock.schedule(after: pause) { [weak self] in
            self?.perform { [weak self] in self?.retry() }
        }
    }

    private func retry() {
        timer = nil
        leaveParent()
        send()
    }

    /// Says in the log how many messages are missing before the first that waits.
    private func announceLoss() {
        let note = LogMessage.ofLoss(outbox.unannounced, at: currentTime)
        if append(note) { frame.withUnsafeBytes { outbox.announce($0) } }
    }

    /// Tries once more to send what waits, and gives the rest up.
    private func abandon(_ reason: String) {
        send(atOnce: true)
        let lost = outbox.removeAll()
        if lost > 0 { reportDeferredFailure(of: lost, "messages were not sent when \(reason)") }
        noteWaiting(0)
        plan.succeed()
    }

    /// In the child of a fork: what waits is the parent's, and so is its socket.
    private func leaveParent() {
        guard routeInEffect?.connection?.leaveParent() == true else { return }
        _ = outbox.removeAll()
        noteWaiting(0)
    }
}
