import Foundation
import HeartwoodArchive
import CoreFixtures
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

@Suite(.inTurn) struct LogFileReaderTests {
    private let archives: Void = LogArchives.register()

    private let scratch = Scratch()

    private func read(_ reader: LogFileReader, from: String? = nil, until: String? = nil) async throws
        -> [String]
    {
        var lines: [String] = []
        for try await line in try reader.lines(from: from.map(moment), until: until.map(moment)) {
            lines.append(line.text)
        }
        return lines
    }

    @Test("Zero bytes in front of lines are no part of them, however many they are, in the file or in a hole")
    func zeros() async throws {
        let sizes = [1, 17, 4096, 1 << 18 - 1, 1 << 18, 1 << 18 + 1, 3 << 18, 5]
        var (bytes, expected) = ([UInt8](), [String]())
        for (number, size) in sizes.enumerated() {
            bytes += [UInt8](repeating: 0, count: size) + Array("line \(number)\u{0}\nnext \(number)\n".utf8)
            expected += ["line \(number)\u{0}", "next \(number)"]
        }
        bytes += [UInt8](repeating: 0, count: 10) + Array("\n".utf8) + [UInt8](repeating: 0, count: 70_000)
        expected.append("")
        let path = scratch.logs + "/app 2026-01-01--00-00-00-000.log"
        scratch.write("", to: "app 2026-01-01--00-00-00-000.log")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        // A hole in front of it all, and one behind it.
        let hole = scratch.logs + "/app 2026-01-02--00-00-00-000.log"
        let file = open(hole, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(ftruncate(file, 1 << 36) == 0 && lseek(file, 0, SEEK_END) == 1 << 36)
        #expect(write(file, "after\n", 6) == 6 && ftruncate(file, 1 << 37) == 0 && close(file) == 0)

        var lines: [String] = []
        let reader = LogBlockReader([path, hole])
        while let block = try reader.next() {
            #expect(block.bytes.count <= 2 * LineBlocks.blockSize)
            if block.path == path {
                #expect(bytes[block.offset...].starts(with: block.bytes), "the block says where it is")
            }
            LogBlockReader.forEachLine(of: block.bytes) {
                lines.append(String(decoding: block.bytes[$0], as: UTF8.self))
            }
        }
        #expect(lines == expected + ["after"])
        unlink(hole)
        #expect(try await read(LogFileReader(directory: scratch.logs)) == expected)
    }

    @Test("Of a log and its archive, which a crash has left side by side, one is read")
    func besideArchive() async throws {
        let name = "app 2026-01-01--00-00-00-000.log"
        scratch.write("1\n2\n", to: name)
        let archive = try GzipMember.compress(Array("1\n2\n".utf8))
        try Data(archive).write(to: URL(fileURLWithPath: scratch.logs + "/" + name + ".gz"))
        scratch.write("3\n", to: "app 2026-01-02--00-00-00-000.log")
        #expect(try await read(LogFileReader(directory: scratch.logs)) == ["1", "2", "3"])
    }

    @Test(
        "A file that is archived between list and reading is read as its archive; one that is removed is left out"
    )
    func archivedMeanwhile() async throws {
        let names = (1...3).map { "app 2026-01-0\($0)--00-00-00-000.log" }
        for (number, name) in names.enumerated() { scratch.write("\(number) a\n\(number) b\n", to: name) }
        let reader = LogFileReader(directory: scratch.logs)
        let paths = try reader.paths()
        let lines = try reader.lines()
        let archive = try GzipMember.compress(Array("0 a\n0 b\n".utf8))
        try Data(archive).write(to: URL(fileURLWithPath: paths[0] + ".gz"))
        unlink(paths[0])
        unlink(paths[1])
        var texts: [String] = []
        for try await line in lines { texts.append(line.text) }
        #expect(texts == ["0 a", "0 b", "2 a", "2 b"])
        // From a place in the first one on; what is behind a place in one that is gone is the beginning of the next one.
        for (first, expected) in [(0, "0 b\n2 a\n2 b\n"), (1, "2 a\n2 b\n")] {
            let blocks = LogBlockReader(Array(paths[first...]), offset: 4)
            var bytes: [UInt8] = []
            while let block = try blocks.next() { bytes += block.bytes }
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
        }
    }

    @Test(
        "A compressed file that ends too early is read as far as it goes, and is told of",
        arguments: [0, 1, 30])
    func cutArchive(missing: Int) throws {
        let text = (0..<1000).map { "line \($0)\n" }.joined()
        let archive = try GzipMember.compress(Array(text.utf8))
        mkdir(scratch.logs, 0o700)
        let path = scratch.logs + "/app 2026-01-01--00-00-00-000.log.gz"
        try Data(archive.dropLast(missing)).write(to: URL(fileURLWithPath: path))
        let source = try LogFileSource(path: path)
        var read: [UInt8] = []
        while let piece = try source.next() { read += piece }
        #expect(text.utf8.starts(with: read) && read.count > text.utf8.count / 2)
        #expect(source.damage == (missing == 0 ? nil : "cut off"))
    }

    @Test("Files that were changed at the same time go by their names, whatever the directory's order")
    func sameTime() throws {
        let names = (0..<40).map { "part \($0 < 10 ? "0" : "")\($0).log" }
        for name in names.shuffled() {
            scratch.write("x\n", to: name)
            let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 1e9)]
            try FileManager.default.setAttributes(attributes, ofItemAtPath: scratch.logs + "/" + name)
        }
        let paths = try LogFileReader(directory: scratch.logs).paths()
        #expect(paths.map { String($0.split(separator: "/").last ?? "") } == names)
    }

    @Test(
        "Lines come in the order of the files, whatever the directory's order, and without the unfinished ones"
    )
    func order() async throws {
        scratch.write("3\n4", to: "app 2026-01-02--00-00-00-000@0002.log")
        scratch.write("1\n", to: "app 2026-01-01--00-00-00-000.log")
        scratch.write("2\n\n", to: "app 2026-01-02--00-00-00-000.log")
        scratch.write("no", to: "app 2026-01-03--00-00-00-000.log.gz.part")
        scratch.write("no", to: "notes.txt")
        #expect(try await read(LogFileReader(directory: scratch.logs)) == ["1", "2", "", "3", "4"])
        let naming = LogFileNaming(application: "other")
        #expect(try await read(LogFileReader(directory: scratch.logs, naming: naming)).isEmpty)
    }

    @Test("A range has the lines from its beginning up to its end, with the lines that belong to them")
    func range() async throws {
        scratch.write(
            """
            2026-01-01 10:00:00.000Z info a
            2026-01-01 11:00:00.000Z error b
              of b
            2026-01-01 12:00:00.000Z info c

            """, to: "x.log")
        let reader = LogFileReader(directory: scratch.logs)
        let lines = try await read(reader, from: "2026-01-01T11:00:00Z", until: "2026-01-01T12:00:00Z")
        #expect(lines == ["2026-01-01 11:00:00.000Z error b", "  of b"])
        let target = scratch.path + "/out.txt"
        let count = try await reader.export(to: target, from: moment("2026-01-01T11:30:00Z"))
        #expect(count == 1)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "2026-01-01 12:00:00.000Z info c\n")
        await #expect(throws: LogError.self) { try await reader.export(to: target) }
    }

    @Test(
        "Time, level and category are told from lines of text and of JSON",
        arguments: [
            ("2026-11-20 10:20:30.123Z info    payments Shop.swift:42 charged", "info", "payments", 123),
            ("2026-11-20 10:20:30.123Z warning Shop.swift:42 charged at Shop", "warning", "", 123),
            ("2026-11-20T11:20:30.5+01:00 [ERROR] x", "error", "", 500),
            ("2026-11-20 10:20:30 careful", "", "", 0),
            (
                #"{"time":"2026-11-20T10:20:30.123456789Z","level":"debug","category":"net","message":"a"}"#,
                "debug", "net", 123
            ),
            (#"{"msg":"x","severity": "Error","ts":"2026-11-20 10:20:30Z","logger":"db"}"#, "error", "db", 0),
        ])
    func fields(_ text: String, _ level: String, _ category: String, _ milliseconds: Int) {
        let line = LogLine(text: text)
        let expected = moment("2026-11-20T10:20:30Z") + .milliseconds(milliseconds)
        #expect(line.moment.map { $0.nanoseconds / 1_000_000 } == expected.nanoseconds / 1_000_000)
        #expect(line.level?.name ?? "" == level)
        #expect(line.category ?? "" == category)
    }

    @Test(
        "A time may end anywhere after the day, and be a number since 1970",
        arguments: [
            ("2026-11-20", "2026-11-20T00:00:00Z"), ("2026-11-20T11:30", "2026-11-20T11:30:00Z"),
            ("2026-11-20 11:30:15", "2026-11-20T11:30:15Z"),
            ("2026-11-20T11:30+0200", "2026-11-20T09:30:00Z"),
            ("2026-11-20T11:30:15.25-01:30", "2026-11-20T13:00:15.250Z"),
            ("1763634030", "2025-11-20T10:20:30Z"), ("1763634030123", "2025-11-20T10:20:30.123Z"),
            ("@1763634030", "2025-11-20T10:20:30Z"), ("@1763634030.5", "2025-11-20T10:20:30.5Z"),
            ("2026-11-20 10:20:30 CET", "2026-11-20T09:20:30Z"),
        ])
    func dates(_ text: String, _ expected: String) {
        #expect(LineClock.moment(of: text) == moment(expected))
    }

    @Test(
        "What is no date is none",
        arguments: ["", "2026", "2026-13-01 00:00:00", "2026-02-30", "x2026-01-01", "２026-01-01"])
    func noDate(_ text: String) { #expect(LogLine(text: text).moment == nil) }

    @Test(
        "Lines are cut at newlines only, and parts of a line that is too long follow each other",
        arguments: 1...9)
    func split(_ limit: Int) throws {
        scratch.write("one\n\ntwo three\nfour", to: "a.log")
        let source = try LogFileSource(path: scratch.logs + "/a.log")
        // All is read at once: the limit counts for the line that has no end.
        let lines = LineBlocks(lineLimit: limit)
        var blocks: [(offset: Int, text: String)] = []
        while let block = try lines.next(of: source) {
            blocks.append((block.offset, String(decoding: block.bytes, as: UTF8.self)))
        }
        if let last = lines.finish() {
            blocks.append((last.offset, String(decoding: last.bytes, as: UTF8.self)))
        }
        #expect(blocks.map(\.offset) == [0, 15] && blocks.map(\.text) == ["one\n\ntwo three\n", "four"])
        #expect(lines.offset == 19 && lines.finish() == nil)
    }

    @Test("The end of a file ends a line of which a part was handed out")
    func splitAgain() throws {
        let path = scratch.logs + "/a.log"
        let limit = 2 * LineBlocks.blockSize
        scratch.write(String(repeating: "a", count: limit), to: "a.log")
        let source = try LogFileSource(path: path)
        let lines = LineBlocks(lineLimit: limit)
        #expect(try lines.next(of: source)?.bytes.count == limit)
        // Zero bytes inside of a line are part of it; in front of a line they are not.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("\0b\n\0\0one\n".utf8))
        let rest = try #require(try lines.next(of: source))
        #expect(rest.bytes.elementsEqual("\0b\n".utf8) && rest.offset == limit)
        let next = try #require(try lines.next(of: source))
        #expect(next.bytes.elementsEqual("one\n".utf8) && next.offset == limit + 5)
    }

    @Test("A directory that is not there is an error, and is not made")
    func missing() {
        #expect(throws: LogError.self) { try LogFileReader(directory: scratch.logs + "/none").files() }
        #expect(!FileManager.default.fileExists(atPath: scratch.logs))
    }
}
