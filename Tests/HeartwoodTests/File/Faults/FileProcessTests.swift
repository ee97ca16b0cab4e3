import CHeartwood
import Foundation
import HeartwoodArchive
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// Several processes, and processes that are killed; each is a real one.
@Suite(.serialized, .inTurn) struct FileProcessTests {
    private static let processes = Tier.isLong ? 8 : 4
    private static let lines = Tier.isLong ? 125_000 : 5_000

    /// What each process does: writes numbered lines with its own mark.
    private static func write(_ path: String, _ mark: Int, _ lines: Int, isShared: Bool) throws {
        let logger = try FileLogger(
            directory: path, settings: FileSettings(naming: LogFileNaming(application: "t")), formatter: nil,
            name: "\(mark)")
        logger.isShared = isShared
        logger.maximumFileCount = nil
        logger.maximumFileSize = .kibibytes(64)
        logger.overflowPolicy = .block(upTo: .seconds(60))
        let dispatcher = LogDispatcher()
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        dispatcher.add(logger)
        for number in 0..<lines {
            logInfo("\(mark) \(number) some text to make the line a little longer", to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        dispatcher.remove(logger)
        let counters = logger.statistics
        guard counters.delivered == lines, counters.failed == 0 else { exit(3) }
    }

    @Test(
        "Processes on one directory lose, tear and mix no line, each with its own file or sharing one",
        arguments: [false, true])
    func processes(_ isShared: Bool) async throws {
        let scratch = Scratch()
        let path = scratch.logs
        let lines = Self.lines
        await withTaskGroup(of: Void.self) { group in
            for mark in 0..<Self.processes {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [
                            path = path as String, mark = mark as Int, lines = lines as Int,
                            isShared = isShared as Bool
                        ] in
                        try FileProcessTests.write(path, mark, lines, isShared: isShared)
                    }
                }
            }
        }
        var next = [Int](repeating: 0, count: Self.processes)
        var count = 0
        // In shared mode the files' order is the order of each process' lines; alone, its own files' order is.
        for try await line in try LogFileReader(directory: path, naming: LogFileNaming(application: "t"))
            .lines()
        {
            let parts = line.text.split(separator: " ", maxSplits: 2)
            let mark = try #require(parts.first.flatMap { Int($0) })
            let number = try #require(Int(parts[1]))
            #expect(parts[2] == "some text to make the line a little longer")
            if number != next[mark] {
                Issue.record("process \(mark): \(number) after \(next[mark] - 1) in \(line.file)")
            }
            next[mark] = number + 1
            count += 1
        }
        #expect(count == Self.processes * lines)
        for name in scratch.names() { #expect(scratch.size(name) <= 64 * 1024) }
    }

    @Test(
        "A process that is killed while it rolls and compresses loses no line that it had written",
        arguments: 0..<3)
    func killed(_ run: Int) async throws {
        let scratch = Scratch()
        let path = scratch.logs
        let acknowledged = scratch.path + "/acknowledged"
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, acknowledged = acknowledged as String, run = run as Int] in
            let logger = try FileLogger(
                directory: path, settings: FileSettings(naming: LogFileNaming(application: "t")),
                formatter: nil)
            logger.maximumFileCount = nil
            logger.maximumFileSize = .kibibytes(8)
            logger.archiveFormat = .gzip
            let dispatcher = LogDispatcher()
            dispatcher.add(logger)
            let file = open(acknowledged, O_CREAT | O_WRONLY | O_APPEND, 0o600)
            Thread.detachNewThread {
                usleep(150_000 + UInt32(run) * 37_000)
                kill(getpid(), SIGKILL)
            }
            for number in 0... {
                logInfo("line \(number)", asynchronous: false, to: dispatcher)
                let text = "\(number)\n"
                _ = text.withCString { CHeartwood.write(file, $0, strlen($0)) }
            }
        }
        let text = try String(contentsOfFile: acknowledged, encoding: .utf8)
        let count = text.split(separator: "\n").count
        // The next run puts right what the death left.
        let engine = FileEngine(
            directory: try Directory(path),
            settings: FileSettings.unlimited(naming: LogFileNaming(application: "t"))
        )
        try engine.start()
        var log = RecordLog()
        log.write(1, to: engine)
        var lines: [String] = []
        for try await line in try LogFileReader(directory: path, naming: engine.settings.naming).lines() {
            lines.append(line.text)
        }
        #expect(lines.popLast() == log.lines[0])
        #expect(lines.count >= count)
        #expect(lines == lines.indices.map { "line \($0)" })
    }

    @Test("A limit on the size of files does not kill the process; lines go on in more files")
    func fileSizeLimit() async throws {
        let scratch = Scratch()
        let path = scratch.logs
        await #expect(processExitsWith: .success) { [path = path as String] in
            var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let logger = try FileLogger(
                directory: path, settings: FileSettings(naming: LogFileNaming(application: "t")),
                formatter: nil)
            logger.maximumFileCount = nil
            let dispatcher = LogDispatcher()
            dispatcher.add(logger)
            for number in 0..<1000 { logInfo("line \(number)", to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
            // Not by `exit`: where coverage is measured, that writes a file larger than the limit.
            _exit(logger.statistics.failed == 0 ? 0 : 3)
        }
        var lines: [String] = []
        for try await line in try LogFileReader(directory: path, naming: LogFileNaming(application: "t"))
            .lines()
        {
            lines.append(line.text)
        }
        #expect(lines == (0..<1000).map { "line \($0)" })
        for name in scratch.names() { #expect(scratch.size(name) <= 4096) }
    }
}
