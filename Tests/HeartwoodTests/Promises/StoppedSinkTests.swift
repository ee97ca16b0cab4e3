import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Goal G7: a program whose reader is stopped by `SIGSTOP` costs bounded memory and no caller's time; 10 million
/// messages with `HEARTWOOD_LONG=1`, 300,000 unless asked.
@Suite(.heavy) struct StoppedSinkTests {
    private static let messages =
        !Tier.isLong ? 300_000 : 10_000_000

    @Test(
        "Promise 4: a reader that is stopped costs the backlog's limit; the serious messages stay, and every count is exact",
        .enabled(if: !Load.isSanitized, "a sanitizer keeps what is freed"))
    func stopped() async throws {
        let scratch = Scratch()
        let path = scratch.path + "/read"
        let messages = Self.messages
        await #expect(processExitsWith: .success) { [path = path as String, messages = messages as Int] in
            try Self.run(path, messages)
        }
        // What the reader got in the end: each line whole, and every number in it once.
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let report = try String(contentsOfFile: path + ".report", encoding: .utf8)
        print("stopped sink: \(report)")
        let lines = text.split(separator: "\n")
        let words = lines.map { $0.split(separator: " ") }
        let numbers = words.compactMap { words in
            words.firstIndex(of: "message").flatMap { Int(words[$0 + 1]) }
        }
        let announced = words.compactMap { words in
            words.firstIndex(of: "dropped").flatMap { Int(words[$0 - 2]) }
        }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(numbers.count + announced.reduce(0, +) == messages)
        // All that fit of the serious ones are there, and they are the newest.
        let serious = numbers.filter { $0 % 100 == 0 }
        #expect(serious.last == (messages - 1) / 100 * 100)
        let newest = serious.suffix(min(messages / 100, 2000))
        #expect(newest.count == min(messages / 100, 2000))
        #expect(zip(newest, newest.dropFirst()).allSatisfy { $1 - $0 == 100 })
    }

    private static func run(_ path: String, _ messages: Int) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(2) }
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        let reader = try ChildProcess("cat", input: .descriptor(ends[0]), output: .file(path))
        close(ends[0])
        dup2(ends[1], STDOUT_FILENO)
        _ = fcntl(STDOUT_FILENO, F_SETFD, FD_CLOEXEC)
        close(ends[1])

        let dispatcher = LogDispatcher(ringCapacity: .mebibytes(1))
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.synchronousLevels = .off
        // Whoever drains the ring never waits for the console, so a call waits for the drain at the most.
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        let console = ConsoleLogger(.standardOutput)
        console.backlogLimit = .mebibytes(4)
        console.overflowPolicy = .dropBelow(.error)
        dispatcher.add(console)

        reader.signal(SIGSTOP)
        let clock = ContinuousClock()
        var slowest: [Duration] = []
        func send(_ range: Range<Int>) {
            for number in range {
                let began = clock.now
                log("message \(number) of many", level: number % 100 == 0 ? .error : .info, to: dispatcher)
                let took = clock.now - began
                if took > .milliseconds(5) { slowest.append(took) }
            }
        }
        send(0..<messages / 5)
        let before = residentBytes()
        send(messages / 5..<messages)
        let growth = residentBytes() - before
        reader.signal(SIGCONT)
        guard dispatcher.flush(timeout: .testLimit).isComplete else { exit(3) }
        let figures = console.statistics
        guard figures.isBalanced, figures.received == messages, figures.dropped > 0, figures.failed == 0
        else {
            exit(4)
        }
        guard growth <= 4 << 20 + 16 << 20 else { exit(5) }
        // p99.9: fewer than one call in a thousand took longer than 5 ms, where nothing else keeps the machine busy.
        guard !Tier.isLong || slowest.count < messages / 1000 else { exit(6) }
        let report =
            "\(messages) messages, grew by \(growth >> 10) KiB, \(figures.dropped) dropped, \(slowest.count) calls over 5 ms"
        try report.write(toFile: path + ".report", atomically: true, encoding: .utf8)
        dispatcher.removeAll()
        close(STDOUT_FILENO)
        reader.wait()
    }
}
