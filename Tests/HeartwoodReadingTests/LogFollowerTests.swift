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
            directory: scratch.logs, settings: FileSettings(naming: LogFileNaming(application: "t")),
            formatter: nil, clock: clock)
        logger.maximumFileSize = ByteCount(100)
        logger.maximumFileCount = nil
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

    @Test(
        "A file that was cut in the middle, and is longer again, is read from its beginning",
        arguments: [(0, 300), (100, 300), (199, 201), (100, 200), (199, 200)])
    func cutInside(_ kept: Int, _ count: Int) throws {
        func lines(_ name: String, _ numbers: Range<Int>) -> [String] {
            numbers.map { String(repeating: "-", count: 70) + " line \($0 + 1000), \(name)" }
        }
        func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
        scratch.write(text(lines("old", 0..<200)), to: "a.log")
        let path = scratch.logs + "/a.log"
        let follower = try LogFollower(key: nil) { [path] }
        #expect(try follower.poll().isEmpty)
        let left = lines("old", 0..<kept) + lines("new", kept..<count)
        truncate(path, off_t(text(lines("old", 0..<kept)).utf8.count))
        scratch.append(text(lines("new", kept..<count)), to: "a.log")
        #expect(try follower.poll().map(\.text) == left)
        #expect(try follower.poll().isEmpty)
    }

    @Test("A slow look, as on a busy machine, puts off none where there are few files")
    func slowLook() throws {
        scratch.write("one\n", to: "a.log")
        let path = scratch.logs + "/a.log"
        let follower = try LogFollower(key: nil, directories: [scratch.logs]) {
            let end = ContinuousClock.now + .milliseconds(30)
            while ContinuousClock.now < end {}
            return [path]
        }
        #expect(try follower.poll().isEmpty)
        unlink(path)
        scratch.write("two\n", to: "a.log")
        follower.wait()
        #expect(try follower.poll().map(\.text) == ["two"])
    }

    // MARK: Rotations

    @Test("A line that `copytruncate` finds half read comes whole", arguments: ["one\n", ""])
    func copiedInLine(_ before: String) throws {
        scratch.write(before, to: "a.log")
        let path = scratch.logs + "/a.log"
        let follower = try LogFollower(key: nil) { [path + ".1", path].filter { access($0, F_OK) == 0 } }
        scratch.append("two\nthr", to: "a.log")
        #expect(try follower.poll().map(\.text) == ["two"])
        scratch.append("ee\nfour\n", to: "a.log")
        try FileManager.default.copyItem(atPath: path, toPath: path + ".1")
        truncate(path, 0)
        scratch.append("five\n", to: "a.log")
        #expect(try follower.poll().map(\.text) == ["three", "four", "five"])
        #expect(try follower.poll().isEmpty)
    }

    @Test(
        "No line is missing or repeated that `tail -F` shows at the same moments, whatever is done between two looks",
        arguments: [
            "cut", "less", "equal", "more", "remove", "rename", "late", "copytruncate", "missing", "mixed",
        ])
    func besideTail(_ way: String) throws {
        for seed in 0..<UInt64(Tier.amount(20, full: 500)) {
            let scratch = Scratch()
            mkdir(scratch.logs, 0o700)
            var world = RotatedLog(directory: scratch.logs, seed: seed)
            var tail = GnuTail(path: world.path)
            let path = world.path
            let follower = try LogFollower(key: nil, directories: [scratch.logs]) {
                access(path, F_OK) == 0 ? [path] : []
            }
            var shown: [String] = []
            let old = Set(world.lines)
            for _ in 0..<80 {
                world.step(way)
                guard world.isLookDue else { continue }
                // Half of the looks are made because something has happened, where it has.
                if world.hasChanged, world.written.count % 2 == 0 { follower.wait() }
                shown += try follower.poll().map(\.text)
                tail.look()
                world.noteLook()
                let unseen = Set(world.lines).subtracting(old).subtracting(shown)
                #expect(unseen.isEmpty, "\(way), seed \(seed): \(unseen.sorted()) are in the file")
                if !unseen.isEmpty { return }
            }
            shown += try follower.poll().map(\.text)
            tail.look()
            let missing = Set(tail.lines).subtracting(shown)
            #expect(missing.isEmpty, "\(way), seed \(seed): without \(missing.sorted())")
            #expect(Set(shown).count == shown.count, "\(way), seed \(seed): \(shown)")
            #expect(Set(shown).isSubset(of: world.written), "\(way), seed \(seed): \(shown)")
            if !missing.isEmpty { return }
        }
    }

    @Test(
        "A change ends a wait at once, and new names are told from new lines",
        arguments: ["write", "cut", "create", "rename", "remove"])
    func waits(_ change: String) throws {
        scratch.write("one\n", to: "a.log")
        let path = scratch.logs + "/a.log"
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let watch = FileWatch()
        watch.add(directory: scratch.logs)
        watch.add(directory: scratch.logs + "/missing")
        let number = watch.add(file: file)
        switch change {
        case "write": scratch.append("two\n", to: "a.log")
        case "cut": truncate(path, 0)
        case "create": scratch.write("", to: "b.log")
        case "rename": rename(path, path + ".1")
        default: unlink(path)
        }
        let expected = ["write", "cut"].contains(change) ? FileWatch.Change.content : .names
        #expect(watch.wait(.seconds(600)) == (number == nil ? .names : expected))
        watch.remove(number)
    }
}

