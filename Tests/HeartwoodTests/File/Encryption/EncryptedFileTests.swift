import CHeartwood
import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// Encryption from the first line on: what reaches the disk is never plain text, and all that holds for plain files
/// holds for encrypted ones.
@Suite(.inTurn) struct EncryptedFileTests {
    private let scratch = Scratch()
    private let clock = ManualClock()
    private let naming = LogFileNaming(application: "t")

    private func makeEngine(
        calls: SystemCalls = SystemCalls(), naming: LogFileNaming? = nil,
        key: (any SecretProvider)? = FixedKey(),
        _ change: (inout FileSettings) -> Void = { _ in }
    ) throws -> FileEngine {
        var settings = FileSettings.unlimited(naming: naming ?? self.naming)
        settings.isEncrypted = true
        settings.archiveKey = key
        change(&settings)
        return FileEngine(
            directory: try Directory(scratch.logs, calls: calls), settings: settings, clock: clock)
    }

    private func bytes(_ name: String) -> Data {
        FileManager.default.contents(atPath: scratch.logs + "/" + name) ?? Data()
    }

    @Test("The file that is written shows nothing of its lines or its header, and is read with the key only")
    func active() async throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        logger.archiveKey = FixedKey()
        logger.archiveFormat = .encrypted
        logger.fileHeader = "secret header"
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logInfo("secret 1", to: dispatcher)
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        logInfo("secret 2", to: dispatcher)
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        let name = try #require(scratch.names().first)
        #expect(name.hasSuffix(".log"))
        #expect(bytes(name).range(of: Data("secret".utf8)) == nil)
        #expect(try logger.logFiles().map(\.isEncrypted) == [true])
        #expect(try logger.logFiles().map(\.isActive) == [true])
        #expect(try scratch.decryptedLines(naming) == ["secret header", "secret 1", "secret 2", ""])
        await #expect(throws: LogError.self) {
            for try await line in try LogFileReader(directory: scratch.logs).lines() {
                Issue.record("\(line)")
            }
        }
        let other = LogLineIterator(
            [scratch.logs + "/" + name], key: FixedKey(text: String(repeating: "1", count: 64)))
        while let lines = try other.next() { Issue.record("read with another key: \(lines)") }
        #expect(other.damages.map(\.damage) == ["damaged, or encrypted with another key"])
    }

    @Test("A frame that a crash cut off anywhere is cut off, and the file is gone on with (promise 8)")
    func resumes() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        for _ in 0..<3 { log.write(2, to: engine) }
        engine.close()
        let name = try #require(scratch.names().first)
        let whole = bytes(name)
        let frame = whole.count / 3
        for cut in 1..<frame {
            try whole.prefix(whole.count - cut).write(to: URL(fileURLWithPath: scratch.logs + "/" + name))
            let next = try makeEngine()
            var more = RecordLog()
            more.write(1, to: next)
            next.close()
            let expected = Array(log.lines.prefix(4)) + more.lines + [""]
            #expect(try scratch.decryptedLines(naming) == expected, "\(cut) bytes missing")
            #expect(scratch.names() == [name])
        }
        // Of a first frame nothing is left.
        for length in [1, 3, 4, 47, 48, frame - 1] {
            try whole.prefix(length).write(to: URL(fileURLWithPath: scratch.logs + "/" + name))
            let next = try makeEngine()
            var more = RecordLog()
            more.write(1, to: next)
            next.close()
            #expect(try scratch.decryptedLines(naming) == more.lines + [""], "\(length) bytes there")
        }
    }

    @Test("Zero bytes that a power cut left behind the last frame are cut off, however many")
    func zeroTail() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        log.write(2, to: engine)
        engine.close()
        let name = try #require(scratch.names().first)
        var file = bytes(name)
        file.append(Data(count: 300_000))
        try file.write(to: URL(fileURLWithPath: scratch.logs + "/" + name))
        log.write(2, to: try makeEngine())
        #expect(try scratch.decryptedLines(naming) == log.lines + [""])
    }

    @Test(
        "A file of another key, or of plain text, is left as it is, and a new one created",
        arguments: [true, false])
    func foreign(_ isPlain: Bool) throws {
        let key = FixedKey(text: String(repeating: "1", count: 64))
        let first = try makeEngine(key: key) { $0.isEncrypted = !isPlain }
        var log = RecordLog()
        log.write(2, to: first)
        first.close()
        let name = try #require(scratch.names().first)
        let before = bytes(name)
        clock.advance(by: .seconds(1))
        let second = try makeEngine()
        var more = RecordLog()
        more.write(2, to: second)
        #expect(bytes(name) == before)
        #expect(scratch.names().count == 2)
        unlink(scratch.logs + "/" + name)
        #expect(try scratch.decryptedLines(naming) == more.lines + [""])
    }

    @Test("A change of the key or of the setting begins a new file exactly between the lines (promise 2)")
    func changes() throws {
        let engine = try makeEngine { $0.isEncrypted = false }
        var log = RecordLog()
        let keys: [FixedKey?] = [
            nil, FixedKey(), FixedKey(text: String(repeating: "1", count: 64)), FixedKey(), nil,
        ]
        for key in keys {
            var settings = engine.settings
            settings.isEncrypted = key != nil
            settings.archiveKey = key
            engine.apply(settings)
            log.write(1, to: engine)
            engine.apply(settings)
            log.write(1, to: engine)
            clock.advance(by: .seconds(1))
        }
        let paths = try LogFileReader(directory: scratch.logs, naming: naming).paths()
        #expect(paths.count == keys.count)
        for (index, path) in paths.enumerated() {
            let reader = LogLineIterator([path], key: keys[index])
            #expect(try reader.next()?.map(\.text) == Array(log.lines[2 * index..<2 * index + 2]))
            #expect(reader.damages.isEmpty)
        }
    }

    @Test(
        "Sizes and the quota are counted in encrypted bytes",
        arguments: [(300, 0), (1000, 3000), (500, 2000)])
    func limits(_ size: Int, _ quota: Int) throws {
        let engine = try makeEngine {
            $0.rolling.maximumSize = size
            $0.retention.quota = quota
        }
        var log = RecordLog()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<60 {
            log.write(Int.random(in: 1...9, using: &generator), to: engine)
            for name in scratch.names() { #expect(scratch.size(name) <= size) }
            if quota > 0 { #expect(scratch.total <= quota) }
        }
        #expect(engine.isIdle && engine.counters.dropped == 0)
        let lines = try scratch.decryptedLines(naming)
        let written: [String] = lines.dropLast()
        #expect(written == log.lines.suffix(lines.count - 1))
        #expect(quota > 0 || lines.count == log.count + 1)
    }

    @Test("Records and batches larger than a frame are written whole, and read again")
    func large() throws {
        let engine = try makeEngine { $0.waitingLimit = .bytes(8 << 20) }
        let records = [10, 300_000, 5, 700_000, 20].map { String(repeating: "x", count: $0) + "\n" }
        var ends: [Int] = []
        for record in records { ends.append((ends.last ?? 0) + record.utf8.count) }
        Array(records.joined().utf8).withUnsafeBytes { engine.write($0, ends) }
        #expect(engine.isIdle)
        #expect(try scratch.decryptedLines(naming).map(\.count) == [10, 300_000, 5, 700_000, 20, 0])
    }

    @Test("Engines that share an encrypted file keep its frames in order, and cut off what one left torn")
    func shared() throws {
        var log = RecordLog()
        let engines = try (0..<2).map { _ in try makeEngine { $0.isShared = true } }
        for round in 0..<10 {
            log.write(1 + round % 3, to: engines[round % 2])
            if round == 6 { scratch.append("HWF1 torn", to: try #require(scratch.names().first)) }
        }
        #expect(scratch.names().count == 1)
        #expect(try scratch.decryptedLines(naming) == log.lines + [""])
    }

    @Test("A file that is cut to nothing from outside begins anew")
    func copyTruncated() throws {
        let engine = try makeEngine(naming: try LogFileNaming(application: "t", activeName: "t.log"))
        var log = RecordLog()
        log.write(4, to: engine)
        truncate(scratch.logs + "/t.log", 0)
        log.write(4, to: engine)
        log.write(1, to: engine)
        #expect(try scratch.decryptedLines(engine.settings.naming) == log.lines.suffix(5) + [""])
    }

    @Test("Following an encrypted file gives every line once, across rolls and archives")
    func follows() throws {
        let engine = try makeEngine { $0.rolling.maximumSize = 500 }
        var log = RecordLog()
        log.write(1, to: engine)
        let path = scratch.logs
        let first = try #require(scratch.names().first)
        let follower = try LogFollower(key: FixedKey(), start: (path + "/" + first, 0)) {
            try LogFileReader(directory: path).paths()
        }
        let cipher = try FrameCipher(ofLogs: FixedKey())
        var seen: [String] = []
        for round in 0..<12 {
            log.write(1 + round % 5, to: engine)
            seen += try follower.poll().map(\.text)
            for name in engine.finished where ArchiveStage.split(name).stage == .plain {
                let job = ArchiveJob(
                    directory: engine.directory, name: name, stage: .encrypted, cipher: cipher, mode: 0o600,
                    reserve: { _ in true })
                _ = try job.run()
            }
            engine.store.refresh()
        }
        #expect(seen == log.lines)
        #expect(try scratch.decryptedLines(naming) == log.lines + [""])
    }

    @Test(
        "The archive of an encrypted file is smaller, whole, and never plain; a damaged one is kept as it is")
    func archives() throws {
        let engine = try makeEngine()
        var log = RecordLog()
        for _ in 0..<50 { log.write(3, to: engine) }
        let name = try #require(scratch.names().first)
        let before = bytes(name)
        let job = ArchiveJob(
            directory: engine.directory, name: name, stage: .encrypted,
            cipher: try FrameCipher(ofLogs: FixedKey()), mode: 0o600, reserve: { _ in true })
        engine.rollNow()
        let size = try #require(try job.run())
        #expect(size == scratch.size(name + ".hwe"))
        #expect(size * 3 < before.count)
        #expect(scratch.names() == [name + ".hwe"])
        #expect(try scratch.decryptedLines(naming) == log.lines + [""])

        var damaged = before
        damaged[before.count / 2] ^= 1
        unlink(scratch.logs + "/" + name + ".hwe")
        try damaged.write(to: URL(fileURLWithPath: scratch.logs + "/" + name))
        #expect(try job.run() == before.count)
        #expect(scratch.names() == [name + ".hwe"])
        #expect(bytes(name + ".hwe") == damaged)
    }

    @Test(
        "What was encrypted stays so when the setting is taken back to gzip, with the key and without",
        arguments: [true, false])
    func takenBack(_ hasKey: Bool) async throws {
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: nil, clock: clock)
        logger.archiveKey = FixedKey()
        logger.archiveFormat = .encrypted
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logInfo("secret", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        if !hasKey { logger.archiveKey = nil }
        logger.archiveFormat = .gzip
        clock.advance(by: .seconds(1))
        logInfo("plain", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        logger.archiver.drain()
        let names = scratch.names()
        #expect(names.count == 2)
        // Without the key it stays as it is, unless the archiver was at it before the key was taken away.
        #expect(names[0].hasSuffix(".hwe") || (!hasKey && names[0].hasSuffix(".log")))
        for name in names { #expect(bytes(name).range(of: Data("secret".utf8)) == nil) }
        var lines: [String] = []
        let reader = LogFileReader(directory: scratch.logs, naming: naming, key: FixedKey())
        for try await line in try reader.lines() { lines.append(line.text) }
        #expect(lines == ["secret", "plain"])
    }

    @Test("No nonce is used twice under a key: frames that are made again are made in another run")
    func nonces() throws {
        let cipher = try FrameCipher(ofLogs: FixedKey())
        var encoder = try FrameEncoder(cipher)
        var used: Set<FramePlace> = []
        func encode() throws {
            #expect(used.insert(encoder.place).inserted)
            _ = try encoder.encode(Array("text".utf8), isLast: false)
        }
        for _ in 0..<3 { try encode() }
        for number in [1, 0, 0] as [UInt64] {
            try encoder.goBack(to: number)
            #expect(encoder.place.number == number)
            for _ in 0..<3 { try encode() }
        }
        var next = try FrameEncoder(cipher, behind: encoder.place)
        #expect(next.place.number == encoder.place.number + 1)
        #expect(next.place.file == encoder.place.file && next.place.run != encoder.place.run)
        try next.goOn(behind: nil)
        #expect(next.place.number == 0 && next.place.file != encoder.place.file)
    }

    @Test("A frame of another file of the same key is noticed, and left out")
    func frameOfAnotherFile() throws {
        let cipher = try FrameCipher(ofLogs: FixedKey())
        var files = [try FrameEncoder(cipher), try FrameEncoder(cipher)]
        _ = try files[1].encode(Array("x".utf8), isLast: false)
        let bytes =
            try files[0].encode(Array("one".utf8), isLast: false)
            + files[1].encode(Array("two".utf8), isLast: false)
            + files[0].encode(Array("three".utf8), isLast: false)
        var decoder = FrameDecoder(cipher)
        var texts: [String] = []
        try decoder.feed(bytes) { texts.append(String(decoding: $0, as: UTF8.self)) }
        #expect(texts == ["one", "three"])
        #expect(decoder.damagedBytes > 0)
    }
}
