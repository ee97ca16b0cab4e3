import CHeartwood
import Foundation
import HeartwoodArchive
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// What a process that is going to be killed tells others: for each of its threads, the last number whose call returned.
///
/// A page of a file, shared: what was stored there survives the process, and nothing else is needed.
final class JournalWitness: @unchecked Sendable {  // each thread has a word of its own
    static let threads = 4
    private let words: UnsafeMutablePointer<Int>
    private let path: String

    init(_ path: String, run: Int) {
        self.path = path
        let file = FileManager.default
        let name = path + "/witness-\(run)"
        if !file.fileExists(atPath: name) {
            _ = file.createFile(atPath: name, contents: Data(count: 4096))
        }
        let handle = FileHandle(forUpdatingAtPath: name)
        let number = handle?.fileDescriptor ?? -1
        let memory = MemoryMap.shared(number, size: 4096)
        words = memory.unsafelyUnwrapped.bindMemory(to: Int.self, capacity: 512)
    }

    deinit { munmap(words, 4096) }

    /// How many calls of a thread have returned.
    func returned(_ thread: Int) -> Int { words[thread * 16] }

    func note(_ thread: Int, _ count: Int) { words[thread * 16] = count }

    /// Waits until so many calls have returned, of all threads together: on a busy machine none may have run yet.
    func wait(for count: Int) {
        while (0..<JournalWitness.threads).reduce(0, { $0 + returned($1) }) < count { sched_yield() }
    }
}

/// What a killed process does, and how what it left is judged.
struct JournalScene: Codable, Sendable {
    var ring = 256 * 1024
    /// The size of a log file; 0, no limit.
    var fileSize = 0
    /// How long the lines are.
    var padding = 40
    /// How long a process lives at most, in microseconds.
    var lifetime: UInt32 = 30_000
    /// Whether the log files and the journal are encrypted.
    var isEncrypted = false
    /// Whether a fatal signal leaves a last message.
    var notesSignals = false

    static let naming = LogFileNaming(application: "t")

    func makeLogger(_ path: String, calls: SystemCalls = SystemCalls()) throws -> FileLogger {
        let logger = try FileLogger(
            Directory(path + "/logs", calls: calls), settings: FileSettings(naming: JournalScene.naming),
            formatter: nil, name: "file")
        logger.maximumFileCount = nil
        logger.maximumFileSize = ByteCount(fileSize)
        logger.rollingInterval = nil
        logger.minimumFreeSpace = .zero
        logger.overflowPolicy = .block(upTo: .seconds(60))
        logger.waitingLimit = .mebibytes(64)
        if isEncrypted {
            logger.archiveKey = FixedKey()
            logger.archiveFormat = .encrypted
        }
        return logger
    }

    func makeDispatcher(_ path: String) -> LogDispatcher {
        let dispatcher = LogDispatcher(
            ringCapacity: ByteCount(ring),
            journal: LogJournal(directory: path + "/journal", key: isEncrypted ? FixedKey() : nil))
        dispatcher.diagnostics.handler = { report in
            if report.kind != .note { print("\(report.kind.rawValue): \(report.text)") }
        }
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        return dispatcher
    }

    /// Logs on four threads until the process ends; of one of them, each third call is synchronous.
    func log(_ path: String, run: Int, calls: SystemCalls = SystemCalls(), ends: () -> Void) throws {
        let dispatcher = makeDispatcher(path)
        guard case .active = dispatcher.journalStatus else { exit(4) }
        dispatcher.recordsFatalSignals = notesSignals
        dispatcher.add(try makeLogger(path, calls: calls))
        let witness = JournalWitness(path, run: run)
        let text = String(repeating: "x", count: padding)
        for thread in 0..<JournalWitness.threads {
            Thread.detachNewThread {
                var number = 0
                while true {
                    let waits = thread == 3 && number % 3 == 0
                    logInfo("\(run) \(thread) \(number) \(text)", asynchronous: !waits, to: dispatcher)
                    number += 1
                    witness.note(thread, number)
                }
            }
        }
        ends()
    }

