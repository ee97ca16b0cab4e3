import Foundation
import Heartwood
import Testing

/// A file logger from outside, with every hook.
final class Framed: FileLogger, @unchecked Sendable {
    override func finishRecord(in output: inout LogBuffer, from start: Int) {
        output.append("\u{1E}\n")
    }
    override var repairsTornLines: Bool { false }
}

final class HexNames: LogFileNaming, @unchecked Sendable {
    override func name(for label: LogFileLabel) -> String { "trace-\(String(label.number, radix: 16)).log" }
    override func label(of name: String) -> LogFileLabel? {
        guard name.hasPrefix("trace-"), name.hasSuffix(".log") else { return nil }
        return Int(name.dropFirst(6).dropLast(4), radix: 16).map { LogFileLabel(createdAt: nil, number: $0) }
    }
}

final class Collector: LogArchiveProcessor, @unchecked Sendable {
    let files = Reports()
    override func process(_ file: LogFileInfo) throws -> Outcome {
        files.add(file.name)
        return .keep
    }
    override var retryDelay: Duration { .seconds(1) }
}

/// A file manager from outside: it leaves one file alone, makes files readable for a group, and removes the largest first.
final class LargestFirst: LogFilePolicy, @unchecked Sendable {
    let created = Reports()
    private let kept: String

    init(keeping name: String) { kept = name }

    override func owns(_ name: String, label: LogFileLabel) -> Bool { name != kept }
    override func permissions(of name: String, usual: FileMode) -> FileMode { 0o640 }
    override func didCreate(_ path: String) { created.add(path) }
    override func removalOrder(_ files: [LogFileInfo]) -> [LogFileInfo] {
        files.sorted { $0.size > $1.size }
    }
}

@Suite("Files from outside of the package")
struct FileExtensionTests {
    private func directory() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/heartwood-consumer-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    @Test(
        "A subclass of the file logger writes what its hook says, with names and an archive processor of its own"
    )
    func files() throws {
        let path = try directory()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let dispatcher = LogDispatcher()
        let logger = try Framed(directory: path, settings: FileSettings(naming: HexNames()))
        let collector = Collector()
        logger.archiveProcessor = collector
        logger.maximumFileSize = 64 * 1024
        logger.rollingInterval = .seconds(86_400)
        logger.maximumFileCount = 5
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        dispatcher.flush()
        logger.rollNow()
        logInfo("two", to: dispatcher)
        dispatcher.flush()
        let names = try logger.logFiles().map(\.name).sorted()
        #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("trace-") })
        dispatcher.removeAll()
        let texts = try names.map { try String(contentsOfFile: path + "/" + $0, encoding: .utf8) }
        #expect(texts.joined().filter { $0 == "\u{1E}" }.count == 2)
        #expect(texts.joined().contains("one") && texts.joined().contains("two"))
    }

    @Test(
        "A file manager from outside decides what belongs to the logger, how files are made, and which go first"
    )
    func manager() throws {
        let path = try directory()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let kept = "trace-1.log"
        try Data("precious\n".utf8).write(to: URL(fileURLWithPath: path + "/" + kept))
        let dispatcher = LogDispatcher()
        let manager = LargestFirst(keeping: kept)
        let logger = try FileLogger(
            directory: path, settings: FileSettings(naming: HexNames(), filePolicy: manager))
        logger.maximumFileCount = 3
        dispatcher.add(logger)
        for (number, size) in [10, 5000, 20, 30].enumerated() {
            logInfo("\(number) \(String(repeating: "x", count: size))", to: dispatcher)
            dispatcher.flush()
            if number < 3 { logger.rollNow() }
        }
        dispatcher.flush()
        let files = try logger.logFiles()
        #expect(!files.map(\.name).contains(kept))
        #expect(files.count == 3)
        let texts = try files.map { try String(contentsOfFile: path + "/" + $0.name, encoding: .utf8) }
        // The largest went, though it was not the oldest.
        #expect(
            !texts.joined().contains(String(repeating: "x", count: 100)) && texts.joined().contains(" 0 x"))
        #expect(manager.created.all.count == 4)
        for file in files {
            let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + file.name)[
                .posixPermissions]
            // A finished file has lost its write permission.
            #expect(mode as? Int == (file.isArchived ? 0o440 : 0o640))
        }
        #expect(try String(contentsOfFile: path + "/" + kept, encoding: .utf8) == "precious\n")
        dispatcher.removeAll()
    }
}
