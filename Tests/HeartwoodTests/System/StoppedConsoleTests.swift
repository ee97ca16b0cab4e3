import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A console whose reader has stopped, in a process of its own: the console is its standard error.
enum StoppedConsole {
    enum Kind: String, Codable, Sendable, CaseIterable { case pipe, sharedPipe, socket, terminal }

    /// Makes standard error something that is full, because nobody reads it; returns the reader's end.
    static func install(_ kind: Kind) -> Int32 {
        var ends: [Int32] = [-1, -1]
        switch kind {
        case .pipe, .sharedPipe: guard pipe(&ends) == 0 else { exit(90) }
        case .socket:
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { exit(91) }
        case .terminal:
            var (master, shown): (Int32, Int32) = (-1, -1)
            guard openTerminal(&master, &shown, nil, nil, nil) == 0 else { exit(92) }
            ends = [master, shown]
            var settings = termios()
            tcgetattr(ends[1], &settings)
            cfmakeraw(&settings)
            tcsetattr(ends[1], TCSANOW, &settings)
        }
        dup2(ends[1], STDERR_FILENO)
        // Something else of the program's fills it first: a byte is left of the room, or none.
        if kind == .sharedPipe { fill(STDERR_FILENO) }
        close(ends[1])
        return ends[0]
    }

    private static func fill(_ descriptor: Int32) {
        var terminal: Int32 = -1
        let filler = [UInt8](repeating: 0x0A, count: 1000)
        while hw_write_now(descriptor, filler, filler.count, &terminal) > 0 {}
    }

    /// A dispatcher whose console writes more than the reader's side holds.
    static func dispatcher(logging count: Int = 4000) -> (LogDispatcher, ConsoleLogger) {
        alarm(120)  // stuck is a failure, and not a wait forever
        let dispatcher = LogDispatcher()
        dispatcher.synchronousTimeout = .milliseconds(300)
        let console = ConsoleLogger(.standardError)
        console.colorDepth = ConsoleColorDepth.none
        dispatcher.add(console)
        for index in 0..<count { logInfo("message \(index) of many, none of which is read", to: dispatcher) }
        return (dispatcher, console)
    }

    /// Reads all that comes until the other end is closed.
    static func read(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite("A console whose reader has stopped", .inTurn)
struct StoppedConsoleTests {
    static let kinds = StoppedConsole.Kind.allCases

    @Test("A synchronous call, a flush and a removal come back in their time", arguments: kinds)
    func calls(kind: StoppedConsole.Kind) async {
        await #expect(processExitsWith: .exitCode(7)) { [kind = kind as StoppedConsole.Kind] in
            _ = StoppedConsole.install(kind)
            let (dispatcher, _) = StoppedConsole.dispatcher()
            logError("a synchronous one", to: dispatcher)
            logError("another one", to: dispatcher)
            if dispatcher.flush(timeout: .milliseconds(300)).isComplete { _exit(1) }
            if dispatcher.removeAll(timeout: .milliseconds(300)) { _exit(2) }
            _exit(7)
        }
    }

    @Test("The first call finds the reader stopped: it comes back in its time as well", arguments: kinds)
    func firstCall(kind: StoppedConsole.Kind) async {
        await #expect(processExitsWith: .exitCode(7)) { [kind = kind as StoppedConsole.Kind] in
            _ = StoppedConsole.install(kind)
            let (dispatcher, console) = StoppedConsole.dispatcher(logging: 0)
            let long = String(repeating: "x", count: 50_000)
            for _ in 0..<Tier.amount(5, full: 20) { logError("a long one \(long)", to: dispatcher) }
            if console.statistics.received != Tier.amount(5, full: 20) { _exit(3) }
            _exit(7)
        }
    }

