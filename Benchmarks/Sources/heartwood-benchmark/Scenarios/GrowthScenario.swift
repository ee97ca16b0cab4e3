import Foundation
import Heartwood

/// How a cost grows with something: one group of the chart `growth.svg`.
struct GrowthScenario: Scenario {
    let name: String
    let title: String
    let unit: String
    var largerIsBetter = false
    let isDefault = false
    /// What grows.
    let values: [Int]
    /// What a value is called; `part` names the measurement, too.
    let label: @Sendable (Int) -> String
    let measure: @Sendable (Int) throws -> Double

    func run() throws -> [Measurement] {
        try values.map { Measurement(part: label($0), value: try measure($0)) }
    }

    static let all =
        [producersLines, producersCall, lengthLines, lengthCall]
        + [loggersLines, loggersCall, filesRoll, filesStart]

    // MARK: Producers

    private static let threads: @Sendable (Int) -> String = { "\($0) \($0 == 1 ? "thread" : "threads")" }

    static let producersLines = GrowthScenario(
        name: "growth-producers", title: "Lines to a file, by producers", unit: "lines/s",
        largerIsBetter: true, values: [1, 2, 4, 8, 16, 32], label: threads
    ) { count in
        let scenario = FileScenario(name: "growth", producers: count, lines: 480_000)
        return try scenario.run()[0].value
    }

    static let producersCall = GrowthScenario(
        name: "growth-producers-call", title: "An enabled call, by producers", unit: "ns/call",
        values: [1, 2, 4, 8, 16, 32], label: threads
    ) { count in try costOfCall(threads: count) { logRequest($0, 12.5) } }

    // MARK: Length

    private static let lengths = [20, 100, 1 << 10, 4 << 10, 16 << 10, 64 << 10]
    private static let bytes: @Sendable (Int) -> String = {
        $0 < 1024 ? "\($0) bytes" : "\($0 / 1024) KiB"
    }

    static let lengthLines = GrowthScenario(
        name: "growth-length", title: "Bytes of text to a file, by message length", unit: "bytes/s",
        largerIsBetter: true, values: lengths, label: bytes
    ) { length in
        try withTemporaryDirectory { path in
            let file = try FileLogger(directory: path)
            file.maximumFileSize = nil
            file.maximumMessageSize = nil
            file.minimumFreeSpace = .zero
            file.overflowPolicy = .block(upTo: .seconds(60))
            let dispatcher = LogDispatcher.shared
            dispatcher.overflowPolicy = .block(upTo: .seconds(60))
            dispatcher.add(file)
            defer { dispatcher.removeAll() }
            let text = String(repeating: "x", count: length)
            let lines = min(300_000, (256 << 20) / length)
            let start = now()
            for _ in 0..<lines { logInfo(text) }
            let isComplete = dispatcher.flush(timeout: .seconds(120)).isComplete
            let seconds = Double(now() - start) / 1e9
            try check(isComplete, "the flush did not finish")
            let (statistics, most) = (file.statistics, lines * (length + 200))
            try check(
                statistics.delivered == lines && (lines * length...most).contains(Int(statistics.bytes)),
                "\(statistics.delivered) lines and \(statistics.bytes) bytes of \(lines) times \(length)")
            return Double(lines * length) / seconds
        }
    }

    static let lengthCall = GrowthScenario(
        name: "growth-length-call", title: "An enabled call, by message length", unit: "ns/call",
        values: lengths, label: bytes
    ) { length in
        let text = String(repeating: "x", count: length)
        // No more than the ring holds, so that no call waits for the loggers.
        return try costOfCall(threads: 1, calls: min(1000, (1 << 20) / (length + 200))) { _ in logInfo(text) }
    }

    // MARK: Loggers

    private static let loggers: @Sendable (Int) -> String = { "\($0) \($0 == 1 ? "logger" : "loggers")" }

    static let loggersLines = GrowthScenario(
        name: "growth-loggers", title: "Messages to files, by file loggers that write each",
        unit: "messages/s",
        largerIsBetter: true, values: [1, 2, 4, 8], label: loggers
    ) { count in try FileScenario(name: "growth", lines: 200_000, loggers: count).run()[0].value }