/// What `tail -n 0 -F` does by its rules, where it looks at given moments: it reads the file that it has open to
/// its end, from the beginning where that is shorter than what was read, and then the file under the name.
private struct GnuTail {
    private let path: String
    private var file: Int32
    private var position = 0
    private var text: [UInt8] = []

    init(path: String) {
        self.path = path
        file = open(path, O_RDONLY | O_CLOEXEC)
        position = max(0, size)
    }

    private var size: Int { file < 0 ? -1 : Int(lseek(file, 0, SEEK_END)) }

    var lines: [String] {
        String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    mutating func look() {
        read()
        let next = open(path, O_RDONLY | O_CLOEXEC)
        if next >= 0, file >= 0, GnuTail.number(next) == GnuTail.number(file) {
            close(next)
            return
        }
        if file >= 0 { close(file) }
        (file, position) = (next, 0)
        read()
        if file < 0 { return }
    }

    private mutating func read() {
        guard file >= 0 else { return }
        if size < position { position = 0 }
        var block = [UInt8](repeating: 0, count: 65_536)
        while case let count = pread(file, &block, block.count, off_t(position)), count > 0 {
            text += block.prefix(count)
            position += count
        }
    }

    private static func number(_ file: Int32) -> UInt64 {
        var info = stat()
        fstat(file, &info)
        return UInt64(info.st_ino)
    }
}

/// A log that is written and rotated, in lines of one length.
private struct RotatedLog {
    let path: String
    private(set) var written: Set<String> = []
    private(set) var isLookDue = false
    /// Whether something was done since the last look.
    private(set) var hasChanged = false
    private var random: SeededGenerator
    private var writer: Int32 = -1
    private var rotations = 0
    /// For how many more writes the writer has not noticed the rotation.
    private var lateness = 0

    init(directory: String, seed: UInt64) {
        path = directory + "/app.log"
        random = SeededGenerator(seed: seed)
        reopen()
        add(Int.random(in: 0...3, using: &random))
    }

    private mutating func reopen() {
        if writer >= 0 { close(writer) }
        writer = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    }

    private mutating func add(_ count: Int) {
        for _ in 0..<max(0, count) {
            let line = "line " + String(100_000 + written.count)
            written.insert(line)
            _ = write(writer, line + "\n", 12)
        }
        guard lateness > 0 else { return }
        lateness -= 1
        if lateness == 0 { reopen() }
    }

    /// What a reader finds under the name.
    var lines: [String] {
        let text = FileManager.default.contents(atPath: path) ?? Data()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    mutating func noteLook() { hasChanged = false }

    /// Writes, has a look made, or rotates the log in one way.
    mutating func step(_ way: String) {
        isLookDue = false
        defer { hasChanged = hasChanged || !isLookDue }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: add(Int.random(in: 1...3, using: &random))
        case 4..<7: isLookDue = true
        default: rotate(way)
        }
    }

    private mutating func rotate(_ way: String) {
        let ways = ["cut", "less", "equal", "more", "remove", "rename", "late", "copytruncate", "missing"]
        let way = way == "mixed" ? ways.randomElement(using: &random) ?? way : way
        if lateness > 0 { reopen() }
        lateness = 0
        rotations += 1
        let lines = Int(lseek(writer, 0, SEEK_END)) / 12
        switch way {
        case "remove":
            unlink(path)
            reopen()
        case "missing":
            unlink(path)
            add(1)
            lateness = 1
            isLookDue = true
        case "rename", "late":
            rename(path, "\(path).\(rotations)")
            if way == "rename" { return reopen() }
            close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
            lateness = 2
        case "copytruncate":
            try? FileManager.default.copyItem(atPath: path, toPath: "\(path).\(rotations)")
            fallthrough
        default:
            ftruncate(writer, 0)
            let more = ["less": -1, "equal": 0, "more": 2][way]
            if let more { add(lines + more) }
        }
    }
}
