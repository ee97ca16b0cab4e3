import Foundation
import Heartwood
import HeartwoodArchive

/// Lines to files until all of them are written, with several producers at once.
struct FileScenario: Scenario {
    let name: String
    let unit = "lines/s"
    let largerIsBetter = true
    var producers = 1
    var lines = 1_000_000
    var maximumFileSize = ByteCount.zero
    var loggers = 1
    var formatter: @Sendable () throws -> LogFormatter = { LineFormatter() }
    var isCompressed = false
    /// With the crash journal: what a call has logged survives the process from then on.
    var isJournaled = false

    static let all: [FileScenario] = [
        FileScenario(name: "file"),
        FileScenario(name: "file-4", producers: 4),
        FileScenario(name: "file-16", producers: 16),
        FileScenario(name: "file-rolling", maximumFileSize: .mebibytes(10)),
        FileScenario(name: "file-rolling-gzip", maximumFileSize: .mebibytes(10), isCompressed: true),
        FileScenario(name: "file-json", formatter: { JSONLinesFormatter() }),
        FileScenario(name: "file-three", lines: 500_000, loggers: 3),
        FileScenario(name: "journal", isJournaled: true),
        FileScenario(name: "journal-4", producers: 4, isJournaled: true),
    ]

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            let files = try (0..<loggers).map { try makeLogger("\(path)/\($0)") }
            if isJournaled { try useJournal(path + "/journal") }
            defer { if isJournaled { LogDispatcher.shared.journal = nil } }
            let measurements = try measure(files)
            for index in files.indices {
                if isCompressed { try decompress("\(path)/\(index)") }
                try verify("\(path)/\(index)")
            }
            return measurements
        }
    }

    func makeLogger(_ directory: String) throws -> FileLogger {
        let file = try FileLogger(directory: directory, formatter: try formatter())
        file.maximumFileSize = maximumFileSize
        file.maximumFileCount = nil
        file.minimumFreeSpace = .zero
        file.archiveFormat = isCompressed ? .gzip : .plain
        return file
    }

    /// The lines that each producer logs.
    private var share: Int { lines / producers }

    /// Logs all lines to these loggers.
    func measure(_ loggers: [AbstractLogger]) throws -> [Measurement] {
        for logger in loggers {
            logger.overflowPolicy = .block(upTo: .seconds(60))
            LogDispatcher.shared.add(logger)
        }
        defer { LogDispatcher.shared.removeAll() }
        LogDispatcher.shared.overflowPolicy = .block(upTo: .seconds(60))
        // Memory that is touched for the first time is slow: not what is measured here.
        for i in 0..<20_000 { logRequest(-1 - i, 0) }
        LogDispatcher.shared.flush()

        let share = share
        let processor = processorSeconds()
        let start = now()
        onThreads(producers) { thread in
            for i in 0..<share { logRequest(thread * share + i, Double(i & 1023) / 8) }
        }
        let result = LogDispatcher.shared.flush(timeout: .seconds(120))
        let seconds = Double(now() - start) / 1e9
        let used = processorSeconds() - processor
        try check(result.isComplete, "the flush did not finish")
        let total = Double(share * producers)
        return [
            Measurement(value: total / seconds),
            Measurement(part: "cpu s/million", value: used / total * 1e6, unit: "s"),
        ]
    }

    /// Waits until all finished files are compressed, and lets gunzip make lines of them again.
    private func decompress(_ directory: String) throws {
        func names(_ ending: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(ending) }
        }
        let deadline = Date(timeIntervalSinceNow: 120)
        while try names(".log").count > 1 || !names(".part").isEmpty {
            try check(Date() < deadline, "files are not compressed after two minutes")
            usleep(20_000)
        }
        let compressed = try names(".gz")
        try check(!compressed.isEmpty, "no file was compressed")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gunzip"] + compressed.map { directory + "/" + $0 }
        try process.run()
        process.waitUntilExit()
        try check(process.terminationStatus == 0, "gunzip does not read the files")
    }

    /// Every line is there once, whole, and each producer's lines are in their order.
    func verify(_ directory: String) throws {
        var next = (0..<producers).map { $0 * share }
        var warmUp = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: directory).sorted() {
            if !name.hasSuffix(".log") { continue }
            let data = try Data(
                contentsOf: URL(fileURLWithPath: directory + "/" + name), options: .alwaysMapped)
            try data.withUnsafeBytes { bytes in
                var lines = LineReader(bytes)
                while let number = try lines.next() {
                    if number < 0 {
                        warmUp += 1
                    } else {
                        try check(number / share < producers, "line of request \(number) in \(name)")
                        try check(
                            next[number / share] == number, "request \(number) is out of order in \(name)")
                        next[number / share] += 1
                    }
                }
            }
        }
        try check(warmUp == 20_000, "\(warmUp) of 20000 lines of the warm-up in \(directory)")
        for thread in 0..<producers {
            try check(
                next[thread] == (thread + 1) * share, "producer \(thread): \(next[thread]) of \(share) lines")
        }
    }
}

/// Reads the numbers of the requests out of lines, and checks the lines around them.
struct LineReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func next() throws -> Int? {
        if offset >= bytes.count { return nil }
        guard let base = bytes.baseAddress,
            let end = memchr(base + offset, 0x0A, bytes.count - offset).map({ UnsafeRawPointer($0) - base })
        else { throw WrongResult("the last line is torn") }
        let line = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
        offset = end + 1
        guard let found = LineReader.find("request ", in: line) else {
            throw WrongResult("a line without a request: \(String(decoding: line, as: UTF8.self))")
        }
        var place = found
        var number = 0
        let isNegative = line[place] == 0x2D
        if isNegative { place += 1 }
        while place < line.count, (48...57).contains(line[place]) {
            number = number * 10 + Int(line[place] - 48)
            place += 1
        }
        let rest = line[place...]
        try check(
            rest.starts(with: " from user-1234 took ".utf8),
            "a damaged line: \(String(decoding: line, as: UTF8.self))")
        return isNegative ? -number : number
    }

    /// The place behind the first occurrence of `word`.
    private static func find(_ word: StaticString, in line: UnsafeRawBufferPointer) -> Int? {
        let size = word.utf8CodeUnitCount
        var index = 0
        while index + size <= line.count {
            if line[index] == word.utf8Start[0], memcmp(line.baseAddress! + index, word.utf8Start, size) == 0
            {
                return index + size
            }
            index += 1
        }
        return nil
    }
}
