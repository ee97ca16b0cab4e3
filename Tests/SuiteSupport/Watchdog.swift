import Foundation

/// Ends the run when a test does not end.
///
/// A thread looks once a second. Where a test has had its turn for longer than its limit, the thread prints the tests that run,
/// what they wait for, the threads of this process and of those that it has started, and where they are; then it kills these
/// processes, and ends this one with ``exitCode``. The limit turns a hang into a failure, and decides nothing else: it is far
/// above what a test takes on a busy machine.
package final class Watchdog: @unchecked Sendable {  // the lock guards the mutable state
    package static let shared = Watchdog()

    /// How long a test may take: the one limit for all that hangs; four times as long where a sanitizer watches each access.
    package static let limit = Duration.seconds(isSanitized ? 1200 : 300)

    static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    /// The exit code of a run in which a test did not end.
    package static let exitCode: Int32 = 86

    /// The file that gets the times of all tests, where `HEARTWOOD_TIMES` names one.
    private static let timesPath = ProcessInfo.processInfo.environment["HEARTWOOD_TIMES"]

    private struct Test {
        let name: String
        let limit: Int
        var seconds = 0
        let began = ContinuousClock.now
    }

    private let lock = NSLock()

    // MARK: Guarded by 'lock'
    private var lastNumber = 0
    private var tests: [Int: Test] = [:]
    private var waits: [Int: String] = [:]
    private var times: [(name: String, time: Duration)] = []

    private init() {
        let thread = Thread { [self] in watch() }
        thread.name = "watchdog"
        thread.start()
    }

    func begin(_ name: String, limit: Duration) -> Int {
        lock.withLock {
            lastNumber += 1
            tests[lastNumber] = Test(name: name, limit: max(1, Int(limit / .seconds(1))))
            return lastNumber
        }
    }

    func end(_ number: Int) {
        lock.lock()
        defer { lock.unlock() }
        guard let test = tests.removeValue(forKey: number), let path = Watchdog.timesPath else { return }
        times.append((test.name, ContinuousClock.now - test.began))
        guard tests.isEmpty else { return }
        let lines = times.sorted { $0.time > $1.time }
            .map { "\(String(format: "%9.3f", $0.time / .seconds(1))) s  \($0.name)\n" }
        try? lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Notes what a test waits for, until ``endWaiting(_:)``.
    func beginWaiting(_ what: String) -> Int {
        lock.withLock {
            lastNumber += 1
            waits[lastNumber] = what
            return lastNumber
        }
    }

    func endWaiting(_ number: Int) { lock.withLock { waits[number] = nil } }

    private func watch() {
        while true {
            Thread.sleep(forTimeInterval: 1)
            // Counted, not measured: a machine that was suspended has not had this time.
            lock.lock()
            for number in tests.keys { tests[number]?.seconds += 1 }
            if tests.values.contains(where: { $0.seconds >= $0.limit }) { endRun() }
            lock.unlock()
        }
    }

    private func endRun() -> Never {
        var text = ""
        for test in tests.values.sorted(by: { $0.seconds > $1.seconds }) {
            text +=
                test.seconds >= test.limit
                ? "✘ Test \(test.name) has not ended \(test.limit) s after its turn began: the run ends here\n"
                : "  running at the same time, for \(test.seconds) s: \(test.name)\n"
        }
        for what in waits.values.sorted() { text += "  a test waits until \(what)\n" }
        FileHandle.standardError.write(Data(text.utf8))
        let words = ["sh", "-c", Watchdog.report, "sh", "\(getpid())"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var process: pid_t = 0
        if posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ) == 0 {
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
        _exit(Watchdog.exitCode)
    }

    /// Prints for a process and all that it has started the names of the threads, the calls of the system in which they wait and,
    /// where gdb is there, their stacks; then kills what the process has started.
    private static let report = """
        exec >&2
        family() {
            for status in $(grep -ls "^PPid:[[:space:]]*$1\\$" /proc/[0-9]*/status); do
                child=${status#/proc/}
                child=${child%/status}
                [ "$child" = $$ ] || printf '%s\\n' "$child"
                [ "$child" = $$ ] || family "$child"
            done
        }
        started=$(family "$1")
        for process in "$1" $started; do
            printf '\\n-- process %s: %s\\n' "$process" "$(tr '\\0' ' ' <"/proc/$process/cmdline" | cut -c 1-300)"
            for thread in /proc/"$process"/task/*; do
                printf '   thread %s “%s”, waits in %s, system call %s\\n' "${thread##*/}" "$(cat "$thread/comm")" \\
                    "$(cat "$thread/wchan")" "$(cut -d ' ' -f 1-4 "$thread/syscall")"
            done
            command -v gdb >/dev/null || continue
            timeout -k 5 60 gdb -q -nx -p "$process" -batch -ex 'thread apply all backtrace 32' 2>&1 |
                { swift demangle --compact 2>/dev/null || cat; } | grep '^[T#]'
        done
        [ -z "$started" ] || kill -KILL $started
        """
}
