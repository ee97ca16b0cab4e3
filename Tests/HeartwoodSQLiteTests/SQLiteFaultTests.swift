import CHeartwood
import CSQLite
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodSQLite

@Suite("An SQLite logger in trouble", .inTurn)
struct SQLiteFaultTests {
    private let fixture: Fixture
    init() throws { fixture = try Fixture() }

    /// Calls `body` with the logger's connection, on its queue.
    private func withConnection(
        _ logger: SQLiteLogger, _ body: @escaping @Sendable (SQLiteConnection) throws -> Void
    ) {
        let failure = Locked<String?>(nil)
        logger.perform {
            do { try body(logger.store.open()) } catch { failure.withLock { $0 = "\(error)" } }
        }
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(failure.withLock { $0 } == nil)
    }

    @Test("A disk that is full loses nothing: it is said, and saved when there is room again")
    func full() throws {
        let logger = try fixture.add()
        fixture.log(0..<10)
        withConnection(logger) { try $0.execute("PRAGMA max_page_count = 1") }
        let text = String(repeating: "x", count: 5000)
        for number in 10..<40 { logInfo("\(number) \(text)", to: fixture.dispatcher) }
        #expect(fixture.dispatcher.flush(timeout: .testLimit).unfinished == ["SQLiteLogger"])
        #expect(fixture.reported(.writeFailed).last?.contains("the disk is full") == true)
        #expect(try fixture.texts().count == 10)
        withConnection(logger) { try $0.execute("PRAGMA max_page_count = 1000000") }
        #expect(fixture.dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(try fixture.texts().map { String($0.prefix { $0 != " " }) } == (0..<40).map { "\($0)" })
        #expect(logger.statistics.failed == 0)
    }

    @Test(
        "A real disk that is full loses nothing either",
        .enabled(if: SmallDisk.isPossible, "mounting a tmpfs takes root"), .secondTier)
    func realDisk() throws {
        let disk = try SmallDisk()
        let path = disk.path + "/logs/log.sqlite"
        let logger = try SQLiteLogger(path: path, clock: fixture.clock)
        logger.overflowPolicy = .block(upTo: .seconds(120))
        fixture.dispatcher.add(logger)
        fixture.log(0..<10)
        let ballast = disk.path + "/ballast"
        #expect(disk.fill(ballast))
        let text = String(repeating: "x", count: 2000)
        for number in 10..<400 { logInfo("\(number) \(text)", to: fixture.dispatcher) }
        #expect(!fixture.dispatcher.flush(timeout: .testLimit).isComplete)
        unlink(ballast)
        #expect(fixture.dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(try fixture.texts(path).map { String($0.prefix { $0 != " " }) } == (0..<400).map { "\($0)" })
        fixture.dispatcher.removeAll()
    }