    static let loggersCall = GrowthScenario(
        name: "growth-loggers-call", title: "An enabled call, by loggers", unit: "ns/call",
        values: [1, 2, 4, 8], label: loggers
    ) { count in try costOfCall(threads: 1, loggers: count) { logRequest($0, 12.5) } }

    // MARK: Files

    private static let files: @Sendable (Int) -> String = { "\($0) files" }

    static let filesRoll = GrowthScenario(
        name: "growth-files",
        title: "A line that starts a file and removes the oldest, by files in the directory",
        unit: "ms", values: [10, 100, 1000, 10_000], label: files
    ) { count in
        try withTemporaryDirectory { path in
            try makeOldFiles(count, in: path)
            let file = try FileLogger(
                directory: path, settings: FileSettings(naming: LogFileNaming(application: "growth")))
            file.maximumFileCount = count
            file.rollingInterval = nil
            let dispatcher = LogDispatcher()
            dispatcher.add(file)
            defer { dispatcher.removeAll() }
            logInfo("first", to: dispatcher)
            try check(dispatcher.flush(timeout: .seconds(120)).isComplete, "the flush did not finish")
            // Files without a mark are looked at when the first file is opened.
            file.rollNow()
            logInfo("second", to: dispatcher)
            try check(dispatcher.flush(timeout: .seconds(120)).isComplete, "the flush did not finish")
            let rolls = 20
            let start = now()
            for number in 0..<rolls {
                file.rollNow()
                logInfo("file \(number)", to: dispatcher)
                try check(dispatcher.flush(timeout: .seconds(60)).isComplete, "the flush did not finish")
            }
            let milliseconds = Double(now() - start) / 1e6 / Double(rolls)
            let found = try file.logFiles().count
            try check(found == count, "\(found) files instead of \(count)")
            return milliseconds
        }
    }

    static let filesStart = GrowthScenario(
        name: "growth-files-start",
        title: "A start, until the first line is written, by files in the directory",
        unit: "ms", values: [10, 100, 1000, 10_000], label: files
    ) { count in try FileStartScenario(files: count).run()[0].value }

    /// Finished files of an earlier run, a second apart.
    private static func makeOldFiles(_ count: Int, in path: String) throws {
        let naming = LogFileNaming(application: "growth")
        for number in 0..<count {
            let moment = LogTimestamp(nanoseconds: 1_700_000_000_000_000_000 + Int64(number) * 1_000_000_000)
            let name = naming.name(for: LogFileLabel(createdAt: moment))
            try Data("line\n".utf8).write(to: URL(fileURLWithPath: path + "/" + name))
        }
    }
}

/// The mean cost of a call to its thread, where several log in bursts at once; the median of the bursts.
private func costOfCall(
    threads: Int, calls: Int = 1000, loggers: Int = 1, _ call: @escaping @Sendable (Int) -> Void
) throws -> Double {
    let counting = (0..<loggers).map { _ in CountingLogger() }
    let dispatcher = LogDispatcher.shared
    for logger in counting { dispatcher.add(logger) }
    defer { dispatcher.removeAll() }
    let (bursts, share) = (60, max(1, calls / threads))
    var means: [Double] = []
    for burst in 0..<bursts {
        let times = BurstTimes(threads)
        onThreads(threads) { thread in
            let start = now()
            for i in 0..<share { call(i) }
            times.set(thread, Double(now() - start) / Double(share))
        }
        dispatcher.flush()
        // The first bursts touch memory for the first time.
        if burst >= 10 { means.append(times.mean) }
    }
    for logger in counting {
        try check(logger.count == bursts * share * threads, "\(logger.count) messages arrived")
    }
    return median(means)
}

/// One time for each thread.
private final class BurstTimes: @unchecked Sendable {  // each thread has a place of its own
    private let times: UnsafeMutableBufferPointer<Double>

    init(_ count: Int) {
        times = .allocate(capacity: count)
        times.initialize(repeating: 0)
    }

    deinit { times.deallocate() }

    func set(_ thread: Int, _ time: Double) { times[thread] = time }

    var mean: Double { times.reduce(0, +) / Double(times.count) }
}
