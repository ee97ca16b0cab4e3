import CHeartwood

/// What the framework has to say of its own troubles: a full disk, a dead network, messages dropped.
///
/// Reports never go through the loggers. They go to ``handler``, and without one to standard error; of each kind at
/// most one in ``interval``, with the total of those that were kept back.
public final class LogDiagnostics: Sendable {
    /// A kind of trouble; newer versions and your own loggers may add kinds.
    public struct Kind: Hashable, Sendable, RawRepresentable {
        /// The kind's name.
        public let rawValue: String
        /// Names a kind.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A queue was full, and messages were dropped.
        public static let messagesDropped = Kind(rawValue: "messages dropped")
        /// A logger could not write.
        public static let writeFailed = Kind(rawValue: "write failed")
        /// A logger did not finish in time.
        public static let timedOut = Kind(rawValue: "timed out")
        /// A call was ignored because it made no sense.
        public static let misuse = Kind(rawValue: "misuse")
        /// Settings contradict each other, or one could not be applied.
        public static let setting = Kind(rawValue: "setting")
        /// Something damaged was found and set aside.
        public static let damaged = Kind(rawValue: "damaged")
        /// Something that the user may want to know, and that lost nothing.
        public static let note = Kind(rawValue: "note")
    }

    /// A report.
    public struct Report: Sendable {
        /// What kind of trouble it is.
        public let kind: Kind
        /// What happened and what to do, for a person.
        public let text: String
        /// How many things it is about, those included that were not reported for being too many.
        public let count: Int
    }

    private struct State {
        var handler: (@Sendable (Report) -> Void)?
        var interval: Duration = .seconds(10)
        var kinds: [String: (last: Duration, heldBack: Int)] = [:]
        var totals: [Kind: Int] = [:]
    }

    // MARK: Constants (any thread)
    private let clock: any LogClock

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    init(clock: any LogClock) {
        self.clock = clock
    }

    /// Where loggers report to that belong to no dispatcher.
    package static let unattached = LogDiagnostics(clock: SystemClock())

    /// Takes the reports, on the thread that has the trouble; nil (the default) writes them to standard error.
    ///
    /// A standard error without a reader delays nothing: a report that it does not take at once counts in the next one.
    ///
    /// It may log: like a call in a logger, that never waits.
    public var handler: (@Sendable (Report) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    /// The time between two reports that are alike, 10 s by default; zero reports all.
    public var interval: Duration {
        get { state.withLock { $0.interval } }
        set { state.withLock { $0.interval = newValue } }
    }

    /// How often each kind of trouble was met, reported or not.
    public var totals: [Kind: Int] { state.withLock { $0.totals } }

    /// Reports a trouble, unless one like it was reported a moment ago.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - text: What happened and what to do.
    ///   - key: What makes reports alike; the kind alone unless given.
    ///   - count: How many things it is about.
    package func report(_ kind: Kind, _ text: @autoclosure () -> String, key: String = "", count: Int = 1) {
        let now = clock.uptime()
        let known = kind.rawValue + key
        let thread = ThreadState.current
        let (due, total, handler) = state.withLock { state in
            state.totals[kind, default: 0] += count
            // A trouble that the handler itself has made is not handed to it, which might never end.
            let last = state.kinds[known]
            if thread.isReporting || last.map({ now - $0.last < state.interval }) == true {
                state.kinds[known] = (last?.last ?? now, (last?.heldBack ?? 0) + count)
                return (false, 0, state.handler)
            }
            let heldBack = state.kinds[known]?.heldBack ?? 0
            if state.kinds.count > 1000 { state.kinds.removeAll() }
            state.kinds[known] = (now, 0)
            return (true, count + heldBack, state.handler)
        }
        if !due { return }
        let report = Report(kind: kind, text: text(), count: total)
        if let handler { return call(handler, report, thread) }
        let more = total > count ? " (and \(total - count) more since the last report)" : ""
        var buffer = LogBuffer()
        buffer.appendEscaped("heartwood: \(kind.rawValue): \(report.text)\(more)")
        buffer.append(UInt8(ascii: "\n"))
        // Never waits for a reader that has stopped: what it does not take is in the totals alone.
        let taken = buffer.withUnsafeBytes { hw_write_line(STDERR_FILENO, $0.baseAddress, $0.count, 20) }
        if taken == 0 { state.withLock { $0.kinds[known]?.heldBack += total } }
    }

    private func call(_ handler: @Sendable (Report) -> Void, _ report: Report, _ thread: ThreadState) {
        thread.isReporting = true
        thread.runCallback { handler(report) }
        thread.isReporting = false
    }
}