    @Test(
        "A file beside the database that has a second name or is a link is refused, and what it leads to untouched",
        arguments: ["-wal", "-shm", "-journal"])
    func linkedCompanion(suffix: String) throws {
        do {
            let logger = try SQLiteLogger(path: fixture.path, clock: fixture.clock)
            withExtendedLifetime(logger) {}
        }
        let target = fixture.folder + "/target"
        let content = Data(repeating: 0x41, count: 100_000)
        for isLink in [true, false] {
            try content.write(to: URL(fileURLWithPath: target))
            unlink(fixture.path + suffix)
            #expect((isLink ? symlink : link)(target, fixture.path + suffix) == 0)
            let error = #expect(throws: LogError.self) {
                try SQLiteLogger(path: fixture.path, clock: fixture.clock)
            }
            #expect(error?.code == .unsafe && error?.place?.hasSuffix(suffix) == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == content)
        }
        unlink(fixture.path + suffix)
        _ = try fixture.add()
        #expect(fixture.log(0..<3).isComplete)
        #expect(try fixture.texts() == ["0", "1", "2"])
    }

    #if os(Linux)
    @Test(
        "The process's limit for files is a full disk to the logger, and does not end the process",
        arguments: [1, 8, 64])
    func fileSizeLimit(kibibytes: Int) async {
        await #expect(processExitsWith: .success) { [kibibytes = kibibytes as Int] in
            let fixture = try Fixture()
            var limit = rlimit()
            let kind = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
            getrlimit(kind, &limit)
            let before = limit.rlim_cur
            limit.rlim_cur = rlim_t(kibibytes << 10)
            setrlimit(kind, &limit)
            guard let logger = try? SQLiteLogger(path: fixture.path, clock: fixture.clock) else {
                // Not even an empty database fits: that is an error.
                exit(kibibytes < 64 ? 0 : 1)
            }
            fixture.dispatcher.add(logger)
            fixture.dispatcher.synchronousLevels = .off
            let text = String(repeating: "x", count: 2000)
            for number in 0..<100 { logInfo("\(number) \(text)", to: fixture.dispatcher) }
            let isLimited = !fixture.dispatcher.flush(timeout: .testLimit).isComplete
            limit.rlim_cur = before
            setrlimit(kind, &limit)
            let isSaved = fixture.dispatcher.flush(timeout: .testLimit).isComplete
            let count = try fixture.texts().count
            exit(isLimited && isSaved && count == 100 ? 0 : 2)
        }
    }
    #endif

    @Test("Messages are saved once where deleting old ones fails, which is reported")
    func undeletable() throws {
        let logger = try fixture.add { $0.maximumSize = .kibibytes(8) }
        fixture.log(0..<10)
        withConnection(logger) {
            try $0.execute(
                "CREATE TRIGGER keep BEFORE DELETE ON messages BEGIN SELECT RAISE(ABORT, 'kept'); END")
        }
        #expect(fixture.log(10..<20).isComplete)
        #expect(fixture.log(20..<30).isComplete)
        logger.maximumAge = .seconds(1)
        fixture.dispatcher.flush(timeout: .testLimit)
        fixture.clock.advance(by: .seconds(10))
        logger.deleteNow()
        #expect(logger.waitUntilIdle(timeout: .testLimit))
        #expect(try fixture.texts().suffix(20) == (10..<30).map { "\($0)" }[...])
        #expect(fixture.reported(.writeFailed).contains { $0.contains("could not be kept below 8 KiB") })
        #expect(fixture.reported(.writeFailed).contains { $0.contains("cannot delete old messages") })
        #expect(logger.statistics.failed == 0)
    }

    @Test("A lock that is held for longer than the busy timeout keeps messages waiting, and no caller")
    func locked() throws {
        let logger = try fixture.add { $0.busyTimeout = .milliseconds(50) }
        fixture.log(0..<10)
        let other = try SQLiteConnection(fixture.path, SQLITE_OPEN_READWRITE, busyTimeout: .seconds(5))
        try other.execute("BEGIN IMMEDIATE")
        #expect(fixture.log(10..<20).unfinished == ["SQLiteLogger"])
        #expect(
            fixture.reported(.writeFailed).last?.contains("another program has the database locked") == true)
        #expect(try fixture.texts().count == 10)
        try other.execute("COMMIT")
        #expect(fixture.dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(try fixture.texts() == (0..<20).map { "\($0)" })
        #expect(logger.statistics.failed == 0)
    }

    @Test("A reader in the middle of a long query holds up no save")
    func reading() throws {
        _ = try fixture.add { $0.busyTimeout = .milliseconds(1) }
        fixture.log(0..<10)
        let other = try SQLiteConnection(fixture.path, SQLITE_OPEN_READONLY, busyTimeout: .seconds(5))
        let statement = try other.prepare("SELECT id FROM messages")
        #expect(try statement.step())
        #expect(fixture.log(10..<20).isComplete)
        var seen = 1
        while try statement.step() { seen += 1 }
        #expect(seen == 10)
        #expect(try fixture.texts().count == 20)
    }

    @Test("What is no database is set aside when the logger is made, and reported")
    func notADatabase() throws {
        let text = String(repeating: "This is not a database, but somebody's notes. ", count: 200)
        try text.write(toFile: fixture.path, atomically: false, encoding: .utf8)
        _ = try fixture.add()
        #expect(fixture.log(0..<3).isComplete)
        #expect(try fixture.texts() == ["0", "1", "2"])
        let aside = try #require(fixture.names.first { $0.hasPrefix("log.sqlite.damaged-") })
        #expect(aside == "log.sqlite.damaged-20260101T000000")
        #expect(try String(contentsOfFile: fixture.folder + "/" + aside, encoding: .utf8) == text)
        #expect(fixture.reported(.damaged).count == 1)
        #expect(fixture.reported(.damaged).first?.contains(aside) == true)
    }

    @Test("A database that is overwritten while it is open is set aside, and what waits goes to a new one")
    func corrupted() throws {
        _ = try fixture.add()
        for round in 0..<5 {
            #expect(fixture.log(round * 10..<round * 10 + 10).isComplete)
            // The log beside it is written back, so that the file itself is read.
            let other = try SQLiteConnection(fixture.path, SQLITE_OPEN_READWRITE, busyTimeout: .seconds(5))
            try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            let file = try #require(FileHandle(forUpdatingAtPath: fixture.path))
            for page in 0..<UInt64(fixture.size() / 4096) {
                try file.seek(toOffset: page * 4096)
                file.write(Data(repeating: 0x5A, count: 4096))
            }
            try file.close()
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(fixture.log(50..<60).isComplete)
        #expect(try fixture.texts() == (50..<60).map { "\($0)" })
        #expect(fixture.reported(.damaged).count == 5)
        // No more than three are kept.
        #expect(fixture.names.count { $0.hasPrefix("log.sqlite.damaged-") && !$0.hasSuffix("-wal") } == 3)
    }

    @Test("A database that is removed while it is open is made anew, and reported", arguments: [true, false])
    func removed(_ everything: Bool) throws {
        let logger = try fixture.add()
        fixture.log(0..<10)
        let folder = fixture.folder
        unlink(fixture.path)
        if everything { try FileManager.default.removeItem(atPath: folder) }
        mkdir(folder, 0o700)
        #expect(fixture.log(10..<20).isComplete)
        #expect(try fixture.texts() == (10..<20).map { "\($0)" })
        #expect(fixture.reported(.damaged).count == 1)
        #expect(try SystemCalls().status(path: fixture.path).mode == 0o600)
        #expect(logger.statistics.failed == 0)
        if Tool.isThere { #expect(try Tool.run(fixture.path, "PRAGMA integrity_check") == "ok") }
    }

    @Test(
        "A database that another one is put in the place of is followed, and the other's files are left alone"
    )
    func replaced() throws {
        let logger = try fixture.add()
        fixture.log(0..<10)
        rename(fixture.path, fixture.path + ".old")
        // Its log stays where the new one's would be.
        unlink(fixture.path + "-wal")
        unlink(fixture.path + "-shm")
        let other = try SQLiteLogger(path: fixture.path)
        let second = LogDispatcher()
        second.add(other)
        fixture.log(100..<110, to: second)
        #expect(fixture.log(10..<20).isComplete)
        #expect(try fixture.texts() == (100..<110).map { "\($0)" } + (10..<20).map { "\($0)" })
        second.removeAll()
        #expect(fixture.log(20..<21).isComplete)
        #expect(try fixture.texts().count == 21)
        #expect(logger.statistics.failed == 0)
    }

    @Test(
        "A directory that may not be written to is a clear error",
        .enabled(if: geteuid() != 0 || Chattr.isPossible, "root may write everywhere"))
    func readOnly() throws {
        let folder = fixture.folder + "/closed"
        mkdir(folder, 0o700)
        let isRoot = geteuid() == 0
        if isRoot { #expect(Chattr.set(folder, "+i")) } else { chmod(folder, 0o500) }
        defer { if isRoot { Chattr.set(folder, "-i") } else { chmod(folder, 0o700) } }
        #expect {
            try SQLiteLogger(path: folder + "/log.sqlite")
        } throws: { error in
            let error = error as? LogError
            return error?.place == folder + "/log.sqlite" && error?.message.contains("permissions") == true
                && error?.cause != nil
        }
    }

    @Test("A directory that others may write to, a symbolic link and a bad name are refused")
    func unsafe() throws {
        let open = fixture.folder + "/open"
        mkdir(open, 0o777)
        chmod(open, 0o777)
        #expect { try SQLiteLogger(path: open + "/log.sqlite") } throws: {
            ($0 as? LogError)?.code == .unsafe
        }
        _ = try SQLiteLogger(path: open + "/log.sqlite", policy: LogDirectoryPolicy(acceptsShared: true))
        let target = fixture.folder + "/target"
        symlink(target, fixture.path)
        #expect { try SQLiteLogger(path: fixture.path) } throws: { ($0 as? LogError)?.code == .unsafe }
        #expect(access(target, F_OK) != 0)
        #expect { try SQLiteLogger(path: fixture.folder + "/") } throws: {
            ($0 as? LogError)?.code == .setting
        }
    }

    @Test(
        "A database of another version, or of another program, is left alone, with a clear error",
        arguments: [-1, 2, 99])
    func versions(version: Int) throws {
        _ = try fixture.add()
        fixture.log(0..<3)
        fixture.dispatcher.removeAll()
        let other = try SQLiteConnection(fixture.path, SQLITE_OPEN_READWRITE, busyTimeout: .seconds(5))
        try other.execute("PRAGMA user_version = \(version)")
        #expect { try SQLiteLogger(path: fixture.path) } throws: {
            "\($0)".contains("has version \(version), and this program supports version 1; it is not changed")
        }
        #expect { try SQLiteLogReader(path: fixture.path) } throws: {
            "\($0)".contains("has version \(version), and this program supports version 1")
        }
        #expect(try other.number("SELECT count(*) FROM messages") == 3)

        let foreign = fixture.folder + "/foreign.sqlite"
        let third = try SQLiteConnection(
            foreign, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, busyTimeout: .seconds(5))
        try third.execute("CREATE TABLE customers (name TEXT); INSERT INTO customers VALUES ('x')")
        #expect { try SQLiteLogger(path: foreign) } throws: {
            "\($0)".contains("belongs to another program and is not changed")
        }
        #expect { try SQLiteLogReader(path: foreign) } throws: {
            "\($0)".contains("Not a Heartwood log database")
        }
        #expect(try third.number("SELECT count(*) FROM customers") == 1)
        #expect(try third.text("PRAGMA journal_mode") == "delete")
    }
}