    @Test(
        "The process ends by exit, within the limit for that, and its reports hold it up no longer",
        arguments: kinds)
    func end(kind: StoppedConsole.Kind) async {
        await #expect(processExitsWith: .exitCode(7)) { [kind = kind as StoppedConsole.Kind] in
            _ = StoppedConsole.install(kind)
            let (dispatcher, _) = StoppedConsole.dispatcher()
            dispatcher.diagnostics.interval = .zero
            // Each waits a moment for the reader, much longer on a busy machine.
            for index in 0..<Tier.amount(40, full: 200) {
                dispatcher.diagnostics.report(.note, "a report that nobody reads \(index)")
            }
            exit(7)
        }
    }

    @Test("When the reader goes on, all lines come, whole and in their order", arguments: kinds)
    func goesOn(kind: StoppedConsole.Kind) async {
        await #expect(processExitsWith: .exitCode(7)) { [kind = kind as StoppedConsole.Kind] in
            let reader = StoppedConsole.install(kind)
            let (dispatcher, console) = StoppedConsole.dispatcher()
            for index in 4000..<4010 { logError("message \(index) of many", to: dispatcher) }
            if dispatcher.flush(timeout: .milliseconds(10)).isComplete { _exit(1) }
            let text = Box("")
            let done = DispatchSemaphore(value: 0)
            Thread {
                text.value = StoppedConsole.read(reader)
                done.signal()
            }.start()
            if !dispatcher.flush(timeout: .testLimit).isComplete { _exit(2) }
            let statistics = console.statistics
            dispatcher.remove(console)
            // The last writer: now the reader sees the end.
            withExtendedLifetime(console) {}
            close(STDERR_FILENO)
            if kind == .terminal { _exit(statistics.delivered == 4010 && statistics.failed == 0 ? 7 : 8) }
            done.wait()
            let numbers = text.value.split(separator: "\n").compactMap { line -> Int? in
                let words = line.split(separator: " ")
                return words.firstIndex(of: "message").flatMap { Int(words[$0 + 1]) }
            }
            if numbers != Array(0..<4010) { _exit(3) }
            _exit(statistics.delivered == 4010 && statistics.failed == 0 ? 7 : 4)
        }
    }

    @Test("logEmergency does not wait for the reader either", arguments: kinds)
    func emergency(kind: StoppedConsole.Kind) async {
        await #expect(processExitsWith: .exitCode(7)) { [kind = kind as StoppedConsole.Kind] in
            alarm(120)
            _ = StoppedConsole.install(kind)
            for _ in 0..<1000 {
                logEmergency("nobody reads this line of some length, and that is no reason to wait")
            }
            _exit(7)
        }
    }

    @Test(
        "A child of a fork does not wait forever either",
        .disabled(if: Load.isSanitized, "forks a process with threads"))
    func child() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let reader = StoppedConsole.install(.pipe)
            let (dispatcher, _) = StoppedConsole.dispatcher()
            logError("the parent waits for its queue", to: dispatcher)
            let child = forkProcess()
            if child == 0 {
                alarm(60)
                for _ in 0..<5 { logError("from the child", to: dispatcher) }
                _exit(0)
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            withExtendedLifetime(reader) {}
            _exit(status == 0 ? 7 : 3)
        }
    }

    @Test(
        "What a parent could not write yet is not written by its child as well",
        .disabled(if: Load.isSanitized, "forks a process with threads"))
    func childWithReader() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let reader = StoppedConsole.install(.pipe)
            let (dispatcher, console) = StoppedConsole.dispatcher(logging: 0)
            // The logger is at rest, and holds what its queue is to write.
            console.queue.suspend()
            logError("long: \(String(repeating: "x", count: 100_000))", to: dispatcher)
            // A thread in the middle of its work would leave its locks to the child.
            dispatcher.drainNow()
            let child = forkProcess()
            if child == 0 {
                alarm(30)
                logError("the child's", to: dispatcher)
                _exit(dispatcher.flush(timeout: .testLimit).isComplete ? 0 : 3)
            }
            let text = Locked("")
            let thread = Thread {
                let all = StoppedConsole.read(reader)
                text.withLock { $0 = all }
            }
            thread.start()
            var status: Int32 = -1
            guard waitpid(child, &status, 0) == child, status == 0 else { _exit(1) }
            console.queue.resume()
            guard dispatcher.flush(timeout: .testLimit).isComplete else { _exit(2) }
            close(STDERR_FILENO)
            waitUntil { thread.isFinished }
            let all = text.withLock { $0 }
            if all.split(separator: "x", omittingEmptySubsequences: false).count != 100_001 { _exit(3) }
            if all.components(separatedBy: "the child's").count != 2 { _exit(4) }
            _exit(7)
        }
    }

    @Test(
        "The flags of a descriptor that others share stay as they are, and a whole line is one write",
        arguments: kinds)
    func flags(kind: StoppedConsole.Kind) async {
        await #expect(processExitsWith: .exitCode(7)) { [kind = kind as StoppedConsole.Kind] in
            let reader = StoppedConsole.install(kind)
            let before = fcntl(STDERR_FILENO, F_GETFL)
            let (_, _) = StoppedConsole.dispatcher(logging: 10)
            if fcntl(STDERR_FILENO, F_GETFL) != before { _exit(1) }
            withExtendedLifetime(reader) {}
            _exit(7)
        }
    }
}
