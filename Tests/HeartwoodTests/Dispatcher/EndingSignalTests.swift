import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(
    "Signals that end the process", .disabled(if: Load.isSanitized, "a sanitizer takes signals over"), .inTurn
)
struct EndingSignalTests {
    /// A dispatcher with a file logger, and its directory.
    private static func dispatcher(_ path: String) throws -> LogDispatcher {
        alarm(120)
        let dispatcher = LogDispatcher()
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        let file = try FileLogger(directory: path, formatter: nil)
        file.overflowPolicy = .block(upTo: .seconds(60))
        dispatcher.add(file)
        return dispatcher
    }

    private static func lines(_ path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".log") }
            .reduce(0) { sum, name in
                sum
                    + (try String(contentsOfFile: path + "/" + name, encoding: .utf8)).split(separator: "\n")
                    .count
            }
    }

    /// Waits for a signal that ends the process; what comes after a minute is a failure.
    private static func waitForTheEnd() -> Never {
        for _ in 0..<60 { sleep(1) }
        _exit(99)
    }

    @Test("SIGTERM after a burst: all lines are in the file, and the process was terminated by SIGTERM")
    func burst() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .signal(SIGTERM)) { [path = scratch.path as String] in
            let dispatcher = try Self.dispatcher(path)
            let other = try Self.dispatcher(path + "/other")
            LogDispatcher.flushOnSignals()
            LogDispatcher.flushOnSignals([.term, .int, .hup, .quit], timeout: .seconds(60))
            for index in 0..<20_000 {
                logInfo("line \(index)", to: dispatcher)
                logInfo("line \(index)", to: other)
            }
            kill(getpid(), SIGTERM)
            Self.waitForTheEnd()
        }
        #expect(try Self.lines(scratch.path) == 20_000)
        #expect(try Self.lines(scratch.path + "/other") == 20_000)
    }

    @Test(
        "A handler of the program's runs after the flush, and decides; the next signal is flushed for as well"
    )
    func ownHandler() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .exitCode(9)) { [path = scratch.path as String] in
            let dispatcher = try Self.dispatcher(path)
            let calls = "\(path)/calls"
            setenv("HEARTWOOD_TEST_CALLS", calls, 1)
            signal(SIGINT) { _ in
                // A call leaves a byte.
                let file = open(getenv("HEARTWOOD_TEST_CALLS"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
                _ = write(file, "x", 1)
                close(file)
            }
            LogDispatcher.flushOnSignals([.int], timeout: .seconds(60))
            for round in 1...3 {
                for index in 0..<5000 { logInfo("line \(index)", to: dispatcher) }
                kill(getpid(), SIGINT)
                waitUntil {
                    ((try? Data(contentsOf: URL(fileURLWithPath: calls)))?.count ?? 0) >= round
                }
                guard try Self.lines(path) == 5000 * round else { _exit(1) }
            }
            _exit(9)
        }
    }

    @Test("A signal that is ignored stays ignored")
    func ignored() async {
        await #expect(processExitsWith: .exitCode(5)) {
            signal(SIGHUP, SIG_IGN)
            LogDispatcher.flushOnSignals([.term, .hup])
            kill(getpid(), SIGHUP)
            var current = sigaction()
            sigaction(SIGHUP, nil, &current)
            if unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) != 1 { _exit(1) }
            _exit(5)
        }
    }

    @Test("A stuck logger holds the end up no longer than the limit, and a second signal not at all")
    func stuck() async {
        for limit in [1, 100_000] {
            await #expect(processExitsWith: .signal(SIGTERM)) { [limit = limit as Int] in
                alarm(120)
                let dispatcher = LogDispatcher()
                dispatcher.diagnostics.handler = { _ in }
                let logger = StuckLogger()
                dispatcher.add(logger)
                logInfo("x", to: dispatcher)
                logger.waitUntilStuck()
                LogDispatcher.flushOnSignals([.term], timeout: .seconds(limit))
                kill(getpid(), SIGTERM)
                if limit > 1 {
                    // The first is worked on when it holds the flush up.
                    usleep(100_000)
                    kill(getpid(), SIGTERM)
                }
                Self.waitForTheEnd()
            }
        }
    }

    @Test("In the child of a fork a signal ends the child at once, and the parent goes on")
    func child() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .exitCode(6)) { [path = scratch.path as String] in
            let dispatcher = try Self.dispatcher(path)
            LogDispatcher.flushOnSignals([.term])
            logError("before the fork", to: dispatcher)
            let child = forkProcess()
            if child == 0 {
                // The threads of queues have all signals blocked, and a child has its parent's mask.
                var none = sigset_t()
                sigemptyset(&none)
                pthread_sigmask(SIG_SETMASK, &none, nil)
                while true { pause() }
            }
            kill(child, SIGTERM)
            var status: Int32 = 0
            waitpid(child, &status, 0)
            if status & 0x7F != SIGTERM { _exit(1) }
            logError("after it", to: dispatcher)
            _exit(try Self.lines(path) == 2 ? 6 : 2)
        }
    }

    @Test("recordsFatalSignals leaves alone what the program ignores")
    func fatal() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .exitCode(4)) { [path = scratch.path as String] in
            for number in [SIGTRAP, SIGSYS, SIGABRT] { signal(number, SIG_IGN) }
            let dispatcher = LogDispatcher(journal: .file(path))
            dispatcher.recordsFatalSignals = true
            for number in [SIGTRAP, SIGSYS, SIGABRT] { raise(number) }
            _exit(4)
        }
    }
}
