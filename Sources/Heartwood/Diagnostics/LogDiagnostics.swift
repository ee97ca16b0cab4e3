import CHeartwood

/// Reports problems of the framework itself: a full disk, a dead network, dropped messages.
///
/// Reports never go through the loggers. They go to ``handler``, or to standard error if there is no handler.
/// At most one report per kind is made in ``interval``, with the total of those that were suppressed.
public final class LogDiagnostics: Sendable {
    /// A kind of problem; newer versions and your own loggers can add kinds.
    public struct Kind: Hashable, Sendable, RawRepresentable {
        /// The name of the kind.
        public let rawValue: String
        /// Makes a kind from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A queue was full, and messages were dropped.
        public static let messagesDropped = Kind(rawValue: "messages dropped")
        /// A logger could not write.
        public static let writeFailed = Kind(rawValue: "write failed")
        /// A logger did not finish in time.
        public static let timedOut = Kind(rawValue: "timed out")
        /// A call was ignored because it was not valid.
        public static let misuse = Kind(rawValue: "misuse")
        /// Two settings contradict each other, or a setting could not be applied.
        public static let setting = Kind(rawValue: "setting")
        /// Damaged data was found and set aside.
        public static let damaged = Kind(rawValue: "damaged")
        /// Information without any loss.
        public static let note = Kind(rawValue: "note")
    }

    /// A report.
    public struct Report: Sendable {
        /// The kind of problem.
        public let kind: Kind
        /// What happened and what to do, for a person.
        public let text: String
        /// The number of similar problems, including those that were not reported to limit the rate.
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

    /// Those of the shared dispatcher, to which also what belongs to no dispatcher reports.
    static let shared = LogDiagnostics(clock: SystemClock())

    /// Receives the reports, on the thread that found the problem; nil, the default, writes them to standard
    /// error.
    ///
    /// Reports never wait for standard error: a report that it does not accept at once is counted in the next
    /// one.
    ///
    /// The handler can log. Like a call in a logger, such a call never waits.
    public var handler: (@Sendable (Report) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    /// The least time between two similar reports; 10 s unless changed, and zero reports all.
    public var interval: Duration {
        get { state.withLock { $0.interval } }
        set { state.withLock { $0.interval = newValue } }
    }

    /// How often each kind of problem occurred, reported or not.
    package var totals: [Kind: Int] { state.withLock { $0.totals } }

    /// Reports a trouble, unless one like it was reported a moment ago.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - text: What happened and what to do.
    ///   - key: What makes reports alike; the kind alone unless given.
    ///   - count: How many things it is about; 0 for a trouble that lost nothing so far.
    package func report(_ kind: Kind, _ text: @autoclosure () -> String, key: String = "", count: Int = 1) {
        // All but the text is in functions without a closure, which the compiler would copy for each caller.
        let known = kind.rawValue + key
        guard let total = admit(kind, known, count) else { return }
        report(Report(kind: kind, text: text(), count: total), known, count)
    }

    /// Counts a trouble; how many things a report of it is about, nil where there is to be none now.
    @inline(never)
    private func admit(_ kind: Kind, _ known: String, _ count: Int) -> Int? {
        let now = clock.uptime()
        let isReporting = ThreadState.current.isReporting
        return state.withLock { state in
            state.totals[kind, default: 0] += count
            // A trouble that the handler itself has made is not handed to it, which might never end.
            let last = state.kinds[known]
            if isReporting || last.map({ now - $0.last < state.interval }) == true {
                state.kinds[known] = (last?.last ?? now, (last?.heldBack ?? 0) + count)
                return nil
            }
            let heldBack = last?.heldBack ?? 0
            if state.kinds.count > 1000 { state.kinds.removeAll() }
            state.kinds[known] = (now, 0)
            return count + heldBack
        }
    }

    @inline(never)
    private func report(_ report: Report, _ known: String, _ count: Int) {
        if let handler {
            let thread = ThreadState.current
            thread.isReporting = true
            thread.runCallback { handler(report) }
            thread.isReporting = false
            return
        }
        let more = report.count > count ? " (and \(report.count - count) more since the last report)" : ""
        var buffer = LogBuffer()
        buffer.appendEscaped("heartwood: \(report.kind.rawValue): \(report.text)\(more)")
        buffer.append(UInt8(ascii: "\n"))
        // Never waits for a reader that has stopped: what it does not take is in the totals alone.
        let taken = buffer.withUnsafeBytes { hw_write_line(STDERR_FILENO, $0.baseAddress, $0.count, 20) }
        if taken == 0 { state.withLock { $0.kinds[known]?.heldBack += report.count } }
    }
}