    /// Logs some lines on one thread, and dies at the N-th call that the file logger makes of the system, by `SIGKILL`; if
    /// there are not so many, says so in a file and dies then.
    ///
    /// With `part` it dies in its N-th write, when that has written so many bytes.
    func logFew(_ path: String, run: Int, dyingAt number: Int, part: Int?) throws {
        let state = Locked((count: 0, isDying: false))
        let calls = SystemCalls { call in
            state.withLock { state -> SystemCalls.Fault? in
                if part == nil || call == .write { state.count += 1 }
                if state.isDying || (part == nil && state.count >= number) { kill(getpid(), SIGKILL) }
                guard let part, call == .write, state.count == number else { return nil }
                state.isDying = true
                return .short(part)
            }
        }
        let dispatcher = makeDispatcher(path)
        dispatcher.add(try makeLogger(path, calls: calls))
        let witness = JournalWitness(path, run: run)
        let text = String(repeating: "x", count: padding)
        for index in 0..<60 {
            logInfo("\(run) 0 \(index) \(text)", to: dispatcher)
            witness.note(0, index + 1)
            // Every few lines a write of their own.
            if index % 7 == 6 { dispatcher.flush(timeout: .testLimit) }
        }
        dispatcher.flush(timeout: .testLimit)
        _ = FileManager.default.createFile(atPath: path + "/survived-\(run)", contents: Data())
        kill(getpid(), SIGKILL)
    }

    /// Recovers what is left, and compares the files with what was promised.
    ///
    /// - Returns: how many calls had returned, and how many lines were recovered.
    @discardableResult
    func judge(
        _ path: String, runs: Int, _ what: String = ""
    ) throws -> (returned: Int, recovered: Int, lastWords: [String]) {
        let dispatcher = makeDispatcher(path)
        let logger = try makeLogger(path)
        dispatcher.add(logger)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        dispatcher.journal = nil
        // Encrypted files are made anew when they are finished.
        logger.archiver.drain()
        let left = try FileManager.default.contentsOfDirectory(atPath: path + "/journal")
        #expect(left.isEmpty, "\(what): \(left)")

        var next = [[Int]](repeating: [Int](repeating: 0, count: JournalWitness.threads), count: runs)
        var recovered = 0
        var lastWords: [String] = []
        let logs = path + "/logs"
        for name in try LogFileReader(directory: logs, naming: JournalScene.naming).paths() {
            var bytes: [UInt8] = []
            let source = try LogFileSource(path: name, key: isEncrypted ? FixedKey() : nil)
            while let piece = try source.next() { bytes += piece }
            #expect(source.damage == nil, "\(what): \(name)")
            #expect(bytes.isEmpty || bytes.last == UInt8(ascii: "\n"), "\(what): \(name) is torn")
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                if line.hasPrefix("recovered ") {
                    recovered += line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                    continue
                }
                if line.hasPrefix("the process was terminated") {
                    lastWords.append(String(line))
                    continue
                }
                let words = line.split(separator: " ")
                guard words.count == 4, words[3].count == padding, let run = Int(words[0]),
                    let thread = Int(words[1]), let number = Int(words[2])
                else {
                    Issue.record("\(what): “\(line)” in \(name) is no whole line")
                    return (0, 0, [])
                }
                if number != next[run][thread] {

                    Issue.record(
                        "\(what): run \(run), thread \(thread): \(number) where \(next[run][thread]) was due, in \(name)"
                    )
                    return (0, 0, [])
                }
                next[run][thread] += 1
            }
        }

        var total = 0
        for run in 0..<runs {
            let witness = JournalWitness(path, run: run)
            for thread in 0..<JournalWitness.threads {
                let returned = witness.returned(thread)
                total += returned
                // The call that was under way may have got there.
                let found = next[run][thread]
                #expect(
                    found == returned || found == returned + 1,
                    "\(what): run \(run), thread \(thread): \(found) of \(returned)")
            }
        }
        return (total, recovered, lastWords)
    }
}
