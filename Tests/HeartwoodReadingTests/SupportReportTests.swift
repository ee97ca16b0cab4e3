import Foundation
import HeartwoodArchive
import CoreFixtures
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// The archive for support, read with the system's own `tar`.
@Suite(.inTurn) struct SupportReportTests {
    private let scratch = Scratch()
    private let dispatcher = LogDispatcher()

    private func makeLogger(_ name: String) throws -> FileLogger {
        let logger = try FileLogger(directory: scratch.logs + "-" + name, name: name)
        dispatcher.add(logger)
        return logger
    }

    private var target: String { scratch.logs + "-reports" }

    /// What `tar` unpacks, by the names of the files.
    private func unpack(_ report: LogSupportReport) throws -> [String: String] {
        let folder = scratch.logs + "-unpacked"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", report.path, "-C", folder]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        var files: [String: String] = [:]
        for path in try #require(FileManager.default.subpaths(atPath: folder)) {
            guard let bytes = FileManager.default.contents(atPath: folder + "/" + path) else { continue }
            files[path] = String(decoding: bytes, as: UTF8.self)
        }
        return files
    }

    @Test(
        "It has the lines of all files of all loggers, also of compressed ones, redacted, and the state of everything"
    )
    func whole() async throws {
        LogArchives.register()
        let (first, second) = (try makeLogger("first"), try makeLogger("second"))
        first.archiveFormat = .gzip
        logInfo("mail to jane@example.com", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        await first.rollNow()
        logInfo("second line, db_password=hunter2", metadata: ["api_key": "k1"], to: dispatcher)
        await second.rollNow()
        var options = LogSupportReport.Options()
        options.attachments = [
            "version.txt": "owner bob@example.com", "configuration.json": "{\"levels\": \"info\"}",
        ]
        let report = try dispatcher.makeSupportReport(in: target, options)
        #expect(report.path.hasSuffix(".tar.gz") && report.omissions.isEmpty)
        let size = try FileManager.default.attributesOfItem(atPath: report.path)[.size] as? NSNumber
        #expect(size?.intValue == report.size.bytes)
        let mode =
            try FileManager.default.attributesOfItem(atPath: report.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let files = try unpack(report)
        #expect(Set(files.keys) == Set(report.contents))
        let lines = files.filter { $0.key.hasPrefix("logs/first/") }.values.joined()
        #expect(lines.contains("mail to <email>") && lines.contains("second line") && !lines.contains("jane"))
        #expect(files.keys.contains { $0.hasPrefix("logs/second/") })
        #expect(
            files["version.txt"] == "owner <email>" && files["configuration.json"]?.contains("levels") == true
        )
        let state = try #require(files["report.txt"])
        #expect(state.contains("journal: off") && state.contains("flush: complete"))
        #expect(state.contains("heartwood_logger_delivered_total{logger=\"first\"} 2"))
        #expect(lines.contains("db_password=<secret> {api_key=<secret>}"))
        // A file of each logger has the line, and the attachment an address.
        #expect(state.contains("redaction: 3 email, 4 secret\n"))
        #expect(state.contains(first.directoryPath) && state.contains("logger second"))
    }

    @Test(
        "What there is no room for is left out, the oldest first, and named; a second report has another name"
    )
    func room() async throws {
        let logger = try makeLogger("small")
        for number in 0..<4 {
            logInfo("file \(number) \(String(repeating: "x", count: 500))", to: dispatcher)
            await dispatcher.flush(timeout: .testLimit)
            await logger.rollNow()
        }
        var options = LogSupportReport.Options()
        options.maximumSize = .bytes(1300)
        let report = try dispatcher.makeSupportReport(in: target, options)
        #expect(report.omissions.count == 2)
        let lines = try unpack(report).filter { $0.key.hasPrefix("logs/") }.values.joined()
        #expect(lines.contains("file 3") && lines.contains("file 2") && !lines.contains("file 1"))
        #expect(try dispatcher.makeSupportReport(in: target).path != report.path)
    }

    @Test("Two loggers of one name have a folder each; without rules, everything is as it was")
    func sameName() async throws {
        for directory in ["a", "b"] {
            dispatcher.add(try FileLogger(directory: scratch.logs + "-" + directory, name: "app"))
        }
        logInfo("password=hunter2", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        var options = LogSupportReport.Options()
        options.redaction = nil
        let files = try unpack(try dispatcher.makeSupportReport(in: target, options))
        for folder in ["logs/app/", "logs/app-2/"] {
            let lines = files.filter { $0.key.hasPrefix(folder) }.values.joined()
            #expect(lines.contains("password=hunter2"), "\(files.keys)")
        }
        #expect(files["report.txt"]?.contains("redaction: none") == true)
    }

    @Test("A directory that cannot be written is an error, and leaves nothing there")
    func failure() throws {
        try Data().write(to: URL(fileURLWithPath: target))
        #expect(throws: LogError.self) { try dispatcher.makeSupportReport(in: target) }
    }

    @Test("The archive is what tar expects: names, sizes at the edges of a block, and the end")
    func blocks() throws {
        for count in [0, 1, 511, 512, 513] {
            let entry = TapeArchive.entry("a", [UInt8](repeating: 7, count: count), modified: 1)
            #expect(entry.count == 512 + (count + 511) / 512 * 512)
        }
        let long = String(repeating: "n", count: 120) + ".log"
        let entry = TapeArchive.entry(long, [], modified: 0)
        #expect(String(decoding: entry[..<100], as: UTF8.self) == String(long.suffix(100)))
    }
}
