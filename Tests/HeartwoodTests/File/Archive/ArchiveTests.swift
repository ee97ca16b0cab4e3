import CHeartwood
import CoreFixtures
import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// A provider of one key.
struct FixedKey: SecretProvider {
    var text = String(repeating: "0f", count: 32)
    func secret(named name: String) throws -> Secret {
        LogArchives.register()
        return Secret(text)
    }
}

@Suite(.inTurn) struct ArchiveTests {
    private let archives: Void = LogArchives.register()

    private let scratch = Scratch()
    private let clock = ManualClock()

    private func bytes(_ name: String) -> [UInt8] {
        Array(FileManager.default.contents(atPath: scratch.logs + "/" + name) ?? Data())
    }

    /// The program's output, given the bytes of a file.
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let output = scratch.path + "/output"
        try ChildProcess(program, arguments, output: .file(output)).wait()
        return String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
    }

    @Test("Rolled files are compressed so that gunzip reads them, and the order of lines is kept")
    func gzip() async throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        let archived = Locked<[String]>([])
        logger.onArchive = { info in archived.withLock { $0.append(info.name) } }
        logger.archiveFormat = .gzip
        logger.maximumFileSize = .kibibytes(10)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        for number in 0..<2000 { logInfo("line number \(number)", to: dispatcher) }
        await dispatcher.flush(timeout: .testLimit)
        logger.archiver.drain()
        let names = scratch.names()
        #expect(names.filter { $0.hasSuffix(".gz") }.count == names.count - 1)
        let oldest = try #require(try logger.logFiles().last?.path)
        #expect(try run("gunzip", ["-c", oldest]).hasPrefix("line number 0\n"))
        var lines: [String] = []
        for try await line in try LogFileReader(directory: scratch.logs, naming: logger.naming).lines() {
            lines.append(line.text)
        }
        #expect(lines == (0..<2000).map { "line number \($0)" })
        logger.hookQueue.sync {}
        #expect(archived.withLock { $0.count } == names.count - 1)
        #expect(try logger.logFiles().filter(\.isCompressed).count == names.count - 1)
        #expect(logger.inventory.total == names.reduce(0) { $0 + bytes($1).count })
    }

    @Test("While a log and its complete archive are both there, a logger lists the archive alone")
    func bothThere() async throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logInfo("first", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        await logger.rollNow()
        let log = try #require(scratch.names().first)
        // As between the steps of an archiver: the archive has its name, and the log is not removed yet.
        _ = try run("gzip", ["-k", scratch.logs + "/" + log])
        #expect(scratch.names().sorted() == [log, log + ".gz"])
        #expect(try logger.logFiles().map(\.name) == [log + ".gz"])
    }

    @Test("Encrypted archives show nothing of the text, and are read with the key only")
    func encrypted() async throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        logger.archiveKey = FixedKey()
        logger.archiveFormat = .encrypted
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        for number in 0..<100 { logInfo("secret number \(number)", to: dispatcher) }
        await logger.rollNow()
        logger.archiver.drain()
        let name = try #require(scratch.names().first { $0.hasSuffix(".hwe") })
        #expect(scratch.names().count == 1)
        #expect(!String(decoding: bytes(name), as: UTF8.self).contains("secret"))
        var lines: [String] = []
        let reader = LogFileReader(directory: scratch.logs, naming: logger.naming, key: FixedKey())
        for try await line in try reader.lines() { lines.append(line.text) }
        #expect(lines == (0..<100).map { "secret number \($0)" })
        let other = LogFileReader(
            directory: scratch.logs, naming: logger.naming,
            key: FixedKey(text: String(repeating: "1", count: 32)))
        for try await line in try other.lines() { Issue.record("readable with another key: \(line.text)") }
    }

    @Test("Without a key nothing is written, lines wait, and nothing is lost")
    func noKey() async throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        logger.archiveFormat = .encrypted
        let dispatcher = LogDispatcher()
        let reports = Locked<[String]>([])
        dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        dispatcher.add(logger)
        logInfo("line", to: dispatcher)
        await logger.rollNow()
        logger.archiver.drain()
        #expect(scratch.names() == [])
        #expect(await dispatcher.flush(timeout: .testLimit).unfinished == ["FileLogger"])
        #expect(await dispatcher.flush(timeout: .testLimit).holding == ["FileLogger"])
        // The key is the only reason that is told.
        #expect(reports.withLock { $0.map { $0.contains("key cannot be used") } } == [true])
        logger.archiveKey = FixedKey()
        clock.advance(by: .seconds(1))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(try scratch.decryptedLines(logger.naming) == ["line", ""])
        await logger.rollNow()
        logger.archiver.drain()
        #expect(scratch.names().count == 1 && scratch.names()[0].hasSuffix(".log.hwe"))
    }

    /// Goal G12's idea for archives: one damaged byte costs its frame and no other.
    @Test("A damaged byte anywhere in a file of frames loses the frame that it is in, and no other")
    func damagedFrame() throws {
        let cipher = try FrameCipher(key: Secret(bytes: [UInt8](repeating: 7, count: 32)))
        var encoder = try FrameEncoder(cipher)
        let texts = (0..<4).map { Array("frame \($0) has this text\n".utf8) }
        let frames = try texts.enumerated().map { try encoder.encode($1, isLast: $0 == 3) }
        let whole = frames.flatMap { $0 }
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x41
            var decoder = FrameDecoder(cipher)
            var read: [[UInt8]] = []
            // Fed in odd pieces, as a file is.
            for start in stride(from: 0, to: damaged.count, by: 37) {
                try decoder.feed(Array(damaged[start..<min(start + 37, damaged.count)])) {
                    read.append(Array($0))
                }
            }
            try decoder.finish { read.append(Array($0)) }
            var hit = 0
            var end = 0
            for (number, frame) in frames.enumerated() {
                end += frame.count
                if index < end {
                    hit = number
                    break
                }
            }
            #expect(read == texts.enumerated().filter { $0.offset != hit }.map(\.element), "byte \(index)")
            #expect(decoder.damagedBytes + decoder.tornBytes > 0)
        }
    }

    @Test("Every truncation of a file of frames is noticed, and leaves the frames before it readable")
    func truncatedFrames() throws {
        let cipher = try FrameCipher(key: Secret(bytes: [UInt8](repeating: 7, count: 32)))
        var encoder = try FrameEncoder(cipher)
        let texts = (0..<3).map { Array("frame \($0)\n".utf8) }
        let frames = try texts.enumerated().map { try encoder.encode($1, isLast: $0 == 2) }
        let whole = frames.flatMap { $0 }
        for length in 0..<whole.count {
            var decoder = FrameDecoder(cipher)
            var read = 0
            try decoder.feed(Array(whole.prefix(length))) { _ in read += 1 }
            try decoder.finish { _ in read += 1 }
            #expect(read == length / frames[0].count)
            #expect(!decoder.isComplete)
        }
    }

    @Test("Frames that were swapped, repeated or taken out are noticed")
    func movedFrames() throws {
        let cipher = try FrameCipher(key: Secret(bytes: [UInt8](repeating: 7, count: 32)))
        var encoder = try FrameEncoder(cipher)
        let frames = try (0..<4).map { try encoder.encode(Array("\($0)".utf8), isLast: $0 == 3) }
        for order in [[0, 2, 1, 3], [0, 1, 1, 2, 3], [0, 2, 3], [1, 2, 3]] {
            var decoder = FrameDecoder(cipher)
            try decoder.feed(order.flatMap { frames[$0] }) { _ in }
            try decoder.finish { _ in }
            #expect(decoder.damagedBytes + decoder.missingFrames > 0, "\(order)")
        }
    }

    @Test("The cipher agrees with the vectors of NIST's GCM specification (test case 16)")
    func vectors() throws {
        func decode(_ hex: String) -> [UInt8] {
            stride(from: 0, to: hex.count, by: 2).map { offset in
                let start = hex.index(hex.startIndex, offsetBy: offset)
                return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16) ?? 0
            }
        }
        let cipher = try FrameCipher(
            key: Secret("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let sealed = try cipher.seal(
            decode(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                    + "b16aedf5aa0de657ba637b39"),
            nonce: decode("cafebabefacedbaddecaf888"),
            header: decode("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
        #expect(
            sealed
                == decode(
                    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                        + "c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"))
    }

    @Test("A crash while archiving leaves no line twice and none lost", arguments: ["part", "both"])
    func crashed(_ state: String) async throws {
        let log = "t 2025-12-31--10-00-00-000.log"
        scratch.write("one\ntwo\n", to: log)
        let compressed = try GzipMember.compress(Array("one\ntwo\n".utf8))
        let name = log + (state == "part" ? ".gz.part" : ".gz")
        let content = state == "part" ? compressed.prefix(9) : compressed[...]
        _ = FileManager.default.createFile(atPath: scratch.logs + "/" + name, contents: Data(content))
        let naming = LogFileNaming(application: "t")
        let opened = try Directory(scratch.logs)
        opened.markFinished(try opened.open(log).file)
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        logger.archiveFormat = .gzip
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        await dispatcher.flush(timeout: .testLimit)
        clock.advance(by: .seconds(1))
        await dispatcher.flush(timeout: .testLimit)
        logger.archiver.drain()
        #expect(scratch.names() == [log + ".gz"])
        var lines: [String] = []
        for try await line in try LogFileReader(directory: scratch.logs).lines() { lines.append(line.text) }
        #expect(lines == ["one", "two"])
    }

    @Test("Archives count in the quota, while they are made as well")
    func quota() async throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        logger.archiveFormat = .gzip
        logger.maximumFileSize = .kibibytes(8)
        logger.maximumFileCount = nil
        logger.diskQuota = .kibibytes(40)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        for round in 0..<60 {
            for number in 0..<40 {
                logInfo("round \(round) line \(number) \(UUID().uuidString)", to: dispatcher)
            }
            await dispatcher.flush(timeout: .testLimit)
            #expect(scratch.total <= 40 * 1024)
            logger.archiver.drain()
            #expect(scratch.total <= 40 * 1024)
        }
        #expect(scratch.names().contains { $0.hasSuffix(".gz") })
    }

    @Test("An archive that is being made when the process ends is removed, and the next run makes it")
    func endOfProcess() async throws {
        let old = LogFileNaming(application: "t")
            .name(for: LogFileLabel(createdAt: LogTimestamp(nanoseconds: 1_767_225_600_000_000_000)))
        var numbers = SeededNumbers(1)
        let lines = (0..<100_000).map { _ in String(numbers.next(), radix: 36) }
        scratch.write(lines.joined(separator: "\n") + "\n", to: old)
        await #expect(processExitsWith: .success) { [path = scratch.logs as String, old = old as String] in
            LogArchives.register()
            let logger = try FileLogger(
                directory: path, settings: FileSettings(naming: LogFileNaming(application: "t")),
                formatter: nil)
            logger.maximumFileSize = .mebibytes(1)
            logger.archiveFormat = .gzip
            let dispatcher = LogDispatcher()
            dispatcher.add(logger)
            logInfo("line", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            // Until the work has begun, or is done already.
            waitUntil("the archive is begun") {
                access("\(path)/\(old).gz.part", F_OK) == 0 || access("\(path)/\(old).gz", F_OK) == 0
            }
            exit(0)
        }
        #expect(!scratch.names().contains { $0.hasSuffix(".part") })
        #expect(scratch.names().contains { $0 == old || $0 == old + ".gz" })
    }

    @Test("What is given up in the middle leaves the log and nothing else, and is not told as a failure")
    func givenUp() throws {
        scratch.write("one\ntwo\n", to: "t 2026-01-01--00-00-00-000.log")
        let directory = try Directory(scratch.logs)
        let isGivenUp = Locked(false)
        var job = ArchiveJob(
            directory: directory, name: "t 2026-01-01--00-00-00-000.log", stage: .gzip, cipher: nil,
            mode: 0o600,
            reserve: { _ in
                isGivenUp.withLock { $0 = true }
                return true
            })
        job.isGivenUp = { isGivenUp.withLock { $0 } }
        #expect(throws: SystemFailure.self) { try job.run() }
        #expect(scratch.names() == ["t 2026-01-01--00-00-00-000.log"])
    }

    @Test(
        "A processor gets each finished file once, after a failure and a restart again, and never after success"
    )
    func processor() async throws {
        final class Flaky: LogArchiveProcessor, @unchecked Sendable {
            let seen = Locked<[String]>([])
            let fails = Locked(true)
            override func process(_ file: LogFileInfo) throws -> Outcome {
                seen.withLock { $0.append(file.name) }
                if fails.withLock({ $0 }) { throw LogError(.network, "not now") }
                return .keep
            }
        }
        let flaky = Flaky()
        var names: [String] = []
        for run in 0..<3 {
            let logger = try FileLogger(
                directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
                formatter: nil, clock: clock)
            logger.archiveFormat = .gzip
            logger.archiveProcessor = flaky
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(logger)
            if run == 0 {
                logInfo("line", to: dispatcher)
                await logger.rollNow()
                names = ["t 2026-01-01--00-00-00-000.log.gz"]
            }
            await dispatcher.flush(timeout: .testLimit)
            clock.advance(by: .seconds(1))
            await dispatcher.flush(timeout: .testLimit)
            logger.archiver.drain()
            #expect(flaky.seen.withLock { $0 } == (run == 2 ? [] : names), "run \(run)")
            flaky.seen.withLock { $0 = [] }
            if run == 0 {
                clock.advance(by: .seconds(61))
                logger.archiver.drain()
                #expect(flaky.seen.withLock { $0 } == names)
                flaky.seen.withLock { $0 = [] }
                flaky.fails.withLock { $0 = false }
            }
            await dispatcher.remove(logger)
        }
    }

    /// A logger of compressed files, and what its processor has got.
    private final class UsedArchiver {
        let scratch = Scratch()
        let clock = ManualClock()
        let logger: FileLogger
        let dispatcher = LogDispatcher.forTest()
        let isBroken = Locked(false)
        let processed = Locked<[String]>([])
        private var rounds = 0

        init() throws {
            logger = try FileLogger(
                directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
                formatter: nil, clock: clock)
            logger.archiveFormat = .gzip
            logger.minimumFreeSpace = .zero
            logger.archiveProcessor = LogArchiveProcessor { [isBroken, processed] file in
                if isBroken.withLock({ $0 }) { throw LogError(.network, "not now") }
                processed.withLock { $0.append("\(file.size == .zero) \(file.isCompressed)") }
                return .keep
            }
            dispatcher.add(logger)
        }

        /// Logs some lines, and has their file archived.
        func archive(_ text: String = "line") async {
            clock.advance(by: .seconds(1))
            for number in 0..<3 { logInfo("\(text) \(number)", to: dispatcher) }
            await logger.rollNow()
            logger.archiver.drain()
            logger.hookQueue.sync {}
        }

        func round() async throws -> [String] {
            rounds += 1
            for _ in 0..<2 {
                clock.advance(by: .seconds(61))
                await dispatcher.flush(timeout: .testLimit)
                logger.archiver.drain()
            }
            let told = Locked<[String]>([])
            logger.onArchive = { info in told.withLock { $0.append(String(info.name.suffix(7))) } }
            processed.withLock { $0 = [] }
            let known = Set(scratch.names())
            await archive("round \(rounds)")
            await archive("round \(rounds)")
            var story = ["told \(told.withLock { $0 }), processed \(processed.withLock { $0 })"]
            story.append("\(scratch.names().filter { !known.contains($0) }.map { $0.suffix(7) })")
            let size = scratch.names().reduce(0) { sum, name in
                sum + (FileManager.default.contents(atPath: scratch.logs + "/" + name)?.count ?? 0)
            }
            story.append("inventory \(logger.inventory.total == size)")
            let reader = LogFileReader(directory: scratch.logs, naming: logger.naming)
            for try await line in try reader.lines() where line.text.hasPrefix("round \(rounds) ") {
                story.append("\(line.text.suffix(1))")
            }
            return story
        }
    }

    @Test("Whatever an archiver has lived through, the next files are archived as the first")
    func used() async throws {
        try await expectAsNew(
            { try UsedArchiver() },
            after: [
                "a processor that failed": { used in
                    used.isBroken.withLock { $0 = true }
                    await used.archive()
                    used.isBroken.withLock { $0 = false }
                },
                "archives that others removed": { used in
                    await used.archive()
                    for name in used.scratch.names() {
                        try FileManager.default.removeItem(atPath: used.scratch.logs + "/" + name)
                    }
                },
                "plain files between": { used in
                    used.logger.archiveFormat = .plain
                    await used.archive()
                    used.logger.archiveFormat = .gzip
                },
                "a key that was missing": { used in
                    used.logger.archiveFormat = .encrypted
                    await used.archive()
                    used.logger.archiveFormat = .gzip
                },
                "a quota that left room for none": { used in
                    used.logger.diskQuota = .bytes(40)
                    await used.archive()
                    await used.archive()
                    used.logger.diskQuota = nil
                },
                "a removal and a second attachment": { used in
                    await used.archive()
                    used.dispatcher.remove(used.logger, timeout: .testLimit)
                    used.dispatcher.add(used.logger)
                },
            ]
        ) { try await $0.round() }
    }
}
