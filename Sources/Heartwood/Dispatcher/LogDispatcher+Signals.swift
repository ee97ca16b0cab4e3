import CHeartwood

extension LogDispatcher {
    /// A signal that asks a process to end.
    public struct EndingSignal: Hashable, Sendable {
        /// The number, as in `kill -l`.
        package let number: Int32

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
    /// Call it once at the start of the program, after the program has installed its own handlers. After the
    /// flush, a signal without a handler ends the process as usual, so the parent process sees the signal. A
    /// handler of the program is called on a thread of the framework, and decides what happens next. An
    /// ignored signal, as under `nohup`, stays ignored. The signal handler itself only writes a byte to a
    /// pipe; the flush runs on a thread that waits for it.
    ///
    /// A second signal during the flush takes effect at once. In the child of a fork, the signals have their
    /// earlier effect. A program that handles signals with dispatch sources or swift-service-lifecycle does
    /// not need this: it returns from `main`, and `exit` flushes.
    ///
    /// You can call this again, with more signals or another limit, on any thread.
    ///
    /// - Parameters:
    ///   - signals: Which signals.
    ///   - timeout: How long the flush of all dispatchers may take; 5 s by default. Keep it below the time
    ///     after which a supervisor kills: 90 s for systemd, 10 s for Docker, 30 s for Kubernetes,
    ///     unless they are told otherwise.
    /// - Returns: `true` if the handlers are installed; `false` if the system has no pipe or no thread for
    ///   them, which ``diagnostics`` of the shared dispatcher reports.
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
            .setting, "cannot install the signal handlers that flush: \(SystemFailure.reason(of: failure))",
            key: "signals")
        return false
    }

    private static func flushForSignal() {
        ProcessExit.flushAll(within: flushLimit.withLock { $0 })
    }
}
