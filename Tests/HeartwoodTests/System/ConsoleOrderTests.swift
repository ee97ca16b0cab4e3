import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Two streams at one terminal, and when there are colors.
@Suite(.inTurn) struct ConsoleOrderTests {
    @Test("Where standard output and standard error are one terminal or file, lines stay in their order")
    func twoStreams() async {
        await #expect(processExitsWith: .exitCode(7)) {
            alarm(120)
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { exit(90) }
            dup2(ends[1], STDOUT_FILENO)
            dup2(ends[1], STDERR_FILENO)
            let dispatcher = LogDispatcher()
            dispatcher.synchronousLevels = .off
            let console = ConsoleLogger(.split(errors: .error))
            console.colorDepth = ConsoleColorDepth.none
            dispatcher.add(console)
            dispatcher.flush(timeout: .testLimit)
            // All of them in one batch.
            let gate = Gate()
            console.perform { gate.pass() }
            gate.waitForArrival()
            let levels: [LogLevel] = [.info, .error, .info, .info, .error, .error, .info]
            for (index, level) in levels.enumerated() { log("line \(index)", level: level, to: dispatcher) }
            dispatcher.drainNow()
            gate.open()
            dispatcher.flush(timeout: .testLimit)
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = max(0, read(ends[0], &bytes, bytes.count))
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            let numbers = text.split(separator: "\n").compactMap { line in
                line.firstMatch(of: /line (\d)/).flatMap { Int($0.1) }
            }
            exit(numbers == Array(0..<7) ? 7 : 1)
        }
    }

    @Test(
        "Colors are those of the terminal, unless NO_COLOR or FORCE_COLOR say something else",
        arguments: [
            (true, ["TERM": "xterm"], .ansi), (true, ["TERM": "xterm-256color"], .palette),
            (true, ["TERM": "xterm", "COLORTERM": "truecolor"], .full),
            (false, ["TERM": "xterm-256color"], .none), (true, ["TERM": "dumb"], .none), (true, [:], .none),
            // What is empty says nothing.
            (true, ["TERM": "xterm", "NO_COLOR": ""], .ansi),
            (true, ["TERM": "xterm", "NO_COLOR": "1"], .none),
            (true, ["TERM": "xterm", "NO_COLOR": "0"], .none),
            (false, ["TERM": "xterm", "FORCE_COLOR": "3"], .full),
            (false, ["TERM": "xterm", "FORCE_COLOR": "1"], .ansi),
            (true, ["TERM": "xterm-256color", "FORCE_COLOR": "0"], .none),
            (true, ["TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "3"], .none),
        ] as [(Bool, [String: String], ConsoleColorDepth)])
    func colors(isTerminal: Bool, environment: [String: String], depth: ConsoleColorDepth) {
        #expect(ConsoleColorDepth.detect(isTerminal: isTerminal, environment: environment) == depth)
    }
}