/// A file system in memory that is soon full.
final class SmallDisk {
    let path: String
    static let isPossible = geteuid() == 0 && (try? SmallDisk()) != nil

    init() throws {
        path = NSTemporaryDirectory() + "heartwood-disk-" + UUID().uuidString
        mkdir(path, 0o700)
        guard
            try ChildProcess("mount", ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", path]).wait()?
                .isSuccess
                == true
        else { throw CocoaError(.featureUnsupported) }
    }

    deinit {
        _ = try? ChildProcess("umount", ["-l", path]).wait()
        rmdir(path)
    }

    /// Fills what is left; whether that was something.
    func fill(_ name: String) -> Bool {
        guard FileManager.default.createFile(atPath: name, contents: nil) else { return false }
        let file = open(name, O_WRONLY)
        defer { close(file) }
        var written = 0
        let block = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = write(file, block, block.count)
            if count <= 0 { return written > 0 }
            written += count
        }
    }
}

/// Makes a directory immutable, for root.
enum Chattr {
    @discardableResult
    static func set(_ path: String, _ attribute: String) -> Bool {
        (try? ChildProcess("chattr", [attribute, path]))?.wait()?.isSuccess == true
    }

    static let isPossible: Bool = {
        let path = NSTemporaryDirectory() + "heartwood-chattr-" + UUID().uuidString
        mkdir(path, 0o700)
        defer { rmdir(path) }
        guard set(path, "+i") else { return false }
        return set(path, "-i")
    }()
}
