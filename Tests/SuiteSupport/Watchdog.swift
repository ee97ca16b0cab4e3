import Foundation

/// Ends the run when a test does not end.
///
/// A thread looks once a second. Where a test has had its turn for longer than its limit, the thread prints the tests that run,
/// what they wait for, and the stacks of all threads; then it kills the processes that this one has started, and ends this one
/// with ``exitCode``. The limit turns a hang into a failure, and decides nothing else: it is far above what a test takes on a busy
/// machine.
package final class Watchdog: Sendable {
    package static let shared = Watchdog()

    /// How long a test may take: the one limit for all that hangs; four times as long where a sanitizer watches each access.
    package static let limit = Duration.seconds(isSanitized ? 1200 : 300)

    private static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    /// The exit code of a run in which a test did not end.
    package static let exitCode: Int32 = 86

    private struct Test {
        let name: String
        let limit: Int
        var seconds = 0
        let began = ContinuousClock.now
    }

    private struct State {
        var lastNumber = 0
        var tests: [Int: Test] = [:]
        var waits: [Int: String] = [:]
        var isWatching = false
        var times: [(name: String, time: Duration)] = []
    }

    // MARK: Guarded by 'state'
    private let state = Guarded(State())

    /// The file that gets the times of all tests, where `HEARTWOOD_TIMES` names one.
    private static let timesPath = ProcessInfo.processInfo.environment["HEARTWOOD_TIMES"]

    private init() {}

    func begin(_ name: String, limit: Duration) -> Int {
        let (number, isFirst) = state.withLock { state in
            state.lastNumber += 1
            state.tests[state.lastNumber] = Test(name: name, limit: max(1, Int(limit / .seconds(1))))
            defer { state.isWatching = true }
            return (state.lastNumber, !state.isWatching)
        }
        if isFirst {
            let thread = Thread { [self] in watch() }
            thread.name = "watchdog"
            thread.start()
        }
        return number
    }

    func end(_ number: Int) {
        let times = state.withLock { state -> [(name: String, time: Duration)]? in
            guard let test = state.tests.removeValue(forKey: number), Watchdog.timesPath != nil else {
                return nil
            }
            state.times.append((test.name, ContinuousClock.now - test.began))
            return state.tests.isEmpty ? state.times : nil
        }
        guard let times, let path = Watchdog.timesPath else { return }
        let lines = times.sorted { $0.time > $1.time }
            .map { "\(String(format: "%9.3f", $0.time / .seconds(1))) s  \($0.name)\n" }
        try? lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
    }

    func beginWaiting(_ what: String) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.waits[state.lastNumber] = what
            return state.lastNumber
        }
    }

    func endWaiting(_ number: Int) { state.withLock { $0.waits[number] = nil } }

    private func watch() {
        StackReport.prepare()
        while true {
            Thread.sleep(forTimeInterval: 1)
            // Counted, not measured: a machine that was suspended has not had this time.
            let isOver = state.withLock { state in
                for number in state.tests.keys { state.tests[number]?.seconds += 1 }
                return state.tests.values.contains { $0.seconds >= $0.limit }
            }
            if isOver { endRun() }
        }
    }

    private func endRun() -> Never {
        let (tests, waits) = state.withLock { (Array($0.tests.values), Array($0.waits.values)) }
        var text = ""
        for test in tests.sorted(by: { $0.seconds > $1.seconds }) {
            text +=
                test.seconds >= test.limit
                ? "✘ Test \(test.name) has not ended \(test.limit) s after its turn began: the run ends here\n"
                : "  running at the same time, for \(test.seconds) s: \(test.name)\n"
        }
        for what in waits.sorted() { text += "  a test waits until \(what)\n" }
        StackReport.write(text)
        StackReport.writeAll()
        for child in StackReport.descendants().reversed() { kill(child, SIGKILL) }
        _exit(Watchdog.exitCode)
    }
}
