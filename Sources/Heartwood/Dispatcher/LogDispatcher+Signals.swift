import CHeartwood

extension LogDispatcher {
    /// A signal that asks a process to end.
    public struct EndingSignal: Hashable, Sendable {
        /// The number, as in `kill -l`.
        public let number: Int32

        /// `SIGTERM`: `kill`, systemd and Docker send it to end a program.
        public static let term = EndingSignal(number: SIGTERM)
        /// `SIGINT`: Ctrl-C at a terminal.
        public static let int = EndingSignal(number: SIGINT)
        /// `SIGHUP`: the terminal has been closed.
        public static let hup = EndingSignal(number: SIGHUP)
        /// `SIGQUIT`: Ctrl-\\ at a terminal, which writes a core dump.
        public static let quit = EndingSignal(number: SIGQUIT)
    }

    private static let flushLimit = Locked(Duration.seconds(5))

    /// Makes each of these signals flush all dispatchers before it does what it did before.
    ///
    /// ```swift
    /// LogDispatcher.flushOnSignals([.term, .int])
    /// ```
    ///
    /// Call it once, at the start of the program, after handlers of its own have been installed. After the flush, a signal that had
    /// no handler ends the process as ever: whoever started it sees that this signal ended it. A handler of the program's is
    /// called, on a thread of the framework, and decides what comes next. A signal that was ignored, as under `nohup`, stays
    /// ignored. The handler itself only writes a byte into a pipe; the flush runs on a thread that waits for it.
    ///
    /// A second signal during the flush acts at once, without waiting for the flush. In the child of a fork the signals do what they did
    /// before. A program that takes signals with dispatch sources or with swift-service-lifecycle, which ignore them for
    /// that, does not need this: it ends by returning from `main`, and `exit` flushes.
    ///
    /// May be called again, with more signals or another limit, from any thread.
    ///
    /// - Parameters:
    ///   - signals: Which signals.
    ///   - timeout: How long the flush of all dispatchers may take; 5 s by default. Keep it below the time after which a
    ///     supervisor kills: 90 s for systemd, 10 s for Docker, 30 s for Kubernetes, unless they are told otherwise.
    /// - Returns: whether the handlers are in place; false where the system has no pipe or no thread for them, which is
    ///   reported to ``diagnostics`` of the shared dispatcher.
    @discardableResult
    public static func flushOnSignals(
        _ signals: [EndingSignal] = [.term, .int], timeout: Duration = .seconds(5)
    ) -> Bool {
        let numbers = signals.map(\.number)
        let failure = flushLimit.withLock { limit in
            limit = timeout
            return hw_ending_install(numbers, Int32(numbers.count)) { _ in LogDispatcher.flushForSignal() }
        }
        if failure == 0 { return true }
        shared.diagnostics.report(
            .setting, "cannot install the signal handlers that flush: \(LogError.reason(of: failure))",
            key: "signals")
        return false
    }

    private static func flushForSignal() {
        ProcessExit.flushAll(within: flushLimit.withLock { $0 })
    }
}
