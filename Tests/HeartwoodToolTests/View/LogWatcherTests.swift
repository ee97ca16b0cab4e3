import CHeartwood
import Foundation
import Heartwood
import HeartwoodArchive
import HeartwoodReading
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// A directory whose files are viewed, with a look at each step.
private final class WatchedLogs {
    let directory: String
    let store: LogStore
    private let watcher: LogWatcher

    init(_ files: [(name: String, bytes: [UInt8])], key: (any SecretProvider)? = nil) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/heartwood-\(UUID().uuidString)"
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: directory + "/" + name))
        }
        store = LogStore(
            files: LogFiles(key: key, redaction: nil, keeping: 0) {
                let arguments = try Arguments(parsing: [], options: GrepCommand.options)
                return try LogSelection(arguments, operands: [directory]).presentFiles()
            })
        watcher = try LogWatcher(store, key: key)
        LogIndexer(store, isStopped: { false }).run(watcher.open())
        watcher.begin(with: store.block(-1)?.facts.carry ?? LineCarry())
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func tick() { watcher.tick() }

    func append(_ bytes: [UInt8], to name: String) throws {
        let path = directory + "/" + name
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        #expect(bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count)
    }

    func append(_ text: String, to name: String) throws { try append(Array(text.utf8), to: name) }

    func rename(_ name: String, to other: String) {
        #expect(CHeartwood.rename(directory + "/" + name, directory + "/" + other) == 0)
    }

    func remove(_ name: String) { #expect(unlink(directory + "/" + name) == 0) }

    func copy(_ name: String, to other: String) throws {
        try? FileManager.default.removeItem(atPath: directory + "/" + other)
        try FileManager.default.copyItem(atPath: directory + "/" + name, toPath: directory + "/" + other)
    }

    func cut(_ name: String) { #expect(truncate(directory + "/" + name, 0) == 0) }

    func compress(_ name: String, to other: String? = nil) throws {
        let url = URL(fileURLWithPath: directory + "/" + name)
        try Data(try GzipMember.compress(Array(try Data(contentsOf: url)))).write(
            to: URL(fileURLWithPath: directory + "/" + (other ?? name + ".gz")))
        remove(name)
    }

    /// All rows; nil for one whose text is gone.
    func rows() throws -> [String?] {
        let scan = try LogScans(store, paths: [directory]).scan(
            ViewFilter(try #require(ViewQuery("/x?"))))
        let rows = scan.rows
        return scan.rows(from: rows.first, count: rows.end - rows.first).map { row in
            row.text.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

@Suite("What comes to a viewed log", .inTurn)
struct LogWatcherTests {
    private let archives: Void = LogArchives.register()

    private static func line(_ number: Int) -> String {
        "2026-11-20 10:00:\(10 + number % 50).000Z info number \(number)\n"
    }
    private static func lines(_ numbers: Range<Int>) -> String { numbers.map(line).joined() }

    @Test("A line that comes in parts, with lines of others between them, is one row")
    func parts() throws {
        let logs = try WatchedLogs([("a.log", []), ("b.log", [])])
        let part = String(repeating: "x", count: 150_000)
        for number in 0..<7 {
            try logs.append(number == 0 ? "2026-11-20 10:00:00.000Z info " + part : part, to: "a.log")
            logs.tick()
            logs.tick()
            try logs.append(Self.line(number), to: "b.log")
            logs.tick()
        }
        try logs.append("\n" + Self.line(7), to: "a.log")
        logs.tick()
        let rows = try logs.rows().compactMap(\.self)
        #expect(rows.count == 9)
        #expect(rows.filter { $0.count == 30 + 7 * part.count }.count == 1)
    }

    @Test("A line without an end is shown in part after two looks, and whole when it has its end, in one row")
    func withoutEnd() throws {
        let logs = try WatchedLogs([("a.log", Array("one\ntw".utf8))])
        logs.tick()
        #expect(try logs.rows() == ["one"])
        logs.tick()
        #expect(try logs.rows() == ["one", "tw"])
        try logs.append("o", to: "a.log")
        logs.tick()
        #expect(try logs.rows() == ["one", "two"])
        try logs.append("\nthree\n", to: "a.log")
        logs.tick()
        #expect(try logs.rows() == ["one", "two", "three"])
        #expect(logs.store.rows.end == 2)
    }

    @Test("A file without any newline is shown in rows of 32 MiB")
    func endless() throws {
        let logs = try WatchedLogs([("a.log", [])])
        let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 0..<70 { try logs.append(part, to: "a.log") }
        logs.tick()
        #expect(logs.store.rows.end == 2)
        logs.tick()
        #expect(logs.store.rows.end == 3)
        let sizes = try logs.rows().map { $0?.utf8.count ?? 0 }
        #expect(sizes.dropLast().allSatisfy { (32 << 20...34 << 20).contains($0) } && sizes.last == 1 << 16)
    }

    @Test("Of very many silent files, a line that comes to any is shown at the next look")
    func silent() throws {
        let logs = try WatchedLogs(
            (0..<300).map { ("app\($0).log", Array(Self.line($0).utf8)) })
        for _ in 0..<60 { logs.tick() }
        for number in [0, 150, 299] {
            try logs.append(Self.line(1000 + number), to: "app\(number).log")
            logs.tick()
            #expect(try logs.rows().last??.hasSuffix("number \(1000 + number)") == true)
        }
    }

    @Test("New lines of an encrypted log are shown, the last one that was there with its end")
    func encrypted() throws {
        let key = Secret(String(repeating: "a7", count: 32))
        var encoder = try FrameEncoder(FrameCipher(key: key))
        var bytes = try encoder.encode(Array(Self.lines(0..<2000).utf8), isLast: false)
        bytes += try encoder.encode(Array("tw".utf8), isLast: false)
        let logs = try WatchedLogs([("a.log", bytes)], key: GivenKey(key: key))
        #expect(logs.store.rows.first == -2000)
        try logs.append(try encoder.encode(Array("o\nthree\n".utf8), isLast: false), to: "a.log")
        logs.tick()
        #expect(try logs.rows().suffix(2) == ["two", "three"])
        #expect(logs.store.progress.damages.isEmpty)
    }

    @Test("The lines of a log are shown when it has become an encrypted archive", arguments: [false, true])
    func encryptedArchive(_ isEncryptedBefore: Bool) throws {
        let key = Secret(String(repeating: "a7", count: 32))
        func encrypted(_ isLast: Bool) throws -> [UInt8] {
            var encoder = try FrameEncoder(FrameCipher(key: key))
            return try encoder.encode(Array(Self.lines(0..<300).utf8), isLast: isLast)
        }
        let bytes = isEncryptedBefore ? try encrypted(false) : Array(Self.lines(0..<300).utf8)
        let logs = try WatchedLogs([("a.log", bytes)], key: GivenKey(key: key))
        try logs.append(try encrypted(true), to: "a.log.hwe")
        logs.remove("a.log")
        for _ in 0..<2 {
            #expect(try logs.rows() == Self.lines(0..<300).split(separator: "\n").map(String.init))
            logs.tick()
        }
    }

    @Test("An encrypted log that is cut shows what it has now")
    func encryptedCut() throws {
        let key = Secret(String(repeating: "a7", count: 32))
        func encrypted(_ lines: String) throws -> [UInt8] {
            var encoder = try FrameEncoder(FrameCipher(key: key))
            return try encoder.encode(Array(lines.utf8), isLast: false)
        }
        let old = try encrypted(Self.lines(0..<20_000))
        let logs = try WatchedLogs([("a.log", old)], key: GivenKey(key: key))
        #expect(try logs.rows().first == .some("2026-11-20 10:00:10.000Z info number 0"))
        logs.cut("a.log")
        try logs.append(try encrypted(Self.lines(50_000..<50_010)), to: "a.log")
        logs.tick()
        logs.tick()
        let rows = try logs.rows()
        #expect(
            rows.suffix(10)
                == Self.lines(50_000..<50_010).split(separator: "\n").map { .some(String($0)) }[...])
        #expect(rows.dropLast(10).allSatisfy { $0 == nil })
    }

    private struct GivenKey: SecretProvider {
        let key: Secret
        func secret(named _: String) throws -> Secret { key }
    }

    @Test(
        "After each way of rotating twice, all lines are shown that are anywhere, once, the new ones last",
        arguments: [
            "create", "compress", "delaycompress", "dateext", "dateext compress", "copytruncate",
            "copytruncate compress", "rotate 0", "move away",
        ], [false, true])
    func rotated(_ way: String, isLookedAtBetween: Bool) throws {
        let logs = try WatchedLogs([("app.log", Array(Self.lines(0..<300).utf8))])
        var next = 300
        for round in 1...2 {
            try logs.append(Self.lines(next..<next + 20), to: "app.log")
            logs.tick()
            let archive = "app.log-2026112\(round)"
            func look() { if isLookedAtBetween { logs.tick() } }
            switch way {
            case "create", "delaycompress", "compress":
                if round == 2 {
                    let last = way == "compress" ? "app.log.1.gz" : "app.log.1"
                    logs.rename(last, to: last == "app.log.1" ? "app.log.2" : "app.log.2.gz")
                    look()
                    if way == "delaycompress" { try logs.compress("app.log.2") }
                }
                logs.rename("app.log", to: "app.log.1")
                look()
                if way == "compress" { try logs.compress("app.log.1") }
            case "dateext", "dateext compress":
                logs.rename("app.log", to: archive)
                look()
                if way != "dateext" { try logs.compress(archive) }
            case "copytruncate", "copytruncate compress":
                try logs.copy("app.log", to: archive)
                look()
                logs.cut("app.log")
                look()
                if way != "copytruncate" { try logs.compress(archive) }
            case "rotate 0": logs.remove("app.log")
            default: logs.rename("app.log", to: "../" + archive)
            }
            look()
            try logs.append(Self.lines(next + 20..<next + 40), to: "app.log")
            logs.tick()
            next += 40
        }
        let rows = try logs.rows()
        let isGone = way == "rotate 0" || way == "move away"
        let expected = (0..<next).map { "number \($0)" }
        #expect(rows.count == next)
        let shown = rows.map { $0.map { String($0.split(separator: "info ").last ?? "") } }
        if isGone {
            // A row stays, and says that its text is gone.
            #expect(shown.suffix(20) == expected.suffix(20).map { Optional($0) })
            #expect(zip(shown, expected).allSatisfy { $0 == nil || $0 == $1 })
            #expect(shown.first == .some(nil))
        } else {
            #expect(shown == expected.map { Optional($0) })
        }
    }
}
