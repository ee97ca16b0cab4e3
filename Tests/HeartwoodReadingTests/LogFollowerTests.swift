import Foundation
import HeartwoodArchive
import CoreFixtures
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

@Suite(.inTurn) struct LogFollowerTests {
    private let archives: Void = LogArchives.register()

    private let scratch = Scratch()
    private let clock = ManualClock()

    @Test(
        "The last lines of a file are found from its end",
        arguments: [
            ("", 1, 0, 0), ("a\n", 1, 0, 1), ("a\nb\n", 1, 2, 1), ("a\nb\n", 2, 0, 2), ("a\nb\n", 5, 0, 2),
            ("a\nb", 1, 2, 1),
            ("a\n\n", 1, 2, 1), ("\n", 1, 0, 1), ("\n\n\n", 2, 1, 2),
        ])
    func tail(_ text: String, _ count: Int, _ offset: Int, _ lines: Int) throws {
        scratch.write(text, to: "a.log")
        let start = try #require(try LogTail.start(of: scratch.logs + "/a.log", lines: count))
        #expect(start.offset == offset)
        #expect(start.lines == lines)
    }

    @Test("The last lines are found across the blocks that a file is read in, whatever the lengths")
    func tailOfLargeFile() throws {
        let lines = (0..<5000).map { "\($0) " + String(repeating: "x", count: $0 % 97) }
        scratch.write(lines.joined(separator: "\n") + "\n", to: "a.log")
        let text = Array(scratch.text("a.log").utf8)
        for count in [1, 2, 700, 2500, 4999] {
            let start = try #require(try LogTail.start(of: scratch.logs + "/a.log", lines: count))
            let found = String(decoding: text[start.offset...], as: UTF8.self).split(separator: "\n").map(
                String.init)
            #expect(found == Array(lines.suffix(count)))
        }
    }

    @Test("A compressed file has no end to begin from")
    func compressed() throws {
        mkdir(scratch.logs, 0o700)
        let bytes = try GzipMember.compress(Array("a\nb\n".utf8))
        _ = FileManager.default.createFile(atPath: scratch.logs + "/a.log.gz", contents: Data(bytes))
        #expect(try LogTail.start(of: scratch.logs + "/a.log.gz", lines: 1) == nil)
    }

    @Test("Following gives every line once, across rolls and compression", arguments: [false, true])
    func follows(_ isCompressed: Bool) async throws {
        let logger = try FileLogger(
            directory: scratch.logs, naming: LogFileNaming(application: "t"), formatter: nil, clock: clock)
        logger.maximumFileSize = ByteCount(100)
        logger.maximumFileCount = 0
        if isCompressed { logger.archiveFormat = .gzip }
        let dispatcher = LogDispatcher.forTest()
        dispatcher.add(logger)
        var logged: [String] = []
        func log(_ count: Int) {
            for _ in 0..<count {
                logged.append("line number \(logged.count), as long as a message is")
                logInfo(LogText(logged.last ?? ""), to: dispatcher)
            }
            dispatcher.flush(timeout: .testLimit)
        }
        log(2)
        let path = scratch.logs
        let first = try #require(scratch.names().first)
        let follower = try LogFollower(key: nil, start: (path + "/" + first, 0)) {
            try LogFileReader(directory: path).files().map(\.path)
        }
        var seen: [String] = []
        for round in 0..<12 {
            log(1 + round % 5)
            if round % 3 == 2 {
                seen += try follower.poll().map(\.text)
                logger.archiver.drain()
            }
        }
        seen += try follower.poll().map(\.text)
        #expect(seen == logged)
        #expect(scratch.names().contains { $0.hasSuffix(".gz") } == isCompressed)
        await dispatcher.remove(logger)
    }

    @Test(
        "What a program writes on at its old place after the file was cut, behind zero bytes, comes as lines",
        arguments: [1, 4096, 40 << 20])
    func cutUnderWriter(_ size: Int) throws {
        scratch.write(String(repeating: "x", count: size - 1) + "\n", to: "a.log")
        let path = scratch.logs + "/a.log"
        let follower = try LogFollower(key: nil) { [path] }
        let file = open(path, O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(lseek(file, 0, SEEK_END) == size && write(file, "one\n", 4) == 4)
        #expect(try follower.poll().map(\.text) == ["one"])
        #expect(ftruncate(file, 0) == 0 && write(file, "two\n", 4) == 4)
        #expect(try follower.poll().map(\.text) == ["two"])
        #expect(write(file, "three\n", 6) == 6)
        #expect(try follower.poll().map(\.text) == ["three"])
    }

    @Test("A file that is cut to nothing is read from its beginning again")
    func truncated() throws {
        scratch.write("one\ntwo\n", to: "a.log")
        let path = scratch.logs + "/a.log"
        let follower = try LogFollower(key: nil, start: (path, 4)) { [path] }
        #expect(try follower.poll().map(\.text) == ["two"])
        truncate(path, 0)
        #expect(try follower.poll().isEmpty)
        scratch.append("three\n", to: "a.log")
        #expect(try follower.poll().map(\.text) == ["three"])
    }
}
