import Foundation
import Heartwood

/// A synchronous call: it returns when the line has been handed to the kernel, by one logger or several.
struct SynchronousCall: Scenario {
    let name = "synchronous"
    let unit = "ns/call"

    func run() throws -> [Measurement] {
        let one = try times(loggers: 1)
        let several = try (2...3).map {
            Measurement(part: "mean of \($0) loggers", value: mean(try times(loggers: $0)))
        }
        return [
            Measurement(part: "mean", value: mean(one)),
            Measurement(part: "p99", value: percentile(one.sorted(), 0.99)),
        ] + several
    }

    private func mean(_ times: [Double]) -> Double { times.reduce(0, +) / Double(times.count) }

    private func times(loggers: Int) throws -> [Double] {
        try withTemporaryDirectory { path in
            let files = try (0..<loggers).map { try FileLogger(directory: path + "/\($0)") }
            for file in files { LogDispatcher.shared.add(file) }
            defer { LogDispatcher.shared.removeAll() }
            let calls = 20_000
            var times: [Double] = []
            for i in 0..<calls {
                let start = now()
                logInfo("request \(i) from \(user) took \(12.5) ms", asynchronous: false)
                times.append(Double(now() - start))
            }
            for file in files {
                guard let current = file.currentPath else { throw WrongResult("there is no file") }
                let data = try Data(contentsOf: URL(fileURLWithPath: current))
                let count = data.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
                try check(
                    count == calls, "\(count) of \(calls) lines were written when the last call had returned")
            }
            return times
        }
    }
}

/// The console logger, with standard error sent to nowhere.
struct ConsoleScenario: Scenario {
    let name = "console"
    let unit = "lines/s"
    let largerIsBetter = true

    func run() throws -> [Measurement] {
        let lines = 500_000
        let console = ConsoleLogger()
        let measurements = try ConsoleScenario.writing(to: "/dev/null") {
            try FileScenario(name: name, lines: lines).measure([console])
        }
        let statistics = console.statistics
        try check(
            statistics.delivered == lines + 20_000, "\(statistics.delivered) of \(lines) lines were written")
        try check(statistics.bytes > lines * 60, "the lines are too short: \(statistics.bytes) bytes")
        return measurements
    }

    /// Has what goes to standard error go to a file while `body` runs.
    static func writing<Result>(to path: String, _ body: () throws -> Result) throws -> Result {
        let kept = dup(STDERR_FILENO)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try check(file >= 0, "\(path) cannot be opened")
        dup2(file, STDERR_FILENO)
        defer {
            dup2(kept, STDERR_FILENO)
            close(kept)
            close(file)
        }
        return try body()
    }
}

/// A logger made by subclassing, which asks for the text.
struct CustomLogger: Scenario {
    let name = "custom"
    let unit = "messages/s"
    let largerIsBetter = true

    final class TextLogger: AbstractLogger, @unchecked Sendable {
        private(set) var count = 0
        private(set) var bytes = 0

        override func log(_ message: LogMessage) {
            count += 1
            bytes += message.text.utf8.count
        }
    }

    func run() throws -> [Measurement] {
        let logger = TextLogger()
        logger.overflowPolicy = .block(upTo: .seconds(60))
        LogDispatcher.shared.overflowPolicy = .block(upTo: .seconds(60))
        LogDispatcher.shared.add(logger)
        defer { LogDispatcher.shared.removeAll() }
        let calls = 500_000
        let start = now()
        for i in 0..<calls { logRequest(i + 1_000_000, 12.5) }
        LogDispatcher.shared.flush(timeout: .seconds(60))
        let seconds = Double(now() - start) / 1e9
        let length = "request 1000000 from user-1234 took 12.5 ms".utf8.count
        try check(logger.count == calls, "\(logger.count) of \(calls) messages arrived")
        try check(
            logger.bytes == calls * length, "\(logger.bytes) bytes of text instead of \(calls * length)")
        return [Measurement(value: Double(calls) / seconds)]
    }
}

/// The most memory that a process takes which logs a burst of two million messages to a file.
///
/// Measured in a process of its own, which has done nothing else: this program, started again with `--burst`.
struct MemoryScenario: Scenario {
    let name = "memory"
    let unit = "MiB"

    func run() throws -> [Measurement] {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        child.arguments = ["--burst"]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard child.terminationStatus == 0, let bytes = Double(text) else {
            throw WrongResult("the burst failed: \(text)")
        }
        return [Measurement(part: "peak", value: bytes / 1_048_576)]
    }

    /// What the other process does.
    static func burst() throws {
        try withTemporaryDirectory { path in
            let file = try FileLogger(directory: path)
            file.maximumFileCount = nil
            file.overflowPolicy = .block(upTo: .seconds(60))
            LogDispatcher.shared.overflowPolicy = .block(upTo: .seconds(60))
            LogDispatcher.shared.add(file)
            let lines = 2_000_000
            for i in 0..<lines { logRequest(i, 12.5) }
            LogDispatcher.shared.flush(timeout: .seconds(60))
            try check(file.statistics.delivered == lines, "\(file.statistics.delivered) of \(lines) lines")
            LogDispatcher.shared.removeAll()
        }
        print(peakMemory())
    }
}

/// A file logger beside a logger that is stuck: what the stuck one costs the callers and the file.
struct StuckScenario: Scenario {
    let name = "stuck"
    let unit = "lines/s"
    let largerIsBetter = true

    final class Stuck: AbstractLogger, @unchecked Sendable {
        let gate = DispatchSemaphore(value: 0)
        override func log(_ message: LogMessage) { gate.wait() }
    }

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            let dispatcher = LogDispatcher.shared
            dispatcher.overflowPolicy = .block(upTo: .seconds(60))
            let file = try FileLogger(directory: path)
            file.maximumFileCount = nil
            file.overflowPolicy = .block(upTo: .seconds(60))
            let stuck = Stuck()
            stuck.overflowPolicy = .dropNewest
            dispatcher.add(file)
            dispatcher.add(stuck)
            let lines = 500_000
            let start = now()
            for i in 0..<lines { logRequest(i, 12.5) }
            while file.statistics.delivered < lines, now() - start < 60_000_000_000 { usleep(200) }
            let seconds = Double(now() - start) / 1e9
            let counts = (file.statistics.delivered, stuck.statistics)
            for _ in 0..<lines { stuck.gate.signal() }
            dispatcher.removeAll()
            try check(counts.0 == lines, "\(counts.0) of \(lines) lines were written beside the stuck logger")
            try check(counts.1.delivered == 0, "the stuck logger was not stuck")
            let after = stuck.statistics
            try check(
                after.received == after.delivered + after.dropped,
                "the stuck logger's figures do not add up: \(after)")
            return [Measurement(value: Double(lines) / seconds)]
        }
    }
}
